//! TOML: an entry goes in as a table of its own, every other byte stays.

use super::document::{Entry, Refusal};
use super::edit::Edit;
use serde_json::Value;
use std::fmt::Write as _;
use toml::de::{DeTable, DeValue};

/// Returns what a document says.
pub fn value(text: &str) -> Result<Value, Refusal> {
    let table: toml::Table = text.parse().map_err(|error| malformed(&error))?;
    serde_json::to_value(table)
        .map_err(|error| Refusal::new(error.to_string(), "Mend the file, then run this again."))
}

/// Returns the edit that puts an entry under `key`, or in place of the one of that name.
pub fn put(text: &str, key: &[String], name: &str, entry: &Entry) -> Result<Vec<Edit>, Refusal> {
    if let Some(old) = take(text, key, name)? {
        // The old one goes first; the new one stands at the end of what is left.
        let left = super::edit::apply(text, &old).unwrap_or_default();
        let new = super::edit::apply(&left, &put(&left, key, name, entry)?).unwrap_or_default();
        return Ok(vec![Edit { at: 0, removed: text.to_owned(), inserted: new }]);
    }
    let document = DeTable::parse(text).map_err(|error| malformed(&error))?;
    if let Some(open) = inline(text, document.get_ref(), key)? {
        let full = !text[open..].trim_start().starts_with('}');
        return Ok(vec![Edit::insert(
            open,
            format!(" {} = {}{}", bare(name), line(entry), if full { "," } else { " " }),
        )]);
    }
    let newline = newline(text);
    let gap = match text {
        text if text.trim_start_matches('\u{feff}').is_empty() => String::new(),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    let header: Vec<String> = key.iter().map(String::as_str).chain([name]).map(bare).collect();
    let mut table = format!("{gap}[{}]{newline}", header.join("."));
    for (field, value) in entry {
        let _ = write!(table, "{} = {value}{newline}", bare(field));
    }
    Ok(vec![Edit::insert(text.len(), table)])
}

/// Returns the edits that take an entry out, when it is there.
pub fn take(text: &str, key: &[String], name: &str) -> Result<Option<Vec<Edit>>, Refusal> {
    let document = DeTable::parse(text).map_err(|error| malformed(&error))?;
    let mut table = document.get_ref();
    for part in key {
        let Some(DeValue::Table(inner)) = table.get(part.as_str()).map(|value| value.get_ref())
        else {
            return Ok(None);
        };
        table = inner;
    }
    let Some((own, value)) = table.iter().find(|(own, _)| own.get_ref() == name) else {
        return Ok(None);
    };
    if inline(text, document.get_ref(), key)?.is_some() {
        let range = own.span().start..value.span().end;
        let end = text[range.end..]
            .find(|letter: char| !letter.is_whitespace())
            .map_or(range.end, |at| range.end + at);
        let end = if text[end..].starts_with(',') { end + 1 } else { range.end };
        let start = text[..range.start].trim_end().len();
        // The last member takes the comma before it along.
        let start = if text[end..].trim_start().starts_with('}') && text[..start].ends_with(',') {
            start - 1
        } else {
            start
        };
        return Ok(Some(vec![Edit::remove(text, start..end)]));
    }
    let mut quoted = Vec::new();
    long_values(document.get_ref(), text, &mut quoted);
    let lines = section(text, key, name, &quoted);
    if lines.is_empty() {
        return Err(Refusal::new(
            format!("`{name}` is there in a form that cannot be taken out safely"),
            "Remove it by hand.",
        ));
    }
    Ok(Some(lines.into_iter().map(|range| Edit::remove(text, range)).collect()))
}

/// Returns the lines of the tables that begin with a name, with the blank ones before them.
fn section(
    text: &str,
    key: &[String],
    name: &str,
    quoted: &[std::ops::Range<usize>],
) -> Vec<std::ops::Range<usize>> {
    let path: Vec<&str> = key.iter().map(String::as_str).chain([name]).collect();
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    let (mut inside, mut start, mut blank) = (false, 0, 0);
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let within = quoted.iter().any(|range| range.start < start && start < range.end);
        if let Some(header) = header(line).filter(|_| !within) {
            inside = header.len() >= path.len()
                && header.iter().zip(&path).all(|(own, part)| own == part);
            if inside {
                found.push(blank..end);
            }
        } else if inside
            && (within || !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        {
            // What is said behind the last field belongs to the next table.
            if let Some(last) = found.last_mut() {
                last.end = end;
            }
        }
        if !line.trim().is_empty() {
            blank = end;
        }
        start = end;
    }
    // A blank line stays between what is left before and behind.
    for range in &mut found {
        if range.end < text.len() && range.start > 0 {
            let own = &text[range.clone()];
            range.start += own.len() - own.trim_start_matches(['\r', '\n', ' ', '\t']).len();
            range.end += text[range.end..]
                .find('[')
                .filter(|at| text[range.end..range.end + at].trim().is_empty())
                .unwrap_or(0);
        }
    }
    found
}

/// Collects where values stand that go over lines: what is in them is no header.
fn long_values(table: &DeTable, text: &str, found: &mut Vec<std::ops::Range<usize>>) {
    for value in table.values() {
        match value.get_ref() {
            DeValue::Table(inner) => long_values(inner, text, found),
            DeValue::Array(items) if items.iter().all(|item| item.get_ref().is_table()) => items
                .iter()
                .filter_map(|item| item.get_ref().as_table())
                .for_each(|inner| long_values(inner, text, found)),
            _ if text.get(value.span()).is_some_and(|own| own.contains('\n')) => {
                found.push(value.span())
            }
            _ => {}
        }
    }
}

/// Returns the parts of a table's header, when the line is one.
fn header(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if !line.starts_with('[') {
        return None;
    }
    let table = DeTable::parse(line).ok()?;
    let mut parts = Vec::new();
    let mut inside = table.get_ref();
    while let Some((name, value)) = inside.iter().next() {
        parts.push(name.get_ref().to_string());
        match value.get_ref() {
            DeValue::Table(inner) => inside = inner,
            _ => break,
        }
    }
    Some(parts)
}

/// Returns where the inline table under `key` opens, when it is one.
fn inline(text: &str, root: &DeTable, key: &[String]) -> Result<Option<usize>, Refusal> {
    let mut table = root;
    let mut open = None;
    for part in key {
        let Some(value) = table.get(part.as_str()) else { return Ok(None) };
        let DeValue::Table(inner) = value.get_ref() else {
            return Err(Refusal::new(
                format!("`{part}` is there but is no table"),
                format!("Make `{part}` a table, or remove it."),
            ));
        };
        open = text
            .get(value.span())
            .filter(|own| own.starts_with('{'))
            .map(|_| value.span().start + 1);
        table = inner;
    }
    Ok(open)
}

fn line(entry: &Entry) -> String {
    let fields: Vec<String> =
        entry.iter().map(|(name, value)| format!("{} = {value}", bare(name))).collect();
    format!("{{ {} }}", fields.join(", "))
}

/// Writes a name without quotes where it needs none.
fn bare(name: &str) -> String {
    if !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
    {
        name.to_owned()
    } else {
        toml::Value::from(name).to_string()
    }
}

fn newline(text: &str) -> &'static str {
    if text.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r')) {
        "\r\n"
    } else {
        "\n"
    }
}

fn malformed(error: &toml::de::Error) -> Refusal {
    Refusal::new(
        format!("it is no valid TOML: {}", error.to_string().trim_end()),
        "Mend the file, then run this again; nothing was changed.",
    )
}
