//! Measurements that are too heavy for tests: the floor that speed is measured against (reading and
//! parsing the same files, nothing else), tokens against searching and reading, learning over rounds.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool reports on the terminal")]

mod again;
mod codegraph;
mod counting;
mod coverage;
mod floor;
mod gcf;
mod history;
mod learn;
mod overhead;
mod repositories;
mod study;
mod tokens;

use rayon::prelude::*;
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (Some(mode), Some(list)) = (words.first(), words.get(1)) else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    if let Some(result) = study(mode, &words[1..]) {
        match result {
            Ok(text) => println!("{text}"),
            Err(error) => {
                eprintln!("error: {error}");
                std::process::exit(2);
            }
        }
        return;
    }
    let root = words.get(2).map_or(".", String::as_str);
    let paths: Vec<String> =
        std::fs::read_to_string(list).unwrap_or_default().lines().map(str::to_owned).collect();
    let start = Instant::now();
    let bytes: u64 = paths
        .par_iter()
        .map(|path| {
            let Ok(text) = std::fs::read_to_string(format!("{root}/{path}")) else { return 0 };
            let language = contextd_lang::detect(path, &text);
            if mode == "floor" {
                floor::parse(&text, language);
            } else {
                contextd_lang::extract(&text, language, &Default::default());
            }
            text.len() as u64
        })
        .sum();
    let cpu = cpu_seconds();
    println!(
        "{mode}: {} files, {:.1} MB, wall {:.2} s, cpu {cpu:.2} s",
        paths.len(),
        bytes as f64 / 1e6,
        start.elapsed().as_secs_f64()
    );
}

const USAGE: &str = "usage: contextd-bench floor|extract LIST [ROOT]
  LIST: a file with one relative path a line, as `contextd list-indexable` prints it
       contextd-bench coverage TASKS REPOS [BUDGET...]  truths in packs against the ten best hits
       contextd-bench gcf TASKS REPOS [CHECKOUT NAME]  tokens of GCF against JSON; of differences, in a checkout to write to
       contextd-bench codegraph CHECKOUT [HOPS]  size and time of CodeGraphContext
       contextd-bench again TASKS CHECKOUT NAME  the same answer again, and after a change elsewhere
       contextd-bench counting LIST ROOT  counting tokens, against the crate the tables come from
       contextd-bench history CHECKOUT...        CPU of taking in 5,000 commits against git log, and one new commit
       contextd-bench tokens TASKS REPOS OUT     tokens to equal recall: packs against searching and reading
       contextd-bench learn TASKS REPOS NAME...  a simulated caller over five rounds; indexes and edits the checkouts
       contextd-bench overhead TASKS REPO        what accounting costs a warm query
  TASKS: JSON lines with id, repo, query or description, ground_truth (symbols) or relevant (files)
  REPOS: folder with a checkout of each repository";

/// Runs a study; nothing when `mode` is none.
fn study(mode: &str, words: &[String]) -> Option<Result<String, String>> {
    match (mode, words) {
        ("tokens", [tasks, repos, out]) => Some(tokens::tokens(tasks, repos, out)),
        ("learn", [tasks, repos, names @ ..]) if !names.is_empty() => {
            Some(learn::learn(tasks, repos, names))
        }
        ("overhead", [tasks, repo]) => Some(overhead::overhead(tasks, repo)),
        ("coverage", words) => Some(coverage::run(words).map(|()| String::new())),
        ("gcf", words) => Some(gcf::run(words).map(|()| String::new())),
        ("codegraph", words) => Some(codegraph::run(words).map(|()| String::new())),
        ("history", words) => Some(history::run(words)),
        ("again", words) => Some(again::run(words).map(|()| String::new())),
        ("counting", words) => Some(counting::run(words)),
        ("tokens" | "learn" | "overhead", _) => Some(Err(USAGE.to_owned())),
        _ => None,
    }
}

/// Seconds that the threads of this process have run, to the nanosecond: other load does not count.
pub(crate) fn cpu() -> f64 {
    // The kernel writes down what a thread ran when it stops running, or with its next tick.
    std::thread::sleep(std::time::Duration::from_micros(50));
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let ran = tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
        .filter_map(|text| text.split(' ').next()?.parse::<f64>().ok());
    ran.sum::<f64>() / 1e9
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
