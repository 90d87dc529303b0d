//! Named values: names and values in columns, counts as bars, lists as tables.

use super::{Page, bytes, date, grouped};
use contextd_render::facts::{is_empty, is_plain};
use contextd_render::safe;
use owo_colors::OwoColorize as _;
use serde_json::{Map, Value};

/// Rows of a table that are shown; programs get all of them.
const ROWS: usize = 200;
/// Longest bar, in characters.
const BAR: u64 = 24;

pub fn facts(page: &mut Page, value: &Value) {
    match value {
        Value::Object(map) => object(page, map, ""),
        Value::Array(items) => table(page, items),
        other => page.line(plain("", other)),
    }
}

fn object(page: &mut Page, map: &Map<String, Value>, indent: &str) {
    let simple: Vec<(&String, &Value)> = map.iter().filter(|(_, value)| is_plain(value)).collect();
    let widest = simple.iter().map(|(key, _)| words(key).len()).max().unwrap_or(0);
    for (key, value) in simple {
        page.line(format!(
            "{indent}{}  {}",
            format!("{:<widest$}", words(key)).dimmed(),
            plain(key, value)
        ));
    }
    for (key, value) in map.iter().filter(|(_, value)| !is_plain(value)) {
        match value {
            Value::Object(inner) if inner.is_empty() => {}
            Value::Array(items) if items.is_empty() => {
                page.line(format!("{indent}{}  {}", words(key).dimmed(), "none".dimmed()))
            }
            Value::Object(inner)
                if inner.len() > 1 && inner.values().all(Value::is_u64) && !is_record(inner) =>
            {
                page.heading(&words(key));
                counts(page, inner);
            }
            Value::Object(inner) => {
                page.heading(&words(key));
                object(page, inner, "  ");
            }
            Value::Array(items) => {
                page.heading(&words(key));
                table(page, items);
            }
            _ => {}
        }
    }
}

/// Counts by name have names of the world; a record has names of the program, written in camel case.
fn is_record(map: &Map<String, Value>) -> bool {
    map.keys().any(|key| key.contains(|letter: char| letter.is_ascii_uppercase()))
}

/// Writes counts, the largest first, with bars.
fn counts(page: &mut Page, map: &Map<String, Value>) {
    let mut rows: Vec<(&String, u64)> =
        map.iter().map(|(key, value)| (key, value.as_u64().unwrap_or(0))).collect();
    rows.sort_by_key(|(key, count)| (std::cmp::Reverse(*count), key.as_str()));
    let widest = rows.iter().map(|(key, _)| console::measure_text_width(key)).max().unwrap_or(0);
    let digits = rows.first().map_or(0, |(_, count)| grouped(*count).len());
    let most = rows.first().map_or(1, |(_, count)| (*count).max(1));
    for (key, count) in rows {
        let bar = "▇".repeat((count * BAR).div_ceil(most) as usize);
        page.line(format!(
            "  {} {:>digits$}  {}",
            console::pad_str(&safe(key), widest, console::Alignment::Left, None),
            grouped(count),
            bar.cyan()
        ));
    }
}

/// Writes a list: records as a table, other things line by line.
fn table(page: &mut Page, items: &[Value]) {
    let records: Vec<&Map<String, Value>> =
        items.iter().filter_map(Value::as_object).take(ROWS).collect();
    if records.is_empty() {
        items.iter().take(ROWS).for_each(|item| page.line(format!("  {}", plain("", item))));
    } else {
        records_table(page, &records);
    }
    if items.len() > ROWS {
        page.line(format!(
            "  {}",
            format!("and {} more; --json has all", items.len() - ROWS).dimmed()
        ));
    }
}

fn records_table(page: &mut Page, records: &[&Map<String, Value>]) {
    let filled = |key: &str| {
        records.iter().any(|record| record.get(key).is_some_and(|value| !is_empty(value)))
    };
    let mut columns: Vec<&String> = Vec::new();
    for key in records.iter().flat_map(|record| record.keys()) {
        if !columns.contains(&key) && filled(key) {
            columns.push(key);
        }
    }
    // A verdict is what one looks for first; names come before figures.
    columns.sort_by_key(|key| {
        (
            !matches!(key.as_str(), "ok" | "verdict"),
            !(is_id(key) || matches!(key.as_str(), "name" | "check" | "path" | "file")),
            *key == "completedAt",
        )
    });
    let cell = |record: &Map<String, Value>, key: &str| {
        record.get(key).map_or(String::new(), |value| plain(key, value))
    };
    let width = |key: &&String| {
        records
            .iter()
            .map(|record| console::measure_text_width(&cell(record, key)))
            .chain([words(key).len()])
            .max()
            .unwrap_or(0)
    };
    let room = page.width.saturating_sub(2);
    // What holds values of its own gives way, and of two times the later one; programs get them.
    while columns.iter().map(|key| width(key) + 2).sum::<usize>() > room + 2 {
        let is_nested = |key: &&String| {
            records.iter().any(|record| record.get(*key).is_some_and(Value::is_object))
        };
        let gives_way = columns
            .iter()
            .rposition(is_nested)
            .or_else(|| columns.iter().position(|key| *key == "completedAt"));
        let Some(at) = gives_way.filter(|_| columns.len() > 2) else { break };
        columns.remove(at);
    }
    let mut widths: Vec<usize> = columns.iter().map(width).collect();
    let may_narrow: Vec<bool> = columns.iter().map(|key| !is_id(key)).collect();
    narrow(&mut widths, &may_narrow, room);
    let row = |cells: Vec<String>| {
        let cells: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| {
                console::pad_str(
                    &console::truncate_str(cell, *width, "…"),
                    *width,
                    console::Alignment::Left,
                    None,
                )
                .into_owned()
            })
            .collect();
        format!("  {}", cells.join("  "))
    };
    if columns.len() > 1 && records.len() > 1 {
        let head = row(columns
            .iter()
            .map(|key| if *key == "ok" { String::new() } else { words(key) })
            .collect());
        page.line(head.dimmed().to_string());
    }
    for record in records {
        page.line(row(columns.iter().map(|key| cell(record, key)).collect()));
    }
}

/// True for what is asked by: half of it is of no use.
fn is_id(key: &str) -> bool {
    key == "id" || key.ends_with("Id")
}

/// Takes from the widest columns that may be narrowed until a row fits; from any when that is not enough.
fn narrow(widths: &mut [usize], may_narrow: &[bool], room: usize) {
    let by_turns = [may_narrow.to_vec(), vec![true; widths.len()]];
    for may_narrow in by_turns {
        while widths.iter().map(|width| width + 2).sum::<usize>() > room + 2 {
            let candidates =
                widths.iter_mut().zip(&may_narrow).filter(|(_, may)| **may).map(|(width, _)| width);
            let Some(widest) = candidates.max().filter(|width| **width > 8) else { break };
            *widest -= 1;
        }
    }
}

/// Writes a value as its name suggests: times as dates, amounts in their unit.
fn plain(key: &str, value: &Value) -> String {
    let is_verdict = matches!(key, "ok" | "healthy" | "valid" | "available" | "enabled" | "passed");
    let is_time = key.ends_with("At") || key == "lastIndexed";
    match value {
        Value::Null => "none".dimmed().to_string(),
        Value::Bool(true) if is_verdict => "✓".green().to_string(),
        Value::Bool(false) if is_verdict => "✗".red().to_string(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Object(map) => map
            .iter()
            .filter(|(_, value)| !is_empty(value))
            .map(|(key, value)| format!("{} {}", words(key), plain(key, value)))
            .collect::<Vec<_>>()
            .join(", "),
        Value::String(text) => safe(text).into_owned(),
        Value::Number(number) => match number.as_u64() {
            Some(time) if is_time => date(time as i64),
            Some(size) if key.ends_with("Bytes") || key == "bytes" => bytes(size),
            Some(number) => grouped(number),
            None => format!("{:.2}", number.as_f64().unwrap_or_default()),
        },
        other => safe(&other.to_string()).into_owned(),
    }
}

/// Writes a name of the program in words: `lastIndexed` as `last indexed`; abbreviations keep their capitals.
fn words(key: &str) -> String {
    let mut parts: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for letter in key.chars() {
        let starts = letter == '_' || letter.is_ascii_uppercase() && before.is_ascii_lowercase();
        if starts {
            parts.push(String::new());
        }
        if letter != '_' {
            parts.last_mut().into_iter().for_each(|part| part.push(letter));
        }
        before = letter;
    }
    let is_short =
        |part: &str| part.len() > 1 && part.chars().all(|letter| letter.is_ascii_uppercase());
    parts
        .iter()
        .map(|part| if is_short(part) { part.clone() } else { part.to_lowercase() })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(value: &Value) -> String {
        let mut page = Page { out: String::new(), width: 40 };
        facts(&mut page, value);
        console::strip_ansi_codes(&page.out).into_owned()
    }

    #[test]
    fn names_are_words() {
        for (key, expected) in [
            ("lastIndexed", "last indexed"),
            ("dbSizeMB", "db size MB"),
            ("git_folder", "git folder"),
            ("jobId", "job id"),
        ] {
            assert_eq!(words(key), expected);
        }
    }

    #[test]
    fn counts_have_bars_and_lists_are_tables_that_fit() {
        let text = shown(
            &json!({"ok": true, "languages": {"rust": 10, "go": 5}, "rows": [{"path": "a", "explanation": "x".repeat(80)}, {"path": "b", "explanation": "y"}], "sizeBytes": 1_500, "seenAt": 0}),
        );
        assert!(
            text.contains("rust 10  ▇")
                && text.contains("1.5 kB")
                && text.contains("1970-01-01")
                && text.contains('✓'),
            "{text}"
        );
        assert!(text.lines().all(|line| console::measure_text_width(line) <= 40), "{text}");
    }

    #[test]
    fn ids_stay_whole_and_nested_records_give_way() {
        let job = |at: u64| json!({"completedAt": at, "jobId": format!("refresh-e84c{at:04}"), "progress": {"filesProcessed": 12, "currentFile": null, "startedAt": 0}, "status": "completed"});
        let text = shown(&json!({"jobs": [job(1), job(2)]}));
        assert!(
            text.contains("  refresh-e84c0001  completed") && !text.contains("files processed"),
            "{text}"
        );
        let job = |at: u64| json!({"completedAt": at, "startedAt": at, "jobId": format!("refresh-e84c{at:04}")});
        let text = shown(&json!({"jobs": [job(1), job(2)]}));
        assert!(
            text.contains("  refresh-e84c0001  1970-01-01 00:00 UTC\n")
                && !text.contains("completed at"),
            "{text}"
        );
    }

    #[test]
    fn what_could_steer_a_terminal_is_written_out() {
        assert!(
            !shown(&json!({"a": "\u{1b}[31m", "rows": [{"b": "\u{202e}"}]}))
                .contains(['\u{1b}', '\u{202e}'])
        );
    }
}
