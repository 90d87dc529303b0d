//! What a change reaches: who leans on it, which tests run it.

use super::{Page, counted, grouped};
use contextd_ops::{Impact, ImpactItem, TestScope};
use contextd_render::safe;
use owo_colors::OwoColorize as _;

/// Rows shown of what is one step away, and of what is farther.
const NEAR: usize = 40;
const FAR: usize = 15;
/// Tests and changed symbols that are shown.
const TESTS: usize = 40;
const CHANGED: usize = 20;

pub fn impact(page: &mut Page, impact: &Impact) {
    let widest = impact
        .items
        .iter()
        .map(|item| console::measure_text_width(&item.symbol))
        .max()
        .unwrap_or(0)
        .min(48);
    for group in impact.items.chunk_by(|a, b| a.distance == b.distance) {
        let distance = group[0].distance;
        page.heading(&if distance == 1 {
            "directly".to_owned()
        } else {
            format!("{distance} steps away")
        });
        let most = if distance == 1 { NEAR } else { FAR };
        group.iter().take(most).for_each(|item| row(page, item, widest));
        page.more(
            group.len().saturating_sub(most),
            "places",
            if impact.cut { "--json has more" } else { "--json has all" },
        );
    }
    page.gap();
    if impact.items.is_empty() {
        page.line("Nothing in the index leans on it.");
    }
    let (least, cut) =
        if impact.cut { ("at least ", "; more lies beyond the cap") } else { ("", "") };
    page.line(
        format!(
            "{least}{}, {} of them with tests{cut}",
            counted(impact.files.len() as u64, "file"),
            impact.tests.len()
        )
        .dimmed()
        .to_string(),
    );
}

fn row(page: &mut Page, item: &ImpactItem, widest: usize) {
    let test = if item.test { "  test".green().to_string() } else { String::new() };
    let guessed =
        if item.certainty == "known" { String::new() } else { "  guessed".yellow().to_string() };
    let name =
        console::pad_str(&safe(&item.symbol), widest, console::Alignment::Left, None).into_owned();
    // Where it is seen says more than where the symbol begins.
    let own = format!("{}:{}", item.file, item.line);
    let (through, place) = item.through.split_once(" at ").unwrap_or((&item.through, &own));
    page.line(format!(
        "  {} {}  {}{test}{guessed}",
        name.cyan(),
        safe(place).dimmed(),
        safe(through).dimmed()
    ));
}

pub fn tests(page: &mut Page, scope: &TestScope) {
    for changed in scope.changed.iter().take(CHANGED) {
        page.line(format!("{} {}", "changed".dimmed(), safe(changed)));
    }
    page.more(
        scope.changed.len().saturating_sub(CHANGED),
        "changed",
        if scope.cut { "--json has more" } else { "--json has all" },
    );
    page.gap();
    for test in scope.tests.iter().take(TESTS) {
        let guessed = if test.certainty == "known" {
            String::new()
        } else {
            "  guessed".yellow().to_string()
        };
        // The first step says what the test does; the whole way is for programs.
        let step = test.path.first().map(|step| format!("  {}", safe(step))).unwrap_or_default();
        let id = safe(&test.id).into_owned();
        let room = page.width.saturating_sub(console::measure_text_width(&id) + 9).max(20);
        page.line(format!(
            "{} {:.2}{guessed}{}",
            id.cyan(),
            test.confidence,
            console::truncate_str(&step, room, "…").dimmed()
        ));
    }
    page.more(
        scope.tests.len().saturating_sub(TESTS),
        "tests",
        "--limit N shows fewer, --format pytest and the like or --json all",
    );
    if scope.tests.is_empty() {
        page.line("No test reaches it.");
    }
    page.gap();
    let cut = if scope.cut { "; more lies beyond the cap" } else { "" };
    page.line(
        format!(
            "{} of {} tests{cut}",
            grouped(u64::from(scope.found)),
            grouped(u64::from(scope.total))
        )
        .dimmed()
        .to_string(),
    );
}
