//! Loads the history of a folder and prints its size, or what git prints for a comparison:
//! `git log --format=%H --name-status` (list), `git blame -s -l` (blame), the hunks of
//! `git log -p -U0` (lines).
//!
//! ```sh
//! time cargo run --release -p contextd-history --example history -- FOLDER [COMMITS] [list|again|lines|blame PATH]
//! ```

use contextd_history::{
    ChangeKind, History, Limits, LineLabels, Outline, Range, Repository, TouchQuery, blame,
};
use std::io::{BufWriter, Write};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = arguments.first().map_or(".", String::as_str);
    let max_commits = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(5_000);
    let limits = Limits { max_commits, ..Limits::default() };
    let start = Instant::now();
    let (history, problems) = History::load(root.as_ref(), &limits, None);
    let loaded = start.elapsed();
    let mut out = BufWriter::new(std::io::stdout().lock());
    match arguments.get(2).map(String::as_str) {
        Some("list") => list(&history, &mut out)?,
        Some("lines") => lines(root, &history, &mut out)?,
        Some("blame") => {
            for part in blame(root.as_ref(), arguments.get(3).map_or("", String::as_str)).0 {
                let commit = part.commit.map(|commit| commit.to_string()).unwrap_or_default();
                (0..part.lines.count).try_for_each(|_| writeln!(out, "{commit}"))?;
            }
        }
        Some("symbols") => symbols(root, &history, &mut out)?,
        Some("again") => again(root, &limits, &mut out)?,
        _ => {
            let view = history.view();
            let touches: usize = view.commits().map(|commit| commit.touches().len()).sum();
            writeln!(
                out,
                "{} commits, {touches} touches, {} paths in {loaded:.0?}",
                view.len(),
                view.file_count()
            )?;
            let start = Instant::now();
            writeln!(out, "{} bytes in {:.0?}", history.encode().len(), start.elapsed())?;
            problems.iter().try_for_each(|problem| writeln!(out, "{problem}"))?;
        }
    }
    out.flush()
}

/// Times taking in the newest commit on top of a history that lacks it, the fastest of ten.
fn again(root: &str, limits: &Limits, out: &mut impl Write) -> std::io::Result<()> {
    let (before, _) = History::load_at(root.as_ref(), "HEAD~1", limits, None);
    let mut fastest = std::time::Duration::MAX;
    let mut after = History::default();
    for _ in 0..10 {
        let start = Instant::now();
        after = History::load(root.as_ref(), limits, Some(before.view())).0;
        fastest = fastest.min(start.elapsed());
    }
    let same = after.encode() == History::load(root.as_ref(), limits, None).0.encode();
    writeln!(out, "one new commit in {fastest:.1?}, same bytes as from nothing: {same}")
}

/// Times the mapping of changed lines to spans, with spans of 20 lines instead of an index's.
fn symbols(root: &str, history: &History, out: &mut impl Write) -> std::io::Result<()> {
    let Ok(repository) = Repository::open(root.as_ref()) else {
        return Ok(());
    };
    let view = history.view();
    let spans: Vec<(u32, u32, u32)> = (0..500).map(|at| (at * 20 + 1, at * 20 + 20, at)).collect();
    let labels = LineLabels::of_spans(&spans);
    let outline = |file: u32| {
        let text = std::fs::read(std::path::Path::new(root).join(view.path(file))).ok()?;
        let labels = labels.clone();
        Some(Outline { text, labels })
    };
    let commits: Vec<u32> = (0..view.len() as u32).collect();
    let start = Instant::now();
    let query = TouchQuery { files: None, commits: &commits, outline: &outline };
    let touches = repository.symbol_touches(view, &query).len();
    writeln!(out, "{touches} touches of spans in {:.0?}", start.elapsed())
}

fn lines(root: &str, history: &History, out: &mut impl Write) -> std::io::Result<()> {
    let Ok(repository) = Repository::open(root.as_ref()) else {
        return Ok(());
    };
    for commit in history.view().commits().filter(|commit| !commit.is_merge()) {
        writeln!(out, "{}", commit.id())?;
        for file in repository.changed_files(&Range::Commit(commit.id().to_string())).0.files {
            for hunk in file.hunks {
                let range = |range: contextd_history::LineRange| {
                    (range.start - u32::from(range.count == 0), range.count)
                };
                writeln!(out, "{}\t{:?} {:?}", file.path, range(hunk.old), range(hunk.new))?;
            }
        }
    }
    Ok(())
}

fn list(history: &History, out: &mut impl Write) -> std::io::Result<()> {
    for commit in history.view().commits() {
        writeln!(out, "{}", commit.id())?;
        for (kind, path, from) in commit.changes() {
            match (kind, from) {
                (ChangeKind::Renamed, Some(from)) => writeln!(out, "R\t{from}\t{path}")?,
                (ChangeKind::Added, _) => writeln!(out, "A\t{path}")?,
                (ChangeKind::Deleted, _) => writeln!(out, "D\t{path}")?,
                _ => writeln!(out, "M\t{path}")?,
            }
        }
    }
    Ok(())
}
