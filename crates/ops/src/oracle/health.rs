//! What is wrong with declared knowledge, for `doctor`.

use crate::context::Context;
use contextd_knowledge::health::health;
use contextd_model::{Problem, Severity};
use std::collections::BTreeMap;

/// Names of the checks, by the codes they gather.
const CHECKS: &[(&str, &[&str])] = &[
    (
        "declared graph",
        &[
            "CTX_E_GRAPH_READ",
            "CTX_E_GRAPH_YAML",
            "CTX_E_GRAPH_SHAPE",
            "CTX_E_GRAPH_DUPLICATE",
            "CTX_E_GRAPH_REF",
        ],
    ),
    ("rules", &["CTX_E_RULE", "CTX_W_RULE_REF"]),
    ("summaries", &["CTX_W_GRAPH_SUMMARY"]),
    ("isolated nodes", &["CTX_W_GRAPH_ISOLATED"]),
    ("declared paths", &["CTX_W_GRAPH_PATH"]),
    ("linked documents", &["CTX_W_DOC_UNLINKED"]),
    ("annotations", &["CTX_W_ANNOTATION"]),
    ("cycles", &["CTX_W_GRAPH_CYCLE"]),
    ("covered names", &["CTX_W_DOC_COVERS"]),
];

/// Returns the checks of declared knowledge: name, what is wrong if anything, and whether that counts
/// as ill. None where nothing is declared.
pub fn checks(context: &Context) -> Vec<(&'static str, Vec<Problem>)> {
    let Ok(reader) = context.reader() else { return Vec::new() };
    let engine = &context.engine;
    let knowledge = engine.knowledge(&reader);
    let annotated = knowledge.annotated_refs();
    if knowledge.is_empty() && knowledge.problems.is_empty() && annotated.is_empty() {
        return Vec::new();
    }
    let snapshot = &reader.snapshot;
    let root = &engine.places.root;
    let mut problems = knowledge.problems.clone();
    problems.extend(health(
        &knowledge.graph,
        &knowledge.code(snapshot),
        &|path| root.join(path).exists(),
        &contextd_engine::documents(snapshot),
        &annotated,
    ));
    for (path, line, name) in engine.doc_pairs(snapshot, &knowledge).unknown {
        problems.push(
            Problem::warning(
                "CTX_W_DOC_COVERS",
                format!("`{name}` is neither a node nor code nor a document"),
                "Correct the name.",
            )
            .at(path, Some(line)),
        );
    }
    let mut by_code: BTreeMap<&str, Vec<Problem>> = BTreeMap::new();
    for problem in problems {
        by_code.entry(problem.code).or_default().push(problem);
    }
    CHECKS
        .iter()
        .map(|(name, codes)| {
            (
                *name,
                codes.iter().flat_map(|code| by_code.remove(code).unwrap_or_default()).collect(),
            )
        })
        .collect()
}

/// True when the problems of a check make the whole ill; a document of no node is just a remark.
pub fn is_ill(problems: &[Problem]) -> bool {
    problems
        .iter()
        .any(|problem| problem.severity == Severity::Error || problem.code != "CTX_W_DOC_UNLINKED")
}
