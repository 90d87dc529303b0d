//! One way to edit a configuration, whatever it is written in, with a check that nothing else changed.

use super::agents::Syntax;
use super::edit::{self, Edit};
use super::{json_file, toml_file};
use serde_json::Value;

/// The fields of a server's entry, in order.
pub type Entry = Vec<(String, toml::Value)>;

/// Why a file is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub why: String,
    pub remedy: String,
}

impl Refusal {
    pub fn new(why: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { why: why.into(), remedy: remedy.into() }
    }
}

/// What stands in a file already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    /// An entry that says the same.
    Same,
    /// An entry of that name that says something else.
    Other,
}

/// Tells whether an entry is there.
pub fn find(
    syntax: Syntax,
    text: &str,
    key: &[String],
    name: &str,
    entry: &Entry,
) -> Result<Found, Refusal> {
    let value = value(syntax, text)?;
    let own = key
        .iter()
        .try_fold(&value, |value, part| value.get(part))
        .and_then(|section| section.get(name));
    Ok(match own {
        None => Found::Nothing,
        // What its user added to the entry is none of our business.
        Some(own) if fields(entry).iter().all(|(name, value)| own.get(name) == Some(value)) => {
            Found::Same
        }
        Some(_) => Found::Other,
    })
}

/// Returns the edits that put an entry into a document.
pub fn put(
    syntax: Syntax,
    text: &str,
    key: &[String],
    name: &str,
    entry: &Entry,
) -> Result<Vec<Edit>, Refusal> {
    let edits = match syntax {
        Syntax::Json => json_file::put(text, key, name, entry)?,
        Syntax::Toml => toml_file::put(text, key, name, entry)?,
    };
    let mut expected = value(syntax, text)?;
    section(&mut expected, key)[name] = Value::Object(fields(entry));
    check(syntax, text, &edits, &expected)?;
    Ok(edits)
}

/// Returns the edits that take an entry out of a document, when it is there.
pub fn take(
    syntax: Syntax,
    text: &str,
    key: &[String],
    name: &str,
) -> Result<Option<Vec<Edit>>, Refusal> {
    let edits = match syntax {
        Syntax::Json => json_file::take(text, key, name)?,
        Syntax::Toml => toml_file::take(text, key, name)?,
    };
    let Some(edits) = edits else { return Ok(None) };
    let mut expected = value(syntax, text)?;
    if let Value::Object(section) = section(&mut expected, key) {
        section.remove(name);
    }
    check(syntax, text, &edits, &expected)?;
    Ok(Some(edits))
}

/// Returns what a document says; an empty one says nothing.
pub fn value(syntax: Syntax, text: &str) -> Result<Value, Refusal> {
    match syntax {
        Syntax::Json => json_file::value(text),
        Syntax::Toml => toml_file::value(text),
    }
}

/// Returns the fields of an entry as JSON.
pub fn fields(entry: &Entry) -> serde_json::Map<String, Value> {
    entry
        .iter()
        .map(|(name, value)| (name.clone(), serde_json::to_value(value).unwrap_or(Value::Null)))
        .collect()
}

/// Returns the object under `key`, made where it is missing.
fn section<'v>(value: &'v mut Value, key: &[String]) -> &'v mut Value {
    key.iter().fold(value, |value, part| &mut value[part.as_str()])
}

/// Makes sure that a document says afterwards what it should, and nothing else.
fn check(syntax: Syntax, text: &str, edits: &[Edit], expected: &Value) -> Result<(), Refusal> {
    let after = edit::apply(text, edits).and_then(|after| value(syntax, &after).ok());
    let same = after.is_some_and(|after| same(&after, expected));
    if same {
        Ok(())
    } else {
        Err(Refusal::new(
            "it is written in a way that cannot be edited safely",
            "Add or remove the entry by hand; `contextd init --dry-run --json` shows it.",
        ))
    }
}

/// Compares what documents say. An empty section may be left behind: TOML forgets tables without fields.
fn same(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Object(one), Value::Object(two)) => {
            let empty = |value: Option<&Value>| {
                value.is_none_or(|value| value.as_object().is_some_and(serde_json::Map::is_empty))
            };
            one.keys().chain(two.keys()).all(|key| match (one.get(key), two.get(key)) {
                (Some(one), Some(two)) => same(one, two),
                (one, two) => empty(one) && empty(two),
            })
        }
        _ => one == two,
    }
}
