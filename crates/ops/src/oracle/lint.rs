//! `lint`: architecture rules on the linked graph.

use super::Oracle;
use super::bundle::severity;
use super::inputs::LintInput;
use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use contextd_knowledge::rules::check;
use contextd_model::Severity;
use schemars::JsonSchema;
use serde::Serialize;

/// What does not hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct LintReport {
    pub passed: bool,
    pub rules: usize,
    pub nodes: usize,
    pub files: usize,
    pub errors: usize,
    pub warnings: usize,
    pub violations: Vec<LintViolation>,
}

/// One violation, with what shows it and what to do.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LintViolation {
    pub rule: String,
    /// `deny`, `layers`, …; `declaration` for what cannot be read.
    pub kind: String,
    pub severity: String,
    pub description: String,
    pub message: String,
    pub from: Option<String>,
    pub to: Option<String>,
    pub evidence: Vec<LintEvidence>,
    pub remedy: String,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LintEvidence {
    pub path: String,
    pub line: u32,
    pub what: String,
}

pub fn lint(context: &Context, input: LintInput) -> Result<Answer, OpError> {
    let reader = context.reader()?;
    let knowledge = context.engine.knowledge(&reader);
    let code = knowledge.code(&reader.snapshot);
    let mut violations: Vec<LintViolation> = knowledge.problems.iter().map(declaration).collect();
    violations.extend(check(&knowledge.rules, &knowledge.graph, &code).into_iter().map(|own| {
        LintViolation {
            rule: own.rule,
            kind: own.kind.to_owned(),
            severity: severity(own.severity).to_owned(),
            description: own.description,
            message: own.message,
            from: own.from,
            to: own.to,
            evidence: own
                .evidence
                .into_iter()
                .map(|place| LintEvidence { path: place.path, line: place.line, what: place.what })
                .collect(),
            remedy: own.remedy,
        }
    }));
    let count =
        |wanted: Severity| violations.iter().filter(|own| own.severity == severity(wanted)).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let passed = errors == 0 && (warnings == 0 || !input.strict);
    Ok(Answer::Oracle(Box::new(Oracle::Lint(LintReport {
        passed,
        rules: knowledge.rules.rules.len(),
        nodes: knowledge.graph.nodes.len(),
        files: code.files.len(),
        errors,
        warnings,
        violations,
    }))))
}

fn declaration(problem: &contextd_model::Problem) -> LintViolation {
    let place = problem.path.clone().map(|path| LintEvidence {
        path,
        line: problem.line.unwrap_or(1),
        what: "is written here".to_owned(),
    });
    LintViolation {
        rule: problem.code.to_owned(),
        kind: "declaration".to_owned(),
        severity: severity(problem.severity).to_owned(),
        description: String::new(),
        message: problem.message.clone(),
        from: None,
        to: None,
        evidence: place.into_iter().collect(),
        remedy: problem.remedy.clone(),
    }
}
