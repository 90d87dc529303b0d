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
    for root in std::env::args()
        .skip(1)
        .filter(|argument| argument != "--show")
    {
        report(&scrubber, Path::new(&root), show);
    }
}

fn report(scrubber: &Scrubber, root: &Path, show: bool) {
    let mut files = Vec::new();
    collect(root, &mut files);
    files.sort();
    let (mut bytes, mut found, mut spent) = (0, 0, Duration::ZERO);
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        let name = path
            .strip_prefix(root)
            .unwrap_or(path)
            .to_string_lossy()
            .into_owned();
        let started = Instant::now();
        let scrubbed = scrubber.scrub(&text, &name);
        spent += started.elapsed();
        bytes += text.len();
        found += scrubbed.redactions.len();
        for redaction in &scrubbed.redactions {
            let line = if show {
                text.lines()
                    .nth(redaction.line as usize - 1)
                    .unwrap_or_default()
                    .trim()
            } else {
                ""
            };
            let line: String = line.chars().take(160).collect();
            println!("{name}:{}: {} {line}", redaction.line, redaction.rule);
        }
    }
    let speed = bytes as f64 / 1e6 / spent.as_secs_f64().max(1e-9);
    println!(
        "{}: {} files, {:.1} MB, {found} redactions, {speed:.0} MB/s",
        root.display(),
        files.len(),
        bytes as f64 / 1e6
    );
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
