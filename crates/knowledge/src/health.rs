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
    let mut found = Vec::new();
    if graph.is_empty() && annotated.is_empty() {
        return found;
    }
    let mut warn = |code: &'static str, message: String, remedy: &str, path: &str, line: u32| {
        found.push(Problem::warning(code, message, remedy).at(path, Some(line)))
    };
    let joined: BTreeSet<usize> = graph
        .edges
        .iter()
        .filter(|edge| edge.from != edge.to)
        .flat_map(|edge| [edge.from, edge.to])
        .collect();
    for (number, node) in graph.nodes.iter().enumerate() {
        if node.summary.trim().is_empty() {
            warn(
                "CTX_W_GRAPH_SUMMARY",
                format!("`{}` has no summary", node.ref_id),
                "Say in one sentence what it is.",
                &node.file,
                node.line,
            );
        }
        if graph.nodes.len() > 1 && !joined.contains(&number) {
            warn(
                "CTX_W_GRAPH_ISOLATED",
                format!("`{}` has no edge to another node", node.ref_id),
                "Say what it is part of or uses.",
                &node.file,
                node.line,
            );
        }
        for path in node
            .source
            .iter()
            .filter(|path| !path.contains(['*', '?', '[']))
            .chain(&node.docs)
            .filter(|path| !exists(path.trim_end_matches('/')))
        {
            warn(
                "CTX_W_GRAPH_PATH",
                format!("`{}` names {path}, which does not exist", node.ref_id),
                "Correct the path.",
                &node.file,
                node.line,
            );
        }
    }
    let linked: BTreeSet<&str> = graph
        .nodes
        .iter()
        .flat_map(|node| &node.docs)
        .map(String::as_str)
        .collect();
    if !linked.is_empty() {
        for document in documents
            .iter()
            .filter(|document| !linked.contains(document.as_str()))
        {
            warn(
                "CTX_W_DOC_UNLINKED",
                format!("{document} belongs to no node"),
                "Add it to a node's `docs`, or leave it as it is.",
                document,
                1,
            );
        }
    }
    for (ref_id, path, line) in annotated
        .iter()
        .filter(|(ref_id, _, _)| graph.find(ref_id).is_none())
    {
        let near = crate::suggest(graph.refs(), ref_id);
        let remedy = if near.is_empty() {
            "Declare the node, or remove the annotation.".to_owned()
        } else {
            format!("Declare the node, or write one of: {}.", near.join(", "))
        };
        warn(
            "CTX_W_ANNOTATION",
            format!("an annotation names `{ref_id}`, which is not declared"),
            &remedy,
            path,
            *line,
        );
    }
    let no_cycles = Rule {
        name: "cycles".to_owned(),
        description: String::new(),
        severity: Severity::Warning,
        law: Law::ForbidCycles {
            edges: vec!["depends_on".to_owned()],
            refs: Vec::new(),
        },
        file: String::new(),
        line: 0,
    };
    for violation in check(
        &Rules {
            rules: vec![no_cycles],
        },
        graph,
        code,
    ) {
        let place = violation.evidence.first();
        found.push(
            Problem::warning("CTX_W_GRAPH_CYCLE", violation.message, violation.remedy).at(
                place.map_or("", |place| &place.path),
                place.map(|place| place.line),
            ),
        );
    }
    found
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
        assert_eq!(
            health(
                &Graph::default(),
                &Code::default(),
                &|_| false,
                &documents,
                &[]
            ),
            []
        );
    }
}
