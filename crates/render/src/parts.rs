//! Answers about one symbol, and differences, for people.

use crate::safe::safe;
use contextd_ops::{Relation, SymbolAnswer, SymbolInfo, WhyAnswer};
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
    if answer.cut {
        out.push_str("lists are cut to the budget\n");
    }
    out
}

fn one_symbol(out: &mut String, info: &SymbolInfo) {
    let stale = if info.stale { " (stale: the file has changed)" } else { "" };
    let _ = writeln!(
        out,
        "{}:{}-{} {} {} {}{stale}",
        safe(&info.file),
        info.start_line,
        info.end_line,
        info.visibility,
        info.kind,
        safe(&info.symbol)
    );
    let text = if info.source.is_empty() { &info.signature } else { &info.source };
    for line in safe(text).lines() {
        let _ = writeln!(out, "  {line}");
    }
    if info.truncated {
        out.push_str("  …\n");
    }
    for (name, relations) in [
        ("callers", &info.callers),
        ("callees", &info.callees),
        ("usages", &info.usages),
        ("tests", &info.tests),
        ("docs", &info.docs),
        ("related", &info.related),
    ] {
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
        let _ = writeln!(
            out,
            "  {} {} ({}{guessed})",
            relation.edge,
            safe(&relation.symbol),
            safe(&relation.seen_at)
        );
    }
}

/// Writes a score, term by term.
pub fn why(answer: &WhyAnswer) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{} ({}:{})", safe(&answer.symbol), safe(&answer.file), answer.line);
    match answer.rank {
        None => drop(writeln!(out, "{}", answer.note)),
        Some(rank) => {
            let _ = writeln!(
                out,
                "rank {rank} of {}, score {:.2}; sum {:.4}, the best has {:.4}",
                answer.of, answer.shown_score, answer.score, answer.best_score
            );
            for term in &answer.terms {
                let place =
                    term.rank.map(|rank| format!("  {rank}. of {}", answer.of)).unwrap_or_default();
                let _ = writeln!(
                    out,
                    "  {:>12} {:>8.4} × {:>8.4} = {:>8.4}{place}",
                    term.signal, term.value, term.weight, term.contribution
                );
            }
            if answer.adjustment.abs() > 1e-6 {
                let _ = writeln!(out, "  {:>12} {:>30.4}", "kind of file", answer.adjustment);
            }
        }
    }
    for line in why_not(answer) {
        let _ = writeln!(out, "{}", safe(&line));
    }
    let _ = writeln!(out, "looked for: {}", safe(&answer.looked_for.join(" ")));
    out
}

/// Says what brought the symbol here and what it lacks, a line each.
pub fn why_not(answer: &WhyAnswer) -> Vec<String> {
    let mut lines = Vec::new();
    if !answer.channels.is_empty() {
        let places: Vec<String> = answer
            .channels
            .iter()
            .map(|found| format!("{} {}. of {}", found.channel, found.rank, found.of))
            .collect();
        lines.push(format!("found by: {}", places.join(", ")));
    }
    if !answer.path.is_empty() {
        lines.push(format!("brought by: {}", answer.path.join("; ")));
    }
    if let Some(missing) = answer.missing {
        let ways: Vec<String> = answer
            .raise
            .iter()
            .take(4)
            .map(|raise| format!("{} {:.2} → {:.2}", raise.signal, raise.from, raise.to))
            .collect();
        let ways = if ways.is_empty() {
            "no single signal would do".to_owned()
        } else {
            format!("one of: {}", ways.join(", "))
        };
        lines.push(format!("to enter the first ten it lacks {missing:.3}; {ways}"));
    }
    lines
}

/// Writes what entered and left.
pub fn diff(diff: &PackDiff) -> String {
    let mut out = String::new();
    for (mark, entries) in [("+", &diff.entered), ("-", &diff.left), ("~", &diff.changed)] {
        for entry in entries {
            let _ = writeln!(
                out,
                "{mark} {} {} [{}] {}",
                safe(&entry.file_rel_path),
                safe(&entry.name),
                entry.section,
                safe(&entry.why)
            );
        }
    }
    let _ = writeln!(
        out,
        "{} unchanged{}",
        diff.unchanged,
        if diff.same_index { "" } else { ", the index differs" }
    );
    out
}
