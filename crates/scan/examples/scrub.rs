//! Scrubs every text file below the folders given; prints the audit list and the speed.
#![allow(clippy::print_stdout, reason = "an example reports on the terminal")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use contextd_scan::secrets::Scrubber;

fn main() {
    let started = Instant::now();
    let (scrubber, _) = Scrubber::new(&[], true);
    scrubber.scrub("", "");
    println!("ready in {:.2} ms", started.elapsed().as_secs_f64() * 1e3);
    let show = std::env::args().any(|argument| argument == "--show");
    for root in std::env::args().skip(1).filter(|argument| argument != "--show") {
        report(&scrubber, Path::new(&root), show);
    }
}

/// Times each file this often and keeps the best: other programs disturb long runs.
const PASSES: usize = 5;

fn report(scrubber: &Scrubber, root: &Path, show: bool) {
    let mut files = Vec::new();
    collect(root, &mut files);
    files.sort();
    let (mut bytes, mut found, mut spent) = (0, 0, Duration::ZERO);
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        let best = (0..PASSES).map(|_| {
            let started = Instant::now();
            std::hint::black_box(scrubber.scrub(&text, &name));
            started.elapsed()
        });
        spent += best.min().unwrap_or_default();
        bytes += text.len();
        let redactions = scrubber.scrub(&text, &name).redactions;
        found += redactions.len();
        for redaction in redactions {
            let start = text[..redaction.start].rfind('\n').map_or(0, |at| at + 1);
            let line = text[start..].lines().next().unwrap_or_default().trim();
            let line: String = line.chars().take(if show { 160 } else { 0 }).collect();
            println!("{name}:{}: {} {line}", redaction.line, redaction.rule);
        }
    }
    let megabytes = bytes as f64 / 1e6;
    let speed = megabytes / spent.as_secs_f64().max(1e-9);
    let (files, root) = (files.len(), root.display());
    println!("{root}: {files} files, {megabytes:.1} MB, {found} redactions, {speed:.0} MB/s");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && entry.file_name() != ".git" {
            collect(&entry.path(), files);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
}
