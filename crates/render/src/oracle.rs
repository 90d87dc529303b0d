//! Answers about declared knowledge, for people and for the tools that read them.

mod bundle;
mod lint;
mod picture;

use crate::Format;
use crate::safe::safe;
use contextd_ops::oracle::{Oracle, RefTree, SyncReport};
use contextd_pack::canonical;
use std::fmt::Write as _;

/// Writes an answer; a format that it does not have is written as text.
pub fn text(answer: &Oracle, format: Format) -> String {
    match (answer, format) {
        (_, Format::Json | Format::Bundle) => canonical::to_string(&answer.to_json()),
        (Oracle::Lint(report), Format::Github) => lint::github(report),
        (Oracle::Lint(report), Format::Sarif) => lint::sarif(report),
        (Oracle::Lint(report), _) => lint::text(report),
        (Oracle::Picture(picture), Format::Dot) => picture::dot(picture),
        (Oracle::Picture(picture), _) => picture::mermaid(picture),
        (Oracle::Sync(report), Format::Porcelain) => porcelain(report),
        (Oracle::Sync(report), Format::Github) => sync_github(report),
        (Oracle::Sync(report), _) => sync(report),
        (Oracle::Bundle(own), _) => bundle::text(own),
        (Oracle::Unchanged { etag }, _) => format!("unchanged, etag {}\n", safe(etag)),
        (Oracle::Brief(brief), _) => safe(&brief.text()).into_owned(),
        (Oracle::Tree(own), _) => tree(own),
    }
}

fn sync(report: &SyncReport) -> String {
    let mut out = String::new();
    for pair in report.pairs.iter().filter(|pair| pair.status != "ok") {
        let section = if pair.section.is_empty() {
            String::new()
        } else {
            format!("#{}", safe(&pair.section))
        };
        let joined = if pair.ref_id.is_empty() {
            String::new()
        } else {
            format!(" [{}]", safe(&pair.ref_id))
        };
        let edited = if pair.doc_changed { "; the document was edited since" } else { "" };
        if pair.status == "unknown" && pair.reasons.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{} {}{section}{joined}{edited}", pair.status, safe(&pair.doc_path));
        for reason in &pair.reasons {
            let _ = writeln!(out, "  {}", reason.reason);
            for detail in reason.details.iter().take(12) {
                let _ = writeln!(out, "    {}", safe(detail));
            }
            if reason.details.len() > 12 {
                let _ = writeln!(out, "    and {} more", reason.details.len() - 12);
            }
        }
        if pair.status == "stale" {
            let name = if pair.ref_id.is_empty() { &pair.doc_path } else { &pair.ref_id };
            let _ = writeln!(out, "  when it agrees again: contextd docs update {}", safe(name));
        }
    }
    for name in &report.unknown {
        let _ = writeln!(out, "not found: {}", safe(name));
    }
    let summary = &report.summary;
    let updated =
        if summary.updated > 0 { format!("{} recorded, ", summary.updated) } else { String::new() };
    let unknown = if summary.unknown > 0 {
        format!(", {} without a record", summary.unknown)
    } else {
        String::new()
    };
    let _ = writeln!(out, "{updated}{} fresh, {} stale{unknown}", summary.ok, summary.stale);
    if !report.note.is_empty() {
        let _ = writeln!(out, "{}", report.note);
    }
    out
}

/// One line a pair, parts separated by tabs: status, ref, document, section, reason.
fn porcelain(report: &SyncReport) -> String {
    report
        .pairs
        .iter()
        .map(|pair| {
            format!(
                "{}\t{}\t{}\t{}\t{}\n",
                pair.status,
                safe(&pair.ref_id),
                safe(&pair.doc_path),
                safe(&pair.section),
                pair.reason
            )
        })
        .collect()
}

fn sync_github(report: &SyncReport) -> String {
    let stale = report.pairs.iter().filter(|pair| pair.status == "stale");
    stale
        .map(|pair| {
            lint::annotation(
                "error",
                &pair.doc_path,
                pair.line,
                "stale document",
                &pair
                    .reasons
                    .iter()
                    .map(|reason| format!("{}: {}", reason.reason, reason.details.join(", ")))
                    .collect::<Vec<_>>()
                    .join("; "),
            )
        })
        .collect()
}

fn tree(tree: &RefTree) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{} {}: {}", safe(&tree.kind), safe(&tree.ref_id), safe(&tree.summary));
    for (name, lines) in [("leans on", &tree.upstream), ("is leaned on by", &tree.downstream)] {
        let _ = writeln!(out, "{name}:{}", if lines.is_empty() { " nothing" } else { "" });
        for line in lines {
            let _ = writeln!(
                out,
                "{}{} {}: {}",
                "  ".repeat(line.level as usize),
                safe(&line.edge),
                safe(&line.ref_id),
                safe(&line.summary)
            );
        }
    }
    out
}
