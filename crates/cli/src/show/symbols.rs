//! Answers about one symbol.

use super::Page;
use contextd_ops::{Relation, SymbolAnswer, SymbolInfo, WhyAnswer};
use contextd_render::safe;
use owo_colors::OwoColorize as _;

pub fn symbol(page: &mut Page, answer: &SymbolAnswer) {
    for info in &answer.symbols {
        page.gap();
        one(page, info);
    }
    if !answer.others.is_empty() {
        page.heading(&format!(
            "{}{} more of that name",
            if answer.cut { "at least " } else { "" },
            answer.others.len()
        ));
        answer.others.iter().for_each(|other| page.line(format!("  {}", safe(other))));
    }
    if answer.cut {
        page.gap();
        page.line("lists are cut to the budget".dimmed().to_string());
    }
}

fn one(page: &mut Page, info: &SymbolInfo) {
    page.place(
        &info.file,
        (info.start_line, info.end_line),
        &format!("{} {}", info.visibility, info.kind),
        &info.symbol,
        "",
    );
    if info.stale {
        page.remark("the file has changed since it was indexed");
    }
    let text = if info.source.is_empty() { &info.signature } else { &info.source };
    let count = text.trim_end().lines().count() as u32;
    // Text that is whole ends where the symbol ends, wherever its comment begins.
    let first = (!info.source.is_empty() && !info.truncated)
        .then(|| (info.end_line + 1).saturating_sub(count).max(1));
    page.code(text, first, info.truncated);
    for (name, relations) in [
        ("callers", &info.callers),
        ("callees", &info.callees),
        ("usages", &info.usages),
        ("tests", &info.tests),
        ("docs", &info.docs),
        ("related", &info.related),
    ] {
        list(page, name, relations);
    }
}

fn list(page: &mut Page, name: &str, relations: &[Relation]) {
    if relations.is_empty() {
        return;
    }
    page.heading(name);
    let widest = relations
        .iter()
        .map(|relation| console::measure_text_width(&relation.symbol))
        .max()
        .unwrap_or(0)
        .min(48);
    for relation in relations {
        let guessed = if relation.certainty == "known" {
            String::new()
        } else {
            format!("  guessed {:.2}", relation.confidence)
        };
        let kind =
            if relation.edge == "calls" { String::new() } else { format!("  {}", relation.edge) };
        page.line(format!(
            "  {} {}{}{}",
            console::pad_str(&safe(&relation.symbol), widest, console::Alignment::Left, None)
                .cyan(),
            safe(&relation.seen_at).dimmed(),
            kind.dimmed(),
            guessed.yellow()
        ));
    }
}

pub fn why(page: &mut Page, answer: &WhyAnswer) {
    page.place(&answer.file, (answer.line, answer.line), "", &answer.symbol, "");
    match answer.rank {
        None => page.line(safe(&answer.note)),
        Some(rank) => {
            page.line(format!(
                "rank {} of {}, score {:.2}; sum {:.3}, the best has {:.3}",
                rank.bold(),
                answer.of,
                answer.shown_score,
                answer.score,
                answer.best_score
            ));
            terms(page, answer);
        }
    }
    page.gap();
    let widest = answer.terms.iter().map(|term| term.signal.len()).max().unwrap_or(0);
    for term in answer.terms.iter().filter(|term| term.contribution.abs() >= LEAST) {
        page.remark(&format!(
            "{:<widest$}  {}",
            term.signal,
            contextd_ops::term_about(&term.signal)
        ));
    }
    page.gap();
    contextd_render::why_not(answer).iter().for_each(|line| page.line(safe(line)));
    page.line(format!("{} {}", "looked for".dimmed(), safe(&answer.looked_for.join(" ")).dimmed()));
}

/// Share of a score from which on a term is worth telling in words.
const LEAST: f64 = 0.01;
/// Longest bar, in characters.
const BAR: f64 = 24.0;

fn terms(page: &mut Page, answer: &WhyAnswer) {
    let widest = answer.terms.iter().map(|term| term.signal.len()).max().unwrap_or(0).max(12);
    let most = answer
        .terms
        .iter()
        .map(|term| term.contribution.abs())
        .fold(answer.adjustment.abs(), f64::max)
        .max(1e-9);
    let bar = |part: f64| "▇".repeat((part.abs() / most * BAR).round() as usize);
    let coloured = |part: f64| {
        if part < 0.0 { bar(part).red().to_string() } else { bar(part).green().to_string() }
    };
    for term in &answer.terms {
        let place = term.rank.map(|rank| format!("{rank}.")).unwrap_or_default();
        page.line(format!(
            "  {:>widest$} {:>7.3} × {:>7.3} = {:>7.3} {:>6}  {}",
            term.signal,
            term.value,
            term.weight,
            term.contribution,
            place.dimmed(),
            coloured(term.contribution)
        ));
    }
    if answer.adjustment.abs() > 1e-6 {
        page.line(format!(
            "  {:>widest$} {:>27.3}  {}",
            "kind of file",
            answer.adjustment,
            coloured(answer.adjustment)
        ));
    }
}
