//! Violations as text, as annotations of a code host, and as SARIF.

use crate::safe::safe;
use contextd_ops::oracle::LintReport;
use contextd_pack::canonical;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Writes violations for people.
pub fn text(report: &LintReport) -> String {
    let mut out = String::new();
    for own in &report.violations {
        let _ = writeln!(
            out,
            "{} {} [{}]: {}",
            own.severity,
            safe(&own.rule),
            own.kind,
            safe(&own.message)
        );
        if !own.description.is_empty() {
            let _ = writeln!(out, "  rule: {}", safe(&own.description));
        }
        for place in &own.evidence {
            let _ = writeln!(out, "  {}:{} {}", safe(&place.path), place.line, safe(&place.what));
        }
        let _ = writeln!(out, "  remedy: {}", safe(&own.remedy));
    }
    let _ = writeln!(
        out,
        "{} rules on {} nodes and {} files: {} errors, {} warnings",
        report.rules, report.nodes, report.files, report.errors, report.warnings
    );
    out
}

/// Writes violations as workflow commands, one a line.
pub fn github(report: &LintReport) -> String {
    let line = |own: &contextd_ops::oracle::LintViolation| {
        let level = if own.severity == "error" { "error" } else { "warning" };
        let (path, line) = own
            .evidence
            .first()
            .map_or((String::new(), 1), |place| (place.path.clone(), place.line));
        annotation(level, &path, line, &own.rule, &format!("{} {}", own.message, own.remedy))
    };
    report.violations.iter().map(line).collect()
}

/// Writes one workflow command.
pub fn annotation(level: &str, path: &str, line: u32, title: &str, message: &str) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let place = if path.is_empty() {
        String::new()
    } else {
        format!("file={},line={line},", property(path))
    };
    format!("::{level} {place}title={}::{}\n", property(title), data(message))
}

/// Writes violations as SARIF 2.1.0.
pub fn sarif(report: &LintReport) -> String {
    let mut rules: BTreeMap<&str, Value> = BTreeMap::new();
    for own in &report.violations {
        rules.entry(&own.rule).or_insert_with(|| json!({"id": own.rule, "shortDescription": {"text": if own.description.is_empty() { &own.kind } else { &own.description }}, "help": {"text": own.remedy}}));
    }
    let results: Vec<Value> = report
        .violations
        .iter()
        .map(|own| {
            let places: Vec<Value> = own.evidence.iter().map(|place| json!({"physicalLocation": {"artifactLocation": {"uri": uri(&place.path)}, "region": {"startLine": place.line.max(1)}}, "message": {"text": place.what}})).collect();
            let level = if own.severity == "error" { "error" } else { "warning" };
            json!({"ruleId": own.rule, "level": level, "message": {"text": format!("{} {}", own.message, own.remedy)}, "locations": places.first().into_iter().collect::<Vec<_>>(), "relatedLocations": places.iter().skip(1).collect::<Vec<_>>()})
        })
        .collect();
    canonical::to_string(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "contextd", "informationUri": "https://example.invalid/contextd", "rules": rules.into_values().collect::<Vec<_>>()}}, "results": results}],
    }))
}

/// Writes a path as a relative reference.
fn uri(path: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(byte);
    path.as_bytes()
        .iter()
        .map(|byte| if plain(byte) { (*byte as char).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_and_paths_are_escaped() {
        assert_eq!(
            annotation("error", "a,b:c.rs", 3, "t", "x\ny 5%"),
            "::error file=a%2Cb%3Ac.rs,line=3,title=t::x%0Ay 5%25\n"
        );
        assert_eq!(uri("a b/é.rs"), "a%20b/%C3%A9.rs");
    }
}
