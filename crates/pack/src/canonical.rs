//! Canonical JSON (RFC 8785): one text for one value, whatever order its keys were written in.

use serde::Serialize;
use serde_json::Value;

/// Returns the canonical text of a value; what cannot be written as JSON is `null`.
pub fn to_string(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or(Value::Null);
    let mut out = String::new();
    write(&value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            // Keys are compared by UTF-16 units, as the standard says.
            entries.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
            list(out, '{', '}', entries, |(key, value), out| {
                text(key, out);
                out.push(':');
                write(value, out);
            });
        }
        Value::Array(items) => list(out, '[', ']', items.iter().collect(), write),
        Value::String(string) => text(string, out),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => out.push_str(&float_text(float)),
            None => out.push_str(&number.to_string()),
        },
        Value::Bool(_) | Value::Null => out.push_str(&value.to_string()),
    }
}

fn list<T>(
    out: &mut String,
    open: char,
    close: char,
    items: Vec<T>,
    each: impl Fn(T, &mut String),
) {
    out.push(open);
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        each(item, out);
    }
    out.push(close);
}

fn text(string: &str, out: &mut String) {
    // The escapes of serde_json are exactly those of the standard.
    out.push_str(&Value::String(string.to_owned()).to_string());
}

/// Writes a number as ECMAScript does.
fn float_text(float: f64) -> String {
    let size = float.abs();
    if float == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&size) {
        return format!("{float}");
    }
    let text = format!("{float:e}");
    if size >= 1e21 { text.replace('e', "e+") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_and_numbers_are_short() {
        let value = json!({"b": 1.0, "a": [0.1, 1e-7, 1e21, -0.0, 12345678901u64], "\u{20ac}": "x\n", "\u{10000}": null});
        assert_eq!(
            to_string(&value),
            "{\"a\":[0.1,1e-7,1e+21,0,12345678901],\"b\":1,\"€\":\"x\\n\",\"𐀀\":null}"
        );
    }

    proptest! {
        #[test]
        fn numbers_read_back_as_they_were(number in any::<f64>().prop_filter("finite", |number| number.is_finite())) {
            prop_assert_eq!(float_text(number).parse::<f64>().unwrap(), number);
        }

        #[test]
        fn texts_read_back_as_they_were(text in ".*", key in ".*") {
            let value = json!({ key: text });
            let read: Value = serde_json::from_str(&to_string(&value)).unwrap();
            prop_assert_eq!(read, value);
        }
    }
}
