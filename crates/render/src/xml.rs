//! Packs as the `<project_context>` block of prompts: by file, the best first.

use contextd_ops::Hits;
use contextd_pack::{ContextItem, ContextPack, chunk_kind};
use std::fmt::Write as _;

struct Snippet<'a> {
    path: &'a str,
    label: &'a str,
    kind: &'a str,
    language: &'a str,
    score: f64,
    lines: (u32, u32),
    stale: bool,
    text: &'a str,
}

/// Writes a pack as one context block.
pub fn pack(pack: &ContextPack) -> String {
    let notes: String = pack.notes.iter().map(|note| format!("<note kind=\"{}\">{}</note>\n", escaped(&note.kind), escaped(&note.text))).collect();
    block(pack.items().map(of_item).collect()).replacen("<project_context>\n", &format!("<project_context>\n{notes}"), 1)
}

/// Writes hits as one context block.
pub fn hits(hits: &Hits) -> String {
    block(hits.hits.iter().map(|hit| Snippet { path: &hit.file, label: &hit.symbol, kind: &hit.chunk_kind, language: &hit.language, score: hit.score, lines: (hit.start_line, hit.end_line), stale: hit.stale, text: &hit.snippet }).collect())
}

fn of_item(item: &ContextItem) -> Snippet<'_> {
    let kind = contextd_pack::symbol_kind(&item.symbol_kind);
    Snippet { path: &item.file_rel_path, label: &item.name, kind: chunk_kind(kind, &item.language_id), language: &item.language_id, score: item.scores.hybrid_score, lines: (item.lines.start, item.lines.end), stale: item.stale, text: &item.excerpt.text }
}

fn block(mut snippets: Vec<Snippet<'_>>) -> String {
    let best = |path: &str, all: &[Snippet<'_>]| all.iter().filter(|snippet| snippet.path == path).map(|snippet| snippet.score).fold(0.0, f64::max);
    let scores: Vec<f64> = snippets.iter().map(|snippet| best(snippet.path, &snippets)).collect();
    let mut keyed: Vec<(f64, Snippet<'_>)> = scores.into_iter().zip(snippets.drain(..)).collect();
    keyed.sort_by(|(one, a), (two, b)| two.total_cmp(one).then_with(|| a.path.cmp(b.path)).then_with(|| b.score.total_cmp(&a.score)).then(a.lines.cmp(&b.lines)));
    let mut out = String::from("<project_context>\n");
    for (_, snippet) in keyed {
        let stale = if snippet.stale { " stale=\"true\"" } else { "" };
        let _ = writeln!(
            out,
            "<snippet path=\"{}\" lines=\"{}-{}\" label=\"{}\" kind=\"{}\" language=\"{}\" score=\"{:.2}\"{stale}><![CDATA[\n{}\n]]></snippet>",
            escaped(snippet.path),
            snippet.lines.0,
            snippet.lines.1,
            escaped(snippet.label),
            snippet.kind,
            escaped(snippet.language),
            snippet.score,
            // The end mark of a section cannot stand inside it.
            plain(snippet.text).replace("]]>", "]]]]><![CDATA[>"),
        );
    }
    out.push_str("</project_context>\n");
    out
}

fn escaped(text: &str) -> String {
    plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Characters that XML does not have, and those that steer terminals, are written out.
fn plain(text: &str) -> String {
    crate::safe(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
