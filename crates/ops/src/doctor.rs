//! `doctor`: what is wrong and what to do about it.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::NoInput;
use contextd_model::Severity;
use contextd_store::Ledger;
use serde_json::{Value, json};

pub fn doctor(context: &Context, _input: NoInput) -> Result<Answer, OpError> {
    let engine = &context.engine;
    let mut checks: Vec<Value> = Vec::new();
    // What no setting is called is left aside, and hinders nothing.
    let is_wrong = engine.problems.iter().any(|problem| problem.severity == Severity::Error);
    let first = engine.problems.first();
    checks.push(json!({"check": "configuration", "ok": !is_wrong, "detail": first.map(ToString::to_string).unwrap_or_default(), "remedy": first.map_or("", |_| "Correct it; `contextd validate-config` lists all of them.")}));
    let mut check = |name: &str, problem: Option<(String, &str)>| {
        let (detail, remedy) = problem
            .as_ref()
            .map_or((String::new(), ""), |(detail, remedy)| (detail.clone(), *remedy));
        checks.push(
            json!({"check": name, "ok": problem.is_none(), "detail": detail, "remedy": remedy}),
        );
    };
    match engine.snapshot() {
        Ok(None) => check("index", Some(("there is none".to_owned(), "Run `contextd index`."))),
        Err(error) => check(
            "index",
            Some((error.to_string(), "Run `contextd clean`, then `contextd index`.")),
        ),
        Ok(Some(snapshot)) => {
            check(
                "index",
                snapshot.verify().err().map(|error| {
                    (error.to_string(), "Run `contextd clean`, then `contextd index`.")
                }),
            );
            check(
                "version",
                (!engine.is_current(&snapshot)).then(|| {
                    (
                        "made by another version or with other settings".to_owned(),
                        "Run `contextd index`.",
                    )
                }),
            );
        }
    }
    match engine.ledger() {
        Err(error) => check(
            "ledger",
            Some((error.to_string(), "Run `contextd clean`, then `contextd index`.")),
        ),
        Ok(ledger) => {
            check(
                "ledger",
                ledger
                    .check()?
                    .first()
                    .map(|line| (line.clone(), "Run `contextd clean`, then `contextd index`.")),
            );
            let errors = ledger.errors()?;
            check(
                "files",
                errors.first().map(|error| {
                    (
                        format!(
                            "{} files could not be read, the first is {}: {}",
                            errors.len(),
                            error.record.file_path,
                            error.record.error_message
                        ),
                        "Make them readable, or leave them out in .contextignore.",
                    )
                }),
            );
        }
    }
    for (name, problems) in crate::oracle::checks(context) {
        let first = problems.first().map(|problem| {
            (
                if problems.len() == 1 {
                    problem.to_string()
                } else {
                    format!("{}, the first: {problem}", problems.len())
                },
                problem.remedy.clone(),
            )
        });
        let (detail, remedy) = first.unwrap_or_default();
        checks.push(json!({"check": name, "ok": !crate::oracle::is_ill(&problems), "detail": detail, "remedy": remedy}));
    }
    let healthy = checks.iter().all(|check| check["ok"] == true);
    Ok(Answer::Facts(json!({"healthy": healthy, "checks": checks}), healthy))
}
