//! Packs, hits and differences between packs.

use super::{Page, counted, grouped};
use contextd_ops::Hits;
use contextd_pack::{ContextItem, ContextPack, PackDiff};
use contextd_render::safe;
use owo_colors::OwoColorize as _;

pub fn pack(page: &mut Page, pack: &ContextPack) {
    for section in pack.sections.iter().filter(|section| !section.items.is_empty()) {
        page.heading(&section.kind);
        section.items.iter().for_each(|own| item(page, own));
    }
    page.gap();
    if pack.stats.items == 0 {
        page.line("Nothing was found.");
    }
    if let Some(explain) = pack.explain.as_ref().filter(|explain| !explain.not_found.is_empty()) {
        page.line(format!("{} {}", "not in the index:".yellow(), safe(&explain.not_found.join(", "))));
    }
    let most = pack.budgets.max_total_tokens;
    let mut end = format!("{}, {} of {} tokens", counted(u64::from(pack.stats.items), "item"), grouped(pack.stats.tokens), grouped(most));
    let dropped: u32 = pack.stats.dropped.values().sum();
    if dropped > 0 {
        let why: Vec<String> = pack.stats.dropped.iter().map(|(why, count)| format!("{why} {count}")).collect();
        end += &format!(" · left out: {}", why.join(", "));
    }
    page.line(end.dimmed().to_string());
}

fn item(page: &mut Page, item: &ContextItem) {
    let score = if item.why.path.is_empty() { format!("{:.2}", item.scores.hybrid_score) } else { String::new() };
    page.place(&item.file_rel_path, (item.lines.start, item.lines.end), &item.symbol_kind, &item.name, &score);
    let reason = contextd_render::why(item);
    let marks = contextd_render::marks(item);
    if !reason.is_empty() || !marks.is_empty() {
        page.remark(format!("{reason}{marks}").trim());
    }
    let whole = item.excerpt.detail == "body";
    page.code(&item.excerpt.text, whole.then_some(item.lines.start), item.excerpt.truncated);
}

pub fn hits(page: &mut Page, hits: &Hits) {
    for hit in &hits.hits {
        page.gap();
        page.place(&hit.file, (hit.start_line, hit.end_line), &hit.kind, &hit.symbol, &format!("{:.2}", hit.score));
        if hit.stale {
            page.remark("the file has changed since it was indexed");
        }
        page.code(&hit.snippet, Some(hit.start_line), false);
    }
    page.gap();
    if hits.hits.is_empty() {
        page.line("Nothing was found. Try other words, or fewer filters.");
    }
    if !hits.not_found.is_empty() {
        page.line(format!("{} {}", "not in the index:".yellow(), safe(&hits.not_found.join(", "))));
    }
    if !hits.hits.is_empty() {
        page.line(format!("{} of {}, {} tokens", counted(hits.hits.len() as u64, "place"), grouped(u64::from(hits.total)), grouped(hits.total_tokens)).dimmed().to_string());
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
            page.line(format!("{line}  {}", format!("{} · {}", entry.section, safe(&entry.why)).dimmed()));
        }
    }
    page.line(format!("{} unchanged{}", grouped(u64::from(diff.unchanged)), if diff.same_index { "" } else { "; the index differs" }).dimmed().to_string());
}
