//! One file of the declared graph.

use super::{Node, SyncMode};
use crate::yaml::{self, Value, Yaml};
use contextd_model::Problem;

/// What one file declares.
#[derive(Clone, Debug, Default)]
pub struct File {
    pub nodes: Vec<Node>,
    pub edges: Vec<Loose>,
    /// Tags with the nodes that have them, and the place.
    pub tags: Vec<(String, Vec<String>, (String, u32))>,
    /// The whole file, for the rules in it.
    pub root: Option<Yaml>,
    pub path: String,
}

/// An edge whose ends are still names; or a tag for a node that is not known yet.
#[derive(Clone, Debug, Default)]
pub struct Loose {
    pub from: String,
    pub to: String,
    pub kind: String,
    pub tag: Option<String>,
    pub extra: Vec<(String, Yaml)>,
    pub file: String,
    pub line: u32,
}

impl Loose {
    pub(super) fn tag(tag: &str, ref_id: String, place: &(String, u32)) -> Self {
        Self {
            to: ref_id,
            tag: Some(tag.to_owned()),
            file: place.0.clone(),
            line: place.1,
            ..Self::default()
        }
    }
}

impl File {
    /// Reads a file of nodes, edges, tags and rules.
    pub fn parse(text: &str, path: &str) -> (File, Vec<Problem>) {
        let (root, mut problems) = yaml::parse(text, path);
        let mut file = File { path: path.to_owned(), ..File::default() };
        match root.value {
            Value::Map(_) => {}
            Value::Null => return (file, problems),
            _ => {
                problems.push(wrong(
                    path,
                    root.line,
                    "the file is no map of `nodes`, `edges` and `rules`".to_owned(),
                ));
                return (file, problems);
            }
        }
        for item in root.get("nodes").map(list).unwrap_or_default() {
            match node(&item, path) {
                Ok(node) => file.nodes.push(node),
                Err(problem) => problems.push(problem),
            }
        }
        for item in root.get("edges").map(list).unwrap_or_default() {
            match edge(&item, path) {
                Ok(edge) => file.edges.push(edge),
                Err(problem) => problems.push(problem),
            }
        }
        for (tag, refs) in root.get("tags").map(Yaml::entries).unwrap_or_default() {
            file.tags.push((tag.clone(), refs.texts(), (path.to_owned(), refs.line)));
        }
        file.root = Some(root);
        (file, problems)
    }
}

/// Returns the items of a list; a map of maps is a list whose items are named by the keys.
fn list(value: &Yaml) -> Vec<Yaml> {
    match &value.value {
        Value::Map(entries) => entries
            .iter()
            .map(|(key, inner)| {
                let mut fields = vec![(
                    "ref_id".to_owned(),
                    Yaml {
                        line: inner.line,
                        value: Value::Scalar { text: key.clone(), quoted: true },
                    },
                )];
                fields.extend(inner.entries().iter().cloned());
                Yaml { line: inner.line, value: Value::Map(fields) }
            })
            .collect(),
        _ => value.items().into_iter().cloned().collect(),
    }
}

fn wrong(path: &str, line: u32, message: String) -> Problem {
    Problem::error(
        "CTX_E_GRAPH_SHAPE",
        message,
        "See docs/oracle.md for the keys; the entry is left out.",
    )
    .at(path, Some(line))
}

/// Keys of a node that have a meaning here.
const KNOWN: &[&str] = &[
    "ref_id",
    "kind",
    "summary",
    "source",
    "lifecycle",
    "docs",
    "tags",
    "owners",
    "owner",
    "test",
    "sync",
];

fn node(item: &Yaml, path: &str) -> Result<Node, Problem> {
    let text = |key: &str| item.get(key).and_then(Yaml::text).unwrap_or_default().to_owned();
    let texts = |key: &str| item.get(key).map(Yaml::texts).unwrap_or_default();
    let ref_id = text("ref_id");
    if ref_id.trim().is_empty() {
        return Err(wrong(path, item.line, "a node has no `ref_id`".to_owned()));
    }
    let kind = text("kind");
    if kind.is_empty() {
        return Err(wrong(path, item.line, format!("the node `{ref_id}` has no `kind`")));
    }
    let sync = match item.get("sync") {
        Some(value) if value.is_false() => SyncMode::Off,
        Some(value) => match value.text() {
            Some("bodies") | None => SyncMode::Bodies,
            Some("interface") => SyncMode::Interface,
            Some(other) => {
                return Err(wrong(
                    path,
                    value.line,
                    format!("`sync: {other}` of `{ref_id}` is none of bodies, interface, off"),
                ));
            }
        },
        None => SyncMode::Bodies,
    };
    let lifecycle = Some(text("lifecycle"))
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| "active".to_owned());
    Ok(Node {
        kind,
        summary: text("summary"),
        source: texts("source")
            .iter()
            .map(|source| source.trim_start_matches("./").to_owned())
            .collect(),
        lifecycle,
        docs: texts("docs").iter().map(|doc| doc.trim_start_matches("./").to_owned()).collect(),
        tags: texts("tags"),
        owners: [texts("owners"), texts("owner")].concat(),
        test: text("test"),
        sync,
        extra: item
            .entries()
            .iter()
            .filter(|(key, _)| !KNOWN.contains(&key.as_str()))
            .cloned()
            .collect(),
        file: path.to_owned(),
        line: item.line,
        ref_id,
    })
}

fn edge(item: &Yaml, path: &str) -> Result<Loose, Problem> {
    let text = |keys: [&str; 2]| {
        keys.iter()
            .find_map(|key| item.get(key))
            .and_then(Yaml::text)
            .unwrap_or_default()
            .to_owned()
    };
    let (from, to, kind) = (text(["src", "from"]), text(["dst", "to"]), text(["kind", "type"]));
    for (name, value) in [("src", &from), ("dst", &to), ("kind", &kind)] {
        if value.is_empty() {
            return Err(wrong(path, item.line, format!("an edge has no `{name}`")));
        }
    }
    let extra = item
        .entries()
        .iter()
        .filter(|(key, _)| !["src", "from", "dst", "to", "kind", "type"].contains(&key.as_str()))
        .cloned()
        .collect();
    Ok(Loose { from, to, kind, tag: None, extra, file: path.to_owned(), line: item.line })
}
