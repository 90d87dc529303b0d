//! The change in few lines: every changed file and symbol by name, then what matters about them.

use super::Facts;
use contextd_engine::{ChangedFile, ChangedSymbol, SymbolChange};
use contextd_history::ChangeKind;
use contextd_pack::Tokenizer;
use std::fmt::Write as _;

/// How much a summary says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    /// Names with both declarations where they differ.
    Full,
    /// Names alone.
    Names,
    /// Numbers of symbols in each file.
    Counts,
}

/// Returns the longest form that takes at most so many tokens, or the shortest.
pub fn summary(facts: &Facts<'_>, tokenizer: Tokenizer, most: usize) -> String {
    let mut text = String::new();
    for length in [Length::Full, Length::Names, Length::Counts] {
        text = write(facts, length);
        if tokenizer.count(&text) <= most {
            return text;
        }
    }
    let (cut, _) = contextd_pack::texts::cut(&text, most * 3);
    format!("{cut}\n…")
}

/// Returns the first line.
pub fn title(facts: &Facts<'_>) -> String {
    let change = facts.change;
    let (added, removed) = change
        .files
        .iter()
        .fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed));
    format!(
        "{}: {} files, +{added} -{removed} lines, {} symbols",
        change.label,
        change.files.len(),
        change.symbols.len()
    )
}

fn write(facts: &Facts<'_>, length: Length) -> String {
    let mut out = title(facts);
    out.push('\n');
    for file in &facts.change.files {
        write_file(&mut out, facts, file, length);
    }
    let _ = writeln!(
        out,
        "risk: {} ({:.2}){}{}",
        facts.risk.level(),
        facts.risk.score,
        if facts.risk.reasons.is_empty() { "" } else { ": " },
        facts.risk.reasons.join("; ")
    );
    let _ = writeln!(
        out,
        "tests reached: {} of {}",
        facts.tests.len(),
        facts.reader.suite().tests.len()
    );
    if !facts.company.owners.is_empty() {
        let _ = writeln!(out, "owners: {}", facts.company.all_owners().join(" "));
    } else if !facts.company.authors.is_empty() {
        let _ = writeln!(out, "lately by: {}", facts.company.authors.join(", "));
    }
    if facts.change.outside > 0 {
        let _ = writeln!(out, "{} changed files lie outside the root", facts.change.outside);
    }
    for problem in facts.change.problems.iter().take(3) {
        let _ = writeln!(out, "note: {problem}");
    }
    out.trim_end().to_owned()
}

fn write_file(out: &mut String, facts: &Facts<'_>, file: &ChangedFile, length: Length) {
    let kind = match file.kind {
        ChangeKind::Added => "added ",
        ChangeKind::Deleted => "deleted ",
        _ => "",
    };
    let from = file.from.as_ref().map(|from| format!(" (was {from})")).unwrap_or_default();
    let size = if file.binary {
        "binary".to_owned()
    } else {
        format!("+{} -{}", file.added, file.removed)
    };
    let owners = facts
        .company
        .owners
        .get(&file.path)
        .map(|owners| format!(" {}", owners.join(" ")))
        .unwrap_or_default();
    let _ = writeln!(out, "{kind}{}{from} {size}{owners}", file.path);
    let symbols: Vec<&ChangedSymbol> = facts
        .change
        .symbols
        .iter()
        .filter(|symbol| symbol.path == file.path || Some(&symbol.path) == file.from.as_ref())
        .collect();
    if length == Length::Counts {
        let _ = writeln!(out, "  {} symbols", symbols.len());
        return;
    }
    for symbol in symbols {
        let _ = writeln!(
            out,
            "  {} {} {}{}",
            symbol.change.name(),
            symbol.kind.name(),
            symbol.name,
            declarations(symbol, length)
        );
    }
}

fn declarations(symbol: &ChangedSymbol, length: Length) -> String {
    if length != Length::Full || symbol.change != SymbolChange::Signature {
        return String::new();
    }
    format!("\n    - {}\n    + {}", symbol.before, symbol.signature)
}
