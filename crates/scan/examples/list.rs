//! Lists the indexable files under a folder, one a line, and says on standard error how long it took.
//!
//! `cargo run -p contextd-scan --example list -- FOLDER [--scan-only]`

use contextd_model::config::Config;
use contextd_scan::Scanner;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: list FOLDER [--scan-only]")?;
    let scan_only = arguments.next().as_deref() == Some("--scan-only");
    let mut notes = std::io::stderr().lock();
    let start = Instant::now();
    let (scanner, problems) = Scanner::new(Path::new(&folder), &Config::default())?;
    writeln!(notes, "rules compiled in {:?}", start.elapsed())?;
    let start = Instant::now();
    let (listed, scan) = if scan_only {
        let scan = scanner.scan();
        (scan.files.iter().map(|file| file.rel.clone()).collect(), scan)
    } else {
        scanner.list_indexable()
    };
    writeln!(notes, "{} files in {:?}", listed.len(), start.elapsed())?;
    if scan_only {
        let start = Instant::now();
        let again = scanner.scan();
        writeln!(notes, "again: {} files in {:?}", again.files.len(), start.elapsed())?;
    }
    for (rule, count) in &scan.counts {
        writeln!(notes, "{rule}: {count}")?;
    }
    for problem in problems.iter().chain(&scan.problems) {
        writeln!(notes, "{problem}")?;
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    for rel in listed {
        writeln!(out, "{rel}")?;
    }
    Ok(())
}
