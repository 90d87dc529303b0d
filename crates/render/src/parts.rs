//! Answers about one symbol, and differences, for people.

use crate::safe::safe;
use contextd_ops::{Impact, Relation, SymbolAnswer, SymbolInfo, WhyAnswer};
use contextd_pack::PackDiff;
use std::fmt::Write as _;

/// Writes what is known of a symbol.
pub fn symbol(answer: &SymbolAnswer) -> String {
    let mut out = String::new();
    for info in &answer.symbols {
        one_symbol(&mut out, info);
    }
    if !answer.others.is_empty() {
        let _ = writeln!(out, "also: {}", safe(&answer.others.join(", ")));
    }
    out
}

fn one_symbol(out: &mut String, info: &SymbolInfo) {
    let stale = if info.stale { " (stale: the file has changed)" } else { "" };
    let _ = writeln!(out, "{}:{}-{} {} {} {}{stale}", safe(&info.file), info.start_line, info.end_line, info.visibility, info.kind, safe(&info.symbol));
    let text = if info.source.is_empty() { &info.signature } else { &info.source };
    for line in safe(text).lines() {
        let _ = writeln!(out, "  {line}");
    }
    if info.truncated {
        out.push_str("  …\n");
    }
    for (name, relations) in [("callers", &info.callers), ("callees", &info.callees), ("usages", &info.usages), ("tests", &info.tests), ("docs", &info.docs), ("related", &info.related)] {
        list(out, name, relations);
    }
}

fn list(out: &mut String, name: &str, relations: &[Relation]) {
    if relations.is_empty() {
        return;
    }
    let _ = writeln!(out, "{name}:");
    for relation in relations {
        let guessed = if relation.certainty == "known" { "" } else { " guessed" };
        let _ = writeln!(out, "  {} {} ({}{guessed})", relation.edge, safe(&relation.symbol), safe(&relation.seen_at));
    }
}

/// Writes a score, term by term.
pub fn why(answer: &WhyAnswer) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{} ({}:{})", safe(&answer.symbol), safe(&answer.file), answer.line);
    match answer.rank {
        None => drop(writeln!(out, "{}", answer.note)),
        Some(rank) => {
            let _ = writeln!(out, "rank {rank} of {}, score {:.4}, the best has {:.4}", answer.of, answer.score, answer.best_score);
            for term in &answer.terms {
                let _ = writeln!(out, "  {:>12} {:>8.4} × {:>8.4} = {:>8.4}", term.signal, term.value, term.weight, term.contribution);
            }
            if answer.adjustment.abs() > 1e-6 {
                let _ = writeln!(out, "  {:>12} {:>30.4}", "kind of file", answer.adjustment);
            }
        }
    }
    let _ = writeln!(out, "looked for: {}", safe(&answer.looked_for.join(" ")));
    out
}

/// Writes what leans on something.
pub fn impact(impact: &Impact) -> String {
    let mut out = String::new();
    for item in &impact.items {
        let test = if item.test { " test" } else { "" };
        let _ = writeln!(out, "{} {}:{} {} {}{test}: {}{}", item.distance, safe(&item.file), item.line, item.kind, safe(&item.symbol), safe(&item.through), if item.certainty == "known" { "" } else { ", guessed" });
    }
    if impact.items.is_empty() {
        out.push_str("Nothing in the index leans on it.\n");
    }
    let _ = writeln!(out, "{} files, {} of them tests{}", impact.files.len(), impact.tests.len(), if impact.cut { "; more lies beyond the cap" } else { "" });
    out
}

/// Writes what entered and left.
pub fn diff(diff: &PackDiff) -> String {
    let mut out = String::new();
    for (mark, entries) in [("+", &diff.entered), ("-", &diff.left), ("~", &diff.changed)] {
        for entry in entries {
            let _ = writeln!(out, "{mark} {} {} [{}] {}", safe(&entry.file_rel_path), safe(&entry.name), entry.section, safe(&entry.why));
        }
    }
    let _ = writeln!(out, "{} unchanged{}", diff.unchanged, if diff.same_index { "" } else { ", the index differs" });
    out
}
