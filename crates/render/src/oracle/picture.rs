//! Graphs as Mermaid and as DOT.

use contextd_ops::oracle::Picture;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Writes a graph as a Mermaid flowchart.
pub fn mermaid(picture: &Picture) -> String {
    let mut out = String::from("flowchart LR\n");
    let ids = ids(picture);
    for node in &picture.nodes {
        let (open, close) = match node.kind.as_str() {
            "service" | "folder" => ("[[", "]]"),
            "domain" | "class" | "struct" | "interface" | "trait" => ("(", ")"),
            _ => ("[", "]"),
        };
        let _ = writeln!(
            out,
            "  {}{open}\"{}<br/>{}\"{close}",
            ids[node.id.as_str()],
            quoted(&node.label),
            quoted(&node.kind)
        );
    }
    for edge in &picture.edges {
        if let (Some(from), Some(to)) = (ids.get(edge.from.as_str()), ids.get(edge.to.as_str())) {
            let arrow = if edge.certainty == "declared" { "-->" } else { "-.->" };
            let count = if edge.count > 1 { format!(" {}", edge.count) } else { String::new() };
            let _ = writeln!(out, "  {from} {arrow}|\"{}{count}\"| {to}", quoted(&edge.kind));
        }
    }
    for node in picture.nodes.iter().filter(|node| node.focus) {
        let _ = writeln!(out, "  style {} stroke-width:3px", ids[node.id.as_str()]);
    }
    if picture.cut {
        out.push_str("  %% more lies beyond the limit\n");
    }
    out
}

/// Writes a graph in the DOT language.
pub fn dot(picture: &Picture) -> String {
    let mut out =
        format!("digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box];\n", escaped(&picture.title));
    let ids = ids(picture);
    for node in &picture.nodes {
        let bold = if node.focus { ", penwidth=2" } else { "" };
        let _ = writeln!(
            out,
            "  {} [label=\"{}\\n{}\"{bold}];",
            ids[node.id.as_str()],
            escaped(&node.label),
            escaped(&node.kind)
        );
    }
    for edge in &picture.edges {
        if let (Some(from), Some(to)) = (ids.get(edge.from.as_str()), ids.get(edge.to.as_str())) {
            let style = if edge.certainty == "declared" { "" } else { ", style=dashed" };
            let count = if edge.count > 1 { format!(" {}", edge.count) } else { String::new() };
            let _ = writeln!(
                out,
                "  {from} -> {to} [label=\"{}{count}\"{style}];",
                escaped(&edge.kind)
            );
        }
    }
    out.push_str("}\n");
    out
}

/// Gives nodes names that no language of pictures stumbles over.
fn ids(picture: &Picture) -> BTreeMap<&str, String> {
    picture
        .nodes
        .iter()
        .enumerate()
        .map(|(number, node)| (node.id.as_str(), format!("n{number}")))
        .collect()
}

/// Mermaid reads entities, and takes quotes and brackets for its own.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '"' | '<' | '>' | '#' | '&' | '`' | '|' | '[' | ']' | '{' | '}' | '(' | ')' | ';' => {
                let _ = write!(out, "#{};", letter as u32);
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace(|letter: char| letter.is_control(), " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextd_ops::oracle::{PictureEdge, PictureNode};

    fn picture() -> Picture {
        let node = |id: &str| PictureNode {
            id: id.to_owned(),
            label: format!("{id} \"q\" <T>"),
            kind: "domain".to_owned(),
            file: None,
            line: None,
            focus: id == "a",
        };
        Picture {
            title: "a".to_owned(),
            nodes: vec![node("a"), node("b")],
            edges: vec![PictureEdge {
                from: "a".to_owned(),
                to: "b".to_owned(),
                kind: "uses".to_owned(),
                count: 3,
                certainty: "known".to_owned(),
            }],
            cut: false,
        }
    }

    #[test]
    fn labels_cannot_break_out() {
        let mermaid = mermaid(&picture());
        assert!(
            mermaid.contains("n0(\"a #34;q#34; #60;T#62;<br/>domain\")")
                && mermaid.contains("n0 -.->|\"uses 3\"| n1"),
            "{mermaid}"
        );
        let dot = dot(&picture());
        assert!(
            dot.contains("n0 [label=\"a \\\"q\\\" <T>\\ndomain\", penwidth=2];")
                && dot.contains("n0 -> n1 [label=\"uses 3\", style=dashed];"),
            "{dot}"
        );
    }
}
