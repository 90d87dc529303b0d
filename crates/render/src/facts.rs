//! Named values for people: indented, lists with dashes.

use crate::safe::safe;
use serde_json::Value;
use std::fmt::Write as _;

/// Writes a value with its names.
pub fn text(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out
}

fn write(out: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter().filter(|(_, value)| !is_empty(value) || value.is_array())
            {
                if is_empty(value) {
                    let _ = writeln!(out, "{indent}{key}: none");
                } else if is_plain(value) {
                    let _ = writeln!(out, "{indent}{key}: {}", plain(value));
                } else {
                    let _ = writeln!(out, "{indent}{key}:");
                    write(out, value, depth + 1);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| match item {
            Value::Object(map) => {
                let _ = writeln!(out, "{indent}- {}", parts(map));
            }
            item => drop(writeln!(out, "{indent}- {}", plain(item))),
        }),
        value => drop(writeln!(out, "{indent}{}", plain(value))),
    }
}

/// Writes what a record says on one line.
fn parts(map: &serde_json::Map<String, Value>) -> String {
    let part = |(key, value): (&String, &Value)| match value {
        Value::Object(inner) => format!("{} ({})", safe(key), parts(inner)),
        Value::Array(items) if items.iter().all(is_plain) => {
            format!("{} {}", safe(key), items.iter().map(plain).collect::<Vec<_>>().join(" "))
        }
        value => format!("{} {}", safe(key), plain(value)),
    };
    map.iter().filter(|(_, value)| !is_empty(value)).map(part).collect::<Vec<_>>().join(", ")
}

/// True for a value that fits on one line.
pub fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// True for a value that says nothing.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => safe(text).into_owned(),
        Value::Number(number) if number.is_f64() => {
            format!("{:.2}", number.as_f64().unwrap_or_default())
        }
        other => safe(&other.to_string()).into_owned(),
    }
}
