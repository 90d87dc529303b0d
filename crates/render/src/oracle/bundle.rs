//! A bundle as text.

use crate::safe::safe;
use contextd_ops::oracle::Bundle;
use std::fmt::Write as _;

/// Writes a bundle for people and prompts, as Markdown.
pub fn text(bundle: &Bundle) -> String {
    let mut out = String::new();
    for focus in std::iter::once(&bundle.focus).chain(&bundle.also) {
        let owners = if focus.owners.is_empty() {
            String::new()
        } else {
            format!(", owned by {}", focus.owners.join(", "))
        };
        let _ = writeln!(
            out,
            "# {} ({})\n{}",
            safe(&focus.ref_id),
            safe(&focus.kind),
            safe(&focus.summary)
        );
        let _ = writeln!(
            out,
            "{}: {} commits in 30 days{}",
            focus.activity.level,
            focus.activity.commits_30d,
            safe(&owners)
        );
    }
    if let Some(warning) = &bundle.warning {
        let _ = writeln!(out, "warning: {}", safe(warning));
    }
    heading(&mut out, "Around it", bundle.graph.nodes.len() > 1);
    for node in bundle.graph.nodes.iter().filter(|node| node["distance"] != 0) {
        let text = |key: &str| safe(node[key].as_str().unwrap_or_default()).into_owned();
        let _ = writeln!(out, "- {} {}: {}", text("kind"), text("ref_id"), text("summary"));
    }
    for edge in bundle.graph.edges.iter().filter(|edge| edge.src != edge.dst) {
        let _ = writeln!(out, "  {} {} {}", safe(&edge.src), safe(&edge.kind), safe(&edge.dst));
    }
    heading(&mut out, "Rules in force", !bundle.constraints.is_empty());
    for rule in &bundle.constraints {
        let _ = writeln!(
            out,
            "- {} [{} {}]: {}",
            safe(&rule.rule),
            rule.kind,
            rule.severity,
            safe(&rule.description)
        );
    }
    heading(&mut out, "Stale documents", !bundle.sync_status.stale_docs.is_empty());
    for stale in &bundle.sync_status.stale_docs {
        let _ = writeln!(out, "- {}: {}", safe(&stale.doc_path), safe(&stale.reasons.join("; ")));
    }
    heading(&mut out, "Code", !bundle.code_symbols.is_empty());
    for symbol in &bundle.code_symbols {
        let _ = writeln!(
            out,
            "- {}:{}-{} {} {}",
            safe(&symbol.file_path),
            symbol.line_start,
            symbol.line_end,
            symbol.kind,
            safe(&symbol.symbol_name)
        );
    }
    heading(&mut out, "Routes", !bundle.routes.is_empty());
    for route in &bundle.routes {
        let _ = writeln!(
            out,
            "- {} {} ({}:{})",
            safe(&route.method),
            safe(&route.path),
            safe(&route.file_path),
            route.line
        );
    }
    heading(&mut out, "Tests", bundle.tests.count > 0 || !bundle.tests.command.is_empty());
    if !bundle.tests.command.is_empty() {
        let _ = writeln!(out, "- run `{}`", safe(&bundle.tests.command));
    }
    for file in &bundle.tests.files {
        let _ = writeln!(out, "- {}", safe(file));
    }
    heading(&mut out, "Documents", !bundle.text_chunks.is_empty());
    for chunk in &bundle.text_chunks {
        let _ = writeln!(
            out,
            "### {} · {} [{}]\n{}\n",
            safe(&chunk.doc_path),
            safe(&chunk.heading),
            chunk.section,
            safe(&chunk.content)
        );
    }
    out
}

fn heading(out: &mut String, name: &str, wanted: bool) {
    if wanted {
        let _ = writeln!(out, "\n## {name}");
    }
}
