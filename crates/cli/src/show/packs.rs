//! Packs, hits and differences between packs.

use super::{Page, counted, grouped};
use contextd_ops::Hits;
use contextd_pack::{ContextItem, ContextPack, PackDiff};
use contextd_render::safe;
use owo_colors::OwoColorize as _;

/// Lines after which items are only named.
const FULL: usize = 120;
/// Lines after which nothing more is shown.
const NAMED: usize = 160;
/// Lines of one item; the first ones may be twice as long.
const ITEM: usize = 16;
/// Lines of a summary before its end.
const SUMMARY: usize = 20;

pub fn pack(page: &mut Page, pack: &ContextPack) {
    let mut left = 0;
    let mut shown = 0;
    let about = pack
        .sections
        .iter()
        .flat_map(|section| &section.items)
        .find(|item| item.kind == "summary")
        .map_or("", |item| item.why.rule.as_str());
    for section in pack.sections.iter().filter(|section| !section.items.is_empty()) {
        if page.lines() >= NAMED {
            left += section.items.len();
            continue;
        }
        page.heading(heading(about, &section.kind));
        let commits = section.items.iter().filter(|own| own.kind == "commit").count();
        for own in &section.items {
            // A list of commits that follow one by one says nothing more.
            if own.kind == "summary"
                && about == "recent-summary"
                && commits >= own.excerpt.text.lines().count()
            {
                continue;
            }
            match page.lines() {
                ..FULL => item(page, own, if shown < 3 { 2 * ITEM } else { ITEM }),
                FULL..NAMED => place(page, own),
                _ => left += 1,
            }
            shown += 1;
        }
    }
    page.more(left, "items", "--json has all");
    page.gap();
    if pack.stats.items == 0 {
        page.line(pack.nothing());
    }
    if let Some(explain) = pack.explain.as_ref().filter(|explain| !explain.not_found.is_empty()) {
        page.line(format!(
            "{} {}",
            "not in the index:".yellow(),
            safe(&explain.not_found.join(", "))
        ));
    }
    if pack.stats.items == 0 {
        return;
    }
    let most = pack.budgets.max_total_tokens;
    let mut end = format!(
        "{}, {} of {} tokens",
        counted(u64::from(pack.stats.items), "item"),
        grouped(pack.stats.tokens),
        grouped(most)
    );
    let dropped: u32 = pack.stats.dropped.values().sum();
    if dropped > 0 {
        let why: Vec<String> =
            pack.stats.dropped.iter().map(|(why, count)| format!("{why} {count}")).collect();
        end += &format!(" · left out: {}", why.join(", "));
    }
    page.line(end.dimmed().to_string());
}

/// Returns what a section is called: in answers about changes the names of packs say nothing.
fn heading<'k>(about: &str, kind: &'k str) -> &'k str {
    match (about, kind) {
        ("change-summary", "seeds") => "the change",
        ("recent-summary", "seeds") => "commits",
        ("recent-summary", "usages") => "what they changed",
        ("recent-summary", "related") => "touched most",
        _ => kind,
    }
}

fn place(page: &mut Page, item: &ContextItem) {
    let score = if item.why.path.is_empty() && item.scores.hybrid_score > 0.0 {
        format!("{:.2}", item.scores.hybrid_score)
    } else {
        String::new()
    };
    // A file's own name is its path.
    let name = if item.name == item.file_rel_path { "" } else { &item.name };
    // The difference of a file begins where its first change is.
    let lines = if item.lines.start == 0 {
        super::code::first_change(&item.excerpt.text).map_or((0, 0), |first| (first, first))
    } else {
        (item.lines.start, item.lines.end)
    };
    page.place(&item.file_rel_path, lines, &item.symbol_kind, name, &score);
}

/// What was changed in all: its end, with risks and tests, is worth as much as its beginning.
fn summary(page: &mut Page, item: &ContextItem) {
    let lines: Vec<&str> = item.excerpt.text.lines().collect();
    let cut = lines.len().saturating_sub(SUMMARY + 4);
    for (at, line) in lines.iter().enumerate() {
        match at {
            at if cut > 0 && at == SUMMARY => page.more(cut, "lines", "--json has all"),
            at if at < SUMMARY || at >= SUMMARY + cut => page.prose(&safe(line)),
            _ => {}
        }
    }
}

fn item(page: &mut Page, item: &ContextItem, most: usize) {
    match item.kind.as_str() {
        "summary" => return summary(page, item),
        "commit" => return commit(page, item),
        _ => place(page, item),
    }
    let reason = contextd_render::why(item);
    let marks = contextd_render::marks(item);
    if !reason.is_empty() || !marks.is_empty() {
        page.remark(format!("{reason}{marks}").trim());
    }
    let text = &item.excerpt.text;
    match item.kind.as_str() {
        "diff" if text.starts_with("@@") => {
            page.difference(text, item.why.rule != "changed-recently", most)
        }
        // What is no longer there has no line.
        "diff" | "removed" => page.some_code(text, None, item.excerpt.truncated, most),
        _ => page.some_code(text, first_line(item), item.excerpt.truncated, most),
    }
}

/// Returns the line at which an item's text begins: its own first one, or that of a window around a use.
fn first_line(item: &ContextItem) -> Option<u32> {
    if item.excerpt.detail != "body" || item.lines.start == 0 {
        return None;
    }
    let text = item.excerpt.text.trim_end();
    let holds_name = || {
        text.lines()
            .next()
            .is_some_and(|line| line.contains(item.name.rsplit('.').next().unwrap_or_default()))
    };
    match item.kind.as_str() {
        _ if contextd_ops::window(item).is_some() => contextd_ops::window(item),
        "symbol" if item.why.rule.starts_with("changed:") => Some(item.lines.start),
        // A comment may stand before the symbol: whole text ends where the symbol ends.
        "symbol" if !item.excerpt.truncated => {
            Some((item.lines.end + 1).saturating_sub(text.lines().count() as u32).max(1))
        }
        "symbol" => holds_name().then_some(item.lines.start),
        _ => Some(item.lines.start),
    }
}

/// A commit is its name and its message.
fn commit(page: &mut Page, item: &ContextItem) {
    let mut lines = item.excerpt.text.lines();
    let first = lines.next().unwrap_or_default();
    let first = first.strip_prefix(item.name.as_str()).unwrap_or(first).trim_start();
    page.prose(&format!("{} {}", item.name.cyan(), safe(first)));
    lines.filter(|line| !line.trim().is_empty()).take(ITEM / 2).for_each(|line| page.remark(line));
}

pub fn hits(page: &mut Page, hits: &Hits) {
    for hit in &hits.hits {
        page.gap();
        page.place(
            &hit.file,
            (hit.start_line, hit.end_line),
            &hit.kind,
            &hit.symbol,
            &format!("{:.2}", hit.score),
        );
        if hit.stale {
            page.remark("the file has changed since it was indexed");
        }
        page.code(&hit.snippet, Some(hit.start_line), false);
    }
    page.gap();
    if hits.hits.is_empty() {
        page.line(hits.nothing());
    }
    if !hits.not_found.is_empty() {
        page.line(format!("{} {}", "not in the index:".yellow(), safe(&hits.not_found.join(", "))));
    }
    if !hits.hits.is_empty() {
        page.line(
            format!(
                "{} of {}, {} tokens",
                counted(hits.hits.len() as u64, "place"),
                grouped(u64::from(hits.total)),
                grouped(hits.total_tokens)
            )
            .dimmed()
            .to_string(),
        );
    }
}

pub fn diff(page: &mut Page, diff: &PackDiff) {
    for (mark, entries) in [('+', &diff.entered), ('-', &diff.left), ('~', &diff.changed)] {
        for entry in entries {
            let line = format!("{mark} {} {}", safe(&entry.file_rel_path), safe(&entry.name));
            let line = match mark {
                '+' => line.green().to_string(),
                '-' => line.red().to_string(),
                _ => line.yellow().to_string(),
            };
            page.line(format!(
                "{line}  {}",
                format!("{} · {}", entry.section, safe(&entry.why)).dimmed()
            ));
        }
    }
    page.line(
        format!(
            "{} unchanged{}",
            grouped(u64::from(diff.unchanged)),
            if diff.same_index { "" } else { "; the index differs" }
        )
        .dimmed()
        .to_string(),
    );
}
