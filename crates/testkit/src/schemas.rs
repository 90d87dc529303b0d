//! Outputs against the schemas that the program publishes, by a validator that is not ours.

use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

static VALIDATORS: LazyLock<Mutex<BTreeMap<String, &'static jsonschema::Validator>>> =
    LazyLock::new(Mutex::default);

/// Fails when a value is none of what the schemas of those names say; `make` knows the schemas.
pub fn check(names: &[&str], make: &dyn Fn(&str) -> Option<Value>, value: &Value) {
    let mut wrong: Vec<String> = Vec::new();
    for name in names {
        let errors = violations(name, make, value);
        if errors.is_empty() {
            return;
        }
        wrong.push(format!("{name}: {}", errors.join("\n")));
    }
    assert!(names.is_empty(), "{}\n{value}", wrong.join("\n"));
}

fn violations(name: &str, make: &dyn Fn(&str) -> Option<Value>, value: &Value) -> Vec<String> {
    let validator = {
        let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
        *validators.entry(name.to_owned()).or_insert_with(|| {
            let mut schema = make(name).unwrap_or_else(|| panic!("there is no schema {name}"));
            // A tag and the fields behind it stand in two schemas, and neither can be closed.
            if name != "LayerLine" {
                close(&mut schema);
            }
            Box::leak(Box::new(
                jsonschema::validator_for(&schema)
                    .unwrap_or_else(|error| panic!("{name}: {error}")),
            ))
        })
    };
    validator
        .iter_errors(value)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect()
}

/// Makes every object of a schema refuse what it does not name, so that a forgotten field is found.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            // Variants of one type name their fields in different places.
            if map.contains_key("properties")
                && !map.contains_key("additionalProperties")
                && !map.contains_key("oneOf")
                && !map.contains_key("anyOf")
            {
                map.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            map.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
