//! The engine inside another program: index a folder, ask for a task, print what it needs.
//!
//! `cargo run -p contextd-engine --example embed -- FOLDER "the work to do"`
#![allow(clippy::print_stdout, reason = "an example reports on the terminal")]

use contextd_engine::{Engine, EngineOptions, RefreshOptions, Silent};
use contextd_pack::{ContextPack, PackRequest};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let task = arguments.next().unwrap_or_else(|| "where does the program begin".to_owned());

    // A library reads no environment by itself: the configuration's `${NAME}` are looked up here.
    let engine =
        Engine::open(&folder, &EngineOptions::default(), &|name| std::env::var(name).ok())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as i64;
    engine.refresh(
        &RefreshOptions { now, wait: Duration::from_secs(60), ..RefreshOptions::default() },
        &Silent,
    )?;

    // A reader answers any number of requests, from any thread, from one snapshot.
    let reader = engine.reader()?;
    let mut request = PackRequest { query: task, ..PackRequest::default() };
    request.budgets.max_total_tokens = Some(2_000);
    // The budget counts what this function writes.
    let write = |pack: &ContextPack| {
        pack.items()
            .map(|item| {
                format!(
                    "{}:{} {}\n{}\n",
                    item.file_rel_path, item.lines.start, item.name, item.excerpt.text
                )
            })
            .collect::<String>()
    };
    let pack = engine.pack(&reader, &request, &write)?;
    println!("{}", write(&pack));
    println!("{} items, {} tokens, pack {}", pack.stats.items, pack.stats.tokens, pack.pack_id);
    Ok(())
}
