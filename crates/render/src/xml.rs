//! Packs as the `<project_context>` block of prompts: by file, the best first.

use contextd_ops::Hits;
use contextd_pack::{ContextItem, ContextPack, chunk_kind};
use std::collections::BTreeMap;
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

impl<'a> Snippet<'a> {
    /// Returns the parts of the snippet that lie outside of lines that are shown already. A text that is
    /// not just its lines (a signature, an outline, one that was cut) stays as it is.
    fn outside(self, shown: &[(u32, u32)]) -> Vec<Snippet<'a>> {
        let (first, last) = self.lines;
        let is_hidden = |line: u32| shown.iter().any(|&(start, end)| (start..=end).contains(&line));
        if !self.is_lines() || !(first..=last).any(is_hidden) {
            return vec![self];
        }
        let mut parts: Vec<Snippet<'a>> = Vec::new();
        let mut at = 0;
        for (number, line) in (first..=last).zip(self.text.split_inclusive('\n')) {
            let end = at + line.len();
            match parts.last_mut() {
                _ if is_hidden(number) => {}
                Some(part) if part.lines.1 + 1 == number => {
                    part.lines.1 = number;
                    part.text = &self.text[end - line.len() - part.text.len()..end];
                }
                _ => parts.push(Snippet {
                    lines: (number, number),
                    text: &self.text[at..end],
                    ..self
                }),
            }
            at = end;
        }
        parts.iter_mut().for_each(|part| part.text = part.text.trim_end_matches('\n'));
        parts.retain(|part| !part.text.trim().is_empty());
        parts
    }

    /// True when the text is the lines it names.
    fn is_lines(&self) -> bool {
        self.text.lines().count() as u64
            == u64::from(self.lines.1) + 1 - u64::from(self.lines.0.min(self.lines.1))
    }
}

/// Writes a pack as one context block.
pub fn pack(pack: &ContextPack) -> String {
    let notes: String = pack
        .notes
        .iter()
        .map(|note| {
            format!("<note kind=\"{}\">{}</note>\n", escaped(&note.kind), escaped(&note.text))
        })
        .collect();
    block(pack.items().flat_map(of_runs).collect()).replacen(
        "<project_context>\n",
        &format!("<project_context>\n{notes}"),
        1,
    )
}

/// Writes hits as one context block.
pub fn hits(hits: &Hits) -> String {
    block(
        hits.hits
            .iter()
            .map(|hit| Snippet {
                path: &hit.file,
                label: &hit.symbol,
                kind: &hit.chunk_kind,
                language: &hit.language,
                score: hit.score,
                lines: (hit.start_line, hit.end_line),
                stale: hit.stale,
                text: &hit.snippet,
            })
            .collect(),
    )
}

/// Returns a snippet for each run of lines that an item shows; one for an item that shows no lines.
fn of_runs(item: &ContextItem) -> Vec<Snippet<'_>> {
    let mut snippets = Vec::new();
    let mut at = 0;
    let text = item.excerpt.text.as_str();
    for run in &item.excerpt.lines {
        let lines = text[at..].split_inclusive('\n').take((run.end + 1 - run.start) as usize);
        let end = at + lines.map(str::len).sum::<usize>();
        let part = text[at..end].trim_end_matches('\n');
        snippets.push(Snippet { lines: (run.start, run.end), text: part, ..of_item(item) });
        at = end;
    }
    if snippets.is_empty() {
        snippets.push(of_item(item));
    }
    snippets
}

fn of_item(item: &ContextItem) -> Snippet<'_> {
    let kind = contextd_pack::symbol_kind(&item.symbol_kind);
    Snippet {
        path: &item.file_rel_path,
        label: &item.name,
        kind: chunk_kind(kind, &item.language_id),
        language: &item.language_id,
        score: item.scores.hybrid_score,
        lines: (item.lines.start, item.lines.end),
        stale: item.stale,
        text: &item.excerpt.text,
    }
}

fn block(mut snippets: Vec<Snippet<'_>>) -> String {
    let best = |path: &str, all: &[Snippet<'_>]| {
        all.iter()
            .filter(|snippet| snippet.path == path)
            .map(|snippet| snippet.score)
            .fold(0.0, f64::max)
    };
    let scores: Vec<f64> = snippets.iter().map(|snippet| best(snippet.path, &snippets)).collect();
    let mut keyed: Vec<(f64, Snippet<'_>)> = scores.into_iter().zip(snippets.drain(..)).collect();
    keyed.sort_by(|(one, a), (two, b)| {
        two.total_cmp(one)
            .then_with(|| a.path.cmp(b.path))
            .then_with(|| b.score.total_cmp(&a.score))
            .then(a.lines.cmp(&b.lines))
    });
    let mut out = String::from("<project_context>\n");
    // Lines of a file are shown once, with the best of its snippets that has them.
    let mut shown: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
    let mut parts = Vec::new();
    for (_, snippet) in keyed {
        let lines = shown.entry(snippet.path).or_default();
        let taken = snippet.is_lines().then_some(snippet.lines);
        parts.extend(snippet.outside(lines));
        lines.extend(taken);
    }
    for snippet in parts {
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
    plain(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Characters that XML does not have, and those that steer terminals, are written out.
fn plain(text: &str) -> String {
    crate::safe(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn snippet<'a>(lines: (u32, u32), score: f64, text: &'a str) -> Snippet<'a> {
        Snippet {
            path: "a.py",
            label: "a",
            kind: "CODE",
            language: "python",
            score,
            lines,
            stale: false,
            text,
        }
    }

    /// The lines that a block shows, with their numbers.
    fn shown(block: &str) -> Vec<(u32, String)> {
        let mut found = Vec::new();
        for part in block.split("<snippet ").skip(1) {
            let first: u32 =
                part.split("lines=\"").nth(1).unwrap().split('-').next().unwrap().parse().unwrap();
            let text = part.split("<![CDATA[\n").nth(1).unwrap().split("\n]]>").next().unwrap();
            found.extend(
                text.split('\n').enumerate().map(|(at, line)| (first + at as u32, line.to_owned())),
            );
        }
        found
    }

    #[test]
    fn overlapping_lines_are_shown_once() {
        let block = block(vec![
            snippet((1, 3), 0.9, "one\ntwo\nthree"),
            snippet((2, 5), 0.5, "two\nthree\nfour\nfive"),
            snippet((3, 3), 0.4, "three"),
            snippet((1, 9), 0.3, "def a():"),
        ]);
        let lines: Vec<String> =
            shown(&block).into_iter().map(|(number, line)| format!("{number} {line}")).collect();
        assert_eq!(lines, ["1 one", "2 two", "3 three", "4 four", "5 five", "1 def a():"]);
    }

    proptest! {
        #[test]
        fn every_line_of_every_snippet_is_there_just_once(ranges in proptest::collection::vec((1u32..30, 0u32..12, 0u32..100), 1..8)) {
            let texts: Vec<String> = ranges.iter().map(|&(first, more, _)| (first..=first + more).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n")).collect();
            let snippets = ranges.iter().zip(&texts).map(|(&(first, more, score), text)| snippet((first, first + more), f64::from(score) / 100.0, text)).collect();
            let mut found = shown(&block(snippets));
            found.sort();
            let mut wanted: Vec<(u32, String)> = ranges.iter().flat_map(|&(first, more, _)| first..=first + more).map(|line| (line, format!("line {line}"))).collect();
            wanted.sort();
            wanted.dedup();
            prop_assert_eq!(found, wanted);
        }
    }
}
