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
            for (key, value) in map.iter().filter(|(_, value)| !is_empty(value) || value.is_array()) {
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
                let parts: Vec<String> = map.iter().filter(|(_, value)| !is_empty(value)).map(|(key, value)| if is_plain(value) { format!("{key} {}", plain(value)) } else { format!("{key} {value}") }).collect();
                let _ = writeln!(out, "{indent}- {}", safe(&parts.join(", ")));
            }
            item => drop(writeln!(out, "{indent}- {}", plain(item))),
        }),
        value => drop(writeln!(out, "{indent}{}", plain(value))),
    }
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
        Value::Number(number) if number.is_f64() => format!("{:.2}", number.as_f64().unwrap_or_default()),
        other => other.to_string(),
    }
}
