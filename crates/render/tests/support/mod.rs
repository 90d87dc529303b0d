//! Outputs against the schemas that the program publishes.

use serde_json::Value;

/// Fails when a value is not what the schema of that name says.
pub fn valid(name: &str, value: &Value) {
    contextd_testkit::schemas::check(&[name], &contextd_ops::schema_named, value);
}
