//! Outputs against the schemas that the program publishes, by a validator that is not ours.

use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

static VALIDATORS: LazyLock<Mutex<BTreeMap<String, &'static jsonschema::Validator>>> = LazyLock::new(Mutex::default);

/// Fails when a value is not what the schema of that name says.
pub fn valid(name: &str, value: &Value) {
    let validator = *VALIDATORS.lock().unwrap().entry(name.to_owned()).or_insert_with(|| {
        let (_, make) = contextd_ops::SCHEMAS.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("there is no schema {name}"));
        // A tag and the fields behind it stand in two schemas, and neither can be closed.
        let schema = if name == "LayerLine" { make() } else { closed(make()) };
        Box::leak(Box::new(jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{name}: {error}"))))
    });
    let errors: Vec<String> = validator.iter_errors(value).map(|error| format!("{} at {}", error, error.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {}", errors.join("\n"));
}

/// Makes every object of a schema refuse what it does not name, so that a forgotten field is found.
fn closed(mut schema: Value) -> Value {
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            // Variants of one type name their fields in different places.
            if map.contains_key("properties") && !map.contains_key("additionalProperties") && !map.contains_key("oneOf") && !map.contains_key("anyOf") {
                map.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            map.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
