//! What is wrong with declared knowledge, beside what cannot be read.

use crate::graph::Graph;
use crate::rules::{Code, Law, Rule, Rules, check};
use contextd_model::{Problem, Severity};
use std::collections::BTreeSet;

/// Looks at nodes, documents, annotations and cycles. `exists` knows files and folders of the root,
/// `documents` are all of its documents, `annotated` every ref that an annotation names with its place.
pub fn health(
    graph: &Graph,
    code: &Code,
    exists: &dyn Fn(&str) -> bool,
    documents: &[String],
    annotated: &[(String, String, u32)],
) -> Vec<Problem> {
    if graph.is_empty() && annotated.is_empty() {
        return Vec::new();
    }
    let mut found = nodes(graph, exists);
    found.extend(unlinked(graph, documents));
    found.extend(dangling(graph, annotated));
    found.extend(cycles(graph, code));
    found
}

/// Nodes without a summary, without an edge, or with paths that do not exist.
fn nodes(graph: &Graph, exists: &dyn Fn(&str) -> bool) -> Vec<Problem> {
    let between = graph.edges.iter().filter(|edge| edge.from != edge.to);
    let joined: BTreeSet<usize> = between.flat_map(|edge| [edge.from, edge.to]).collect();
    let mut found = Vec::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        let own = &node.ref_id;
        let mut warn = |code, message, remedy| {
            found.push(Problem::warning(code, message, remedy).at(&node.file, Some(node.line)))
        };
        if node.summary.trim().is_empty() {
            let message = format!("`{own}` has no summary");
            warn("CTX_W_GRAPH_SUMMARY", message, "Say in one sentence what it is.");
        }
        if graph.nodes.len() > 1 && !joined.contains(&number) {
            let message = format!("`{own}` has no edge to another node");
            warn("CTX_W_GRAPH_ISOLATED", message, "Say what it is part of or uses.");
        }
        let plain = node.source.iter().filter(|path| !path.contains(['*', '?', '[']));
        for path in plain.chain(&node.docs).filter(|path| !exists(path.trim_end_matches('/'))) {
            let message = format!("`{own}` names {path}, which does not exist");
            warn("CTX_W_GRAPH_PATH", message, "Correct the path.");
        }
    }
    found
}

/// Documents that belong to no node, where some do.
fn unlinked(graph: &Graph, documents: &[String]) -> Vec<Problem> {
    let linked: BTreeSet<&String> = graph.nodes.iter().flat_map(|node| &node.docs).collect();
    let stray =
        documents.iter().filter(|document| !linked.is_empty() && !linked.contains(document));
    let remedy = "Add it to a node's `docs`, or leave it as it is.";
    stray
        .map(|document| {
            let message = format!("{document} belongs to no node");
            Problem::warning("CTX_W_DOC_UNLINKED", message, remedy).at(document, Some(1))
        })
        .collect()
}

/// Annotations that name a node which is not declared.
fn dangling(graph: &Graph, annotated: &[(String, String, u32)]) -> Vec<Problem> {
    let unknown = annotated.iter().filter(|(ref_id, _, _)| graph.find(ref_id).is_none());
    unknown
        .map(|(ref_id, path, line)| {
            let near = crate::suggest(graph.refs(), ref_id);
            let remedy = match near.is_empty() {
                true => "Declare the node, or remove the annotation.".to_owned(),
                false => format!("Declare the node, or write one of: {}.", near.join(", ")),
            };
            let message = format!("an annotation names `{ref_id}`, which is not declared");
            Problem::warning("CTX_W_ANNOTATION", message, remedy).at(path, Some(*line))
        })
        .collect()
}

/// Parts that depend on each other in a circle.
fn cycles(graph: &Graph, code: &Code) -> Vec<Problem> {
    let law = Law::ForbidCycles { edges: vec!["depends_on".to_owned()], refs: Vec::new() };
    let no_cycles = Rule {
        name: "cycles".to_owned(),
        description: String::new(),
        severity: Severity::Warning,
        law,
        file: String::new(),
        line: 0,
    };
    let violations = check(&Rules { rules: vec![no_cycles] }, graph, code);
    violations
        .into_iter()
        .map(|violation| {
            let place = violation.evidence.first();
            Problem::warning("CTX_W_GRAPH_CYCLE", violation.message, violation.remedy)
                .at(place.map_or("", |place| &place.path), place.map(|place| place.line))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::File;

    #[test]
    fn each_fault_is_found_and_a_sound_graph_has_none() {
        let read = |text: &str| Graph::of(vec![File::parse(text, "g.yml").0]).0;
        let sound = read(
            "nodes:\n- {ref_id: a, kind: domain, summary: s, source: a, docs: [a.md]}\n- {ref_id: b, kind: domain, summary: s}\nedges:\n- {src: a, dst: b, kind: depends_on}\n",
        );
        let documents = ["a.md".to_owned()];
        assert_eq!(
            health(
                &sound,
                &Code::default(),
                &|_| true,
                &documents,
                &[("a".into(), "x.py".into(), 1)]
            ),
            []
        );
        let faulty = read(
            "nodes:\n- {ref_id: a, kind: domain, source: gone, docs: [a.md]}\n- {ref_id: b, kind: domain, summary: s}\n- {ref_id: c, kind: domain, summary: s}\nedges:\n- {src: c, dst: b, kind: depends_on}\n- {src: b, dst: c, kind: depends_on}\n",
        );
        let found = health(
            &faulty,
            &Code::default(),
            &|path| path != "gone",
            &["b.md".to_owned()],
            &[("d".into(), "x.py".into(), 3)],
        );
        let mut codes: Vec<&str> = found.iter().map(|problem| problem.code).collect();
        codes.sort_unstable();
        assert_eq!(
            codes,
            [
                "CTX_W_ANNOTATION",
                "CTX_W_DOC_UNLINKED",
                "CTX_W_GRAPH_CYCLE",
                "CTX_W_GRAPH_ISOLATED",
                "CTX_W_GRAPH_PATH",
                "CTX_W_GRAPH_SUMMARY"
            ]
        );
        assert_eq!(health(&Graph::default(), &Code::default(), &|_| false, &documents, &[]), []);
    }
}
