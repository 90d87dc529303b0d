//! What a change reaches, for people.

use crate::safe::safe;
use contextd_ops::{Impact, ImpactItem, TestScope};
use std::fmt::Write as _;

/// Writes the tests of a change, each with the way that leads to it.
pub fn tests(scope: &TestScope) -> String {
    let mut out = String::new();
    for changed in &scope.changed {
        let _ = writeln!(out, "changed: {}", safe(changed));
    }
    for test in &scope.tests {
        let _ = writeln!(
            out,
            "{} ({:.2}{})",
            safe(&test.id),
            test.confidence,
            if test.certainty == "known" { "" } else { ", guessed" }
        );
        for step in &test.path {
            let _ = writeln!(out, "  {}", safe(step));
        }
    }
    if scope.tests.is_empty() {
        out.push_str("No test reaches it.\n");
    }
    let _ = writeln!(
        out,
        "{} of {} tests{}",
        scope.found,
        scope.total,
        if scope.cut { "; more lies beyond the cap" } else { "" }
    );
    out
}

/// Writes what leans on something, what is known before what is guessed.
pub fn impact(impact: &Impact) -> String {
    let mut out = String::new();
    for certainty in ["known", "guessed"] {
        let items: Vec<&ImpactItem> =
            impact.items.iter().filter(|item| item.certainty == certainty).collect();
        if !items.is_empty() {
            let _ = writeln!(out, "# {certainty}");
        }
        items.iter().for_each(|item| write_item(&mut out, item));
    }
    if impact.items.is_empty() {
        out.push_str("Nothing in the index leans on it.\n");
    }
    list(
        &mut out,
        "# tests",
        impact.test_cases.iter().map(|test| format!("{} ({:.2})", test.id, test.confidence)),
    );
    if !impact.docs.is_empty() {
        out.push_str("# docs\n");
        impact.docs.iter().for_each(|item| write_item(&mut out, item));
    }
    list(&mut out, "# public surface", impact.public.iter().cloned());
    let (least, more) =
        if impact.cut { ("at least ", "; more lies beyond the cap") } else { ("", "") };
    let _ = writeln!(
        out,
        "{} known, {} guessed; {least}{} files, {least}{} files of tests{more}",
        impact.known,
        impact.guessed,
        impact.files.len(),
        impact.tests.len()
    );
    out
}

/// Lines of one list that are written; the JSON has them all.
const SHOWN: usize = 40;

fn list(out: &mut String, name: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "{name}");
    for line in lines.iter().take(SHOWN) {
        let _ = writeln!(out, "{}", safe(line));
    }
    if lines.len() > SHOWN {
        let _ = writeln!(out, "and {} more", lines.len() - SHOWN);
    }
}

fn write_item(out: &mut String, item: &ImpactItem) {
    let test = if item.test { " test" } else { "" };
    let _ = writeln!(
        out,
        "{} {}:{} {} {}{test}: {}",
        item.distance,
        safe(&item.file),
        item.line,
        item.kind,
        safe(&item.symbol),
        safe(&item.through)
    );
}
