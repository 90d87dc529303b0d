//! Which files belong and why not; the configuration; redactions.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::{CheckFileInput, ListInput, NoInput};
use contextd_model::Severity;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn check_file(context: &Context, input: CheckFileInput) -> Result<Answer, OpError> {
    if input.paths.is_empty() {
        return Err(OpError::request(
            "no file is named",
            "Name a file: contextd check-file src/main.rs.",
        ));
    }
    let checks: Vec<_> = input
        .paths
        .iter()
        .map(|path| context.engine.scanner.check(std::path::Path::new(path)))
        .collect();
    let all = checks.iter().all(contextd_scan::Check::included);
    let rows = checks.iter().map(|check| match &check.verdict {
        contextd_scan::Verdict::Included => json!({"path": check.rel, "verdict": "included", "rule": null, "explanation": check.explanation}),
        contextd_scan::Verdict::Excluded { rule, detail } => json!({"path": check.rel, "verdict": "excluded", "rule": rule.name(), "detail": detail, "explanation": check.explanation}),
    });
    let rows: Vec<Value> = rows.collect();
    Ok(Answer::Facts(json!({ "files": rows }), all))
}

pub fn list_indexable(context: &Context, input: ListInput) -> Result<Answer, OpError> {
    let (mut files, _) = context.engine.scanner.list_indexable();
    files.truncate(input.limit.unwrap_or(usize::MAX));
    Ok(Answer::Lines(files))
}

pub fn project_stats(context: &Context, _input: NoInput) -> Result<Answer, OpError> {
    let (_, scan) = context.engine.scanner.list_indexable();
    let mut languages: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut projects: BTreeMap<String, u64> = BTreeMap::new();
    let mut bytes = 0;
    for file in &scan.files {
        bytes += file.size;
        *languages.entry(contextd_lang::detect(&file.rel, "").name()).or_default() += 1;
        for project in context.engine.scanner.projects_of(&file.rel) {
            *projects.entry(project.to_owned()).or_default() += 1;
        }
    }
    let rejected: BTreeMap<&str, u64> =
        scan.counts.iter().map(|(rule, count)| (rule.name(), *count)).collect();
    let problems: Vec<String> = scan.problems.iter().take(20).map(ToString::to_string).collect();
    Ok(Answer::Facts(
        json!({"root": context.engine.places.root, "files": scan.files.len(), "bytes": bytes, "languages": languages, "projects": projects, "excluded": rejected, "problems": problems}),
        true,
    ))
}

pub fn validate_config(context: &Context, _input: NoInput) -> Result<Answer, OpError> {
    let engine = &context.engine;
    let valid = engine.problems.iter().all(|problem| problem.severity != Severity::Error);
    let problems: Vec<Value> = engine.problems.iter().map(|problem| json!({"code": problem.code, "path": problem.path, "line": problem.line, "message": problem.message, "remedy": problem.remedy})).collect();
    Ok(Answer::Facts(
        json!({"file": engine.config_path, "valid": valid, "problems": problems}),
        valid,
    ))
}

pub fn audit_secrets(context: &Context, _input: NoInput) -> Result<Answer, OpError> {
    let engine = &context.engine;
    // Files that cannot be read as text are none of those that are indexed, and not counted.
    let audited: Vec<Vec<Value>> = engine
        .scanner
        .scan()
        .files
        .par_iter()
        .filter_map(|file| {
            let bytes = engine.scanner.read(&file.rel).ok()?;
            let scrubbed = engine.scrubber.scrub(&bytes.text, &file.rel);
            Some(scrubbed.redactions.iter().map(|redaction| json!({"file": file.rel, "line": redaction.line, "rule": redaction.rule})).collect())
        })
        .collect();
    let files = audited.len();
    let redactions: Vec<Value> = audited.into_iter().flatten().collect();
    Ok(Answer::Facts(
        json!({"enabled": engine.config.security.scrub_secrets, "files": files, "redactions": redactions}),
        true,
    ))
}
