//! What clients rely on changes only knowingly: `BLESS=1 cargo test -p contextd-server` writes it anew.

use contextd_server::{ToolSet, list, openapi};
use serde_json::{Value, json};
use std::path::Path;

fn check(name: &str, value: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    let written = format!("{}\n", serde_json::to_string_pretty(value).unwrap());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, written).unwrap();
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = known
        .lines()
        .zip(written.lines())
        .position(|(one, two)| one != two)
        .unwrap_or(known.lines().count().min(written.lines().count()));
    assert!(
        known == written,
        "{name} differs from line {} on:\n{}\nIf that is meant: BLESS=1 cargo test -p contextd-server snapshots",
        differs + 1,
        written.lines().skip(differs).take(5).collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn tools_are_as_known() {
    check("tools.json", &json!({"core": list(ToolSet::Core), "all": list(ToolSet::All)}));
}

#[test]
fn the_http_description_is_as_known() {
    check("openapi.json", &openapi());
}
