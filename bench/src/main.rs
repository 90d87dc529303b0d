//! The floor that speed is measured against: reads and parses the same files, nothing else.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use rayon::prelude::*;
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (Some(mode), Some(list)) = (words.first(), words.get(1)) else {
        eprintln!("usage: contextd-bench floor|extract LIST [ROOT]\n  LIST: a file with one relative path a line, as `contextd list-indexable` prints it");
        std::process::exit(2);
    };
    let root = words.get(2).map_or(".", String::as_str);
    let paths: Vec<String> = std::fs::read_to_string(list).unwrap_or_default().lines().map(str::to_owned).collect();
    let start = Instant::now();
    let bytes: u64 = paths
        .par_iter()
        .map(|path| {
            let Ok(text) = std::fs::read_to_string(format!("{root}/{path}")) else { return 0 };
            let language = contextd_lang::detect(path, &text);
            if mode == "floor" {
                contextd_lang::extract::parse_only(&text, language);
            } else {
                contextd_lang::extract(&text, language, &Default::default());
            }
            text.len() as u64
        })
        .sum();
    let cpu = cpu_seconds();
    println!("{mode}: {} files, {:.1} MB, wall {:.2} s, cpu {cpu:.2} s", paths.len(), bytes as f64 / 1e6, start.elapsed().as_secs_f64());
}

/// User and system time of this process so far, from the kernel's own account.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or("");
    let ticks: f64 = after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}
