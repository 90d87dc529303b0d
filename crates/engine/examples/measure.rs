//! Times index runs stage by stage: a first one, one without changes, and one after each of some edits.
//!
//! `cargo run --release -p contextd-engine --example measure -- ROOT [FILE…]` changes the named files
//! and puts them back.
#![allow(clippy::print_stdout, reason = "an example reports on the terminal")]

use contextd_engine::{Engine, EngineOptions, Progress, RefreshOptions, Stage};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Notes when each stage begins.
struct Clock {
    started: Instant,
    stages: Mutex<Vec<(Stage, Duration, f64)>>,
}

impl Progress for Clock {
    fn begin(&self, stage: Stage, _total: u64) {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner).push((
            stage,
            self.started.elapsed(),
            cpu_seconds(),
        ));
    }

    fn advance(&self, _done: u64) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let root = PathBuf::from(words.next().ok_or("usage: measure ROOT [FILE…]")?);
    let engine = Engine::open(&root, &EngineOptions::default(), &|_| None)?;
    run(&engine, "first", None)?;
    println!(
        "peak memory {:.0} MB, index {:.1} MB",
        peak_megabytes(),
        engine.status()?.map_or(0.0, |status| status.size_bytes as f64 / 1e6)
    );
    std::thread::sleep(Duration::from_millis(100));
    run(&engine, "again", None)?;
    run(&engine, "no change", None)?;
    engine.keep_warm(0, std::time::Duration::from_secs(3_600));
    std::thread::sleep(Duration::from_secs(5));
    for file in words {
        let path = root.join(&file);
        let text = std::fs::read(&path)?;
        let only = Some(BTreeSet::from([file.clone()]));
        replace(&path, &[text.as_slice(), b"\n"].concat())?;
        run(&engine, &format!("{file}: a line more"), only.clone())?;
        std::thread::sleep(Duration::from_secs(4));
        replace(&path, &text)?;
        run(&engine, &format!("{file}: back"), only)?;
        std::thread::sleep(Duration::from_secs(4));
    }
    println!("peak memory {:.0} MB", peak_megabytes());
    Ok(())
}

/// Writes beside and renames, so that other links to the old content keep it.
fn replace(path: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    let beside = path.with_extension("measure-tmp");
    std::fs::write(&beside, bytes)?;
    std::fs::rename(beside, path)
}

fn run(engine: &Engine, title: &str, only: Option<BTreeSet<String>>) -> Result<(), Box<dyn Error>> {
    let clock = Clock { started: Instant::now(), stages: Mutex::default() };
    let before = cpu_seconds();
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as i64;
    let options = RefreshOptions { now, only, ..RefreshOptions::default() };
    let refreshed = engine.refresh(&options, &clock)?;
    let (wall, cpu) = (clock.started.elapsed(), cpu_seconds() - before);
    println!(
        "{title}: wall {:.3} s, cpu {cpu:.2} s; {} files, {} read, {} segments, {} linked",
        wall.as_secs_f64(),
        refreshed.files,
        refreshed.read,
        refreshed.segments_written,
        refreshed.linked
    );
    let stages = clock.stages.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (at, (stage, start, cpu)) in stages.iter().enumerate() {
        let (end, cpu_end) =
            stages.get(at + 1).map_or((wall, cpu_seconds()), |next| (next.1, next.2));
        println!(
            "    {:10} wall {:7.3} s, cpu {:6.2} s",
            stage.name(),
            (end - *start).as_secs_f64(),
            cpu_end - cpu
        );
    }
    Ok(())
}

/// User and system time of this process so far, from the kernel's own account.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or("");
    let ticks: f64 = after
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    ticks / 100.0
}

fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0)
        / 1024.0
}
