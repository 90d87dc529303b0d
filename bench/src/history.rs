//! What taking in history costs against git itself, on the same range and in the same run.

use contextd_history::{History, Limits, LineLabels, Outline, Repository, TouchQuery};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Newest commits that are taken in.
const COMMITS: u32 = 5_000;
/// Runs of each measurement, git's and ours in turn; the cheapest counts.
const RUNS: usize = 3;
/// What may be spent, as a share of git's CPU.
const MOST: f64 = 2.0;
/// Milliseconds for one new commit.
const NEW_COMMIT: f64 = 50.0;

/// Measures each repository; fails where a limit is passed.
pub fn run(words: &[String]) -> Result<String, String> {
    let mut lines = vec!["repository  commits  touches | files: git  ours  ratio | symbols: git  ours  ratio  touched | one commit: CPU  wall".to_owned()];
    let mut holds = true;
    for root in words {
        let row = measure(Path::new(root))?;
        holds &=
            row.files.ratio() <= MOST && row.symbols.ratio() <= MOST && row.one.0 <= NEW_COMMIT;
        lines.push(format!(
            "{}  {}  {} | {:.2} s  {:.2} s  {:.2} | {:.2} s  {:.2} s  {:.2}  {} | {:.0} ms  {:.0} ms",
            row.name, row.commits, row.touches, row.files.git, row.files.ours, row.files.ratio(), row.symbols.git, row.symbols.ours, row.symbols.ratio(), row.touched, row.one.0, row.one.1
        ));
    }
    lines.push(format!(
        "CPU, cheapest of {RUNS} runs; limits: {MOST} × git, {NEW_COMMIT} ms for one commit"
    ));
    let text = lines.join("\n");
    if holds { Ok(text) } else { Err(format!("a limit is passed\n{text}")) }
}

struct Row {
    name: String,
    commits: usize,
    touches: usize,
    touched: usize,
    files: Pair,
    symbols: Pair,
    /// Milliseconds of CPU and of waiting for one new commit.
    one: (f64, f64),
}

struct Pair {
    git: f64,
    ours: f64,
}

impl Pair {
    fn ratio(&self) -> f64 {
        self.ours / self.git
    }
}

fn measure(root: &Path) -> Result<Row, String> {
    let limits = Limits { max_commits: COMMITS, ..Limits::default() };
    let (history, problems) = History::load(root, &limits, None);
    if let Some(problem) = problems.first().filter(|_| history.view().is_empty()) {
        return Err(problem.to_string());
    }
    let outlines = outlines(root, &history);
    let mut touched = 0;
    let files = pair(root, &["--name-only"], &mut || drop(History::load(root, &limits, None)))?;
    let symbols =
        pair(root, &["-p", "-U0"], &mut || touched = symbol_level(root, &limits, &outlines))?;
    Ok(Row {
        name: root
            .file_name()
            .map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned()),
        commits: history.view().len(),
        touches: history.view().commits().map(|commit| commit.touches().len()).sum(),
        touched,
        files,
        symbols,
        one: one_commit(root, &limits),
    })
}

/// Runs git and ours in turn and keeps the cheapest of each.
fn pair(root: &Path, flags: &[&str], ours: &mut dyn FnMut()) -> Result<Pair, String> {
    let mut best = Pair { git: f64::INFINITY, ours: f64::INFINITY };
    for _ in 0..RUNS {
        let before = ticks();
        let status = Command::new("git")
            .current_dir(root)
            .args(["log", &format!("-n{COMMITS}")])
            .args(flags)
            .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null")])
            .stdout(Stdio::null())
            .status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(format!("git log failed in {}", root.display()));
        }
        let between = ticks();
        ours();
        best.git = best.git.min(between.1 - before.1);
        best.ours = best.ours.min(ticks().0 - between.0);
    }
    Ok(best)
}

/// The files' texts and spans that an index already has, by path; making them is not measured.
fn outlines(root: &Path, history: &History) -> FxHashMap<String, Outline> {
    let view = history.view();
    let present: Vec<&str> = (0..view.file_count() as u32)
        .filter(|&file| view.is_present(file))
        .map(|file| view.path(file))
        .collect();
    let outline = |path: &&str| {
        let text = std::fs::read_to_string(root.join(path)).ok()?;
        let facts =
            contextd_lang::extract(&text, contextd_lang::detect(path, &text), &Default::default());
        let spans: Vec<(u32, u32, u32)> = facts
            .symbols
            .iter()
            .enumerate()
            .skip(1)
            .map(|(at, row)| (row.start_line, row.end_line, at as u32))
            .collect();
        Some((
            (*path).to_owned(),
            Outline { labels: LineLabels::of_spans(&spans), text: text.into_bytes() },
        ))
    };
    present.par_iter().filter_map(outline).collect()
}

/// Takes in the commits with the symbols they touched; returns how many touches were found.
fn symbol_level(root: &Path, limits: &Limits, outlines: &FxHashMap<String, Outline>) -> usize {
    let (history, _) = History::load(root, limits, None);
    let view = history.view();
    let Ok(repository) = Repository::open(root) else { return 0 };
    let commits: Vec<u32> = (0..view.len() as u32).collect();
    let outline = |file: u32| outlines.get(view.path(file)).cloned();
    repository
        .symbol_touches(view, &TouchQuery { files: None, commits: &commits, outline: &outline })
        .len()
}

/// Takes in the newest commit on top of what is stored of the others, and stores the result again.
fn one_commit(root: &Path, limits: &Limits) -> (f64, f64) {
    let stored = History::load_at(root, "HEAD~1", limits, None).0.encode();
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..10 {
        let (start, before) = (Instant::now(), crate::cpu());
        let previous = History::decode(&stored);
        let (history, _) = History::load(root, limits, previous.as_ref().map(History::view));
        drop(history.encode());
        best = (
            best.0.min((crate::cpu() - before) * 1e3),
            best.1.min(start.elapsed().as_secs_f64() * 1e3),
        );
    }
    best
}

/// Seconds that this process and its ended children have run, from the kernel's account.
fn ticks() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or("");
    let fields: Vec<f64> =
        after.split_whitespace().skip(11).take(4).filter_map(|field| field.parse().ok()).collect();
    let sum = |range: std::ops::Range<usize>| {
        fields.get(range).map_or(0.0, |part| part.iter().sum::<f64>() / 100.0)
    };
    (sum(0..2), sum(2..4))
}
