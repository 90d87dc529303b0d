//! Architecture rules: what the declared parts may and must have to do with each other.

mod check;
mod ends;
mod read;

pub use check::{Code, CodeFile, Use, check};
pub use read::read;

use contextd_model::Severity;

/// Which nodes a rule speaks of; what is left open matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matcher {
    pub ref_id: Option<String>,
    pub kind: Option<String>,
    pub tag: Option<String>,
    pub exclude: Vec<String>,
}

impl Matcher {
    /// True when the matcher speaks of a node.
    pub fn matches(&self, node: &crate::Node) -> bool {
        let is =
            |wanted: &Option<String>, own: &str| wanted.as_ref().is_none_or(|wanted| wanted == own);
        is(&self.ref_id, &node.ref_id)
            && is(&self.kind, &node.kind)
            && self.tag.as_ref().is_none_or(|tag| node.tags.contains(tag))
            && !self.exclude.contains(&node.ref_id)
    }

    /// Writes the matcher in words.
    pub fn words(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        words.extend(self.ref_id.iter().map(|id| format!("`{id}`")));
        words.extend(self.kind.iter().map(|kind| format!("a {kind}")));
        words.extend(self.tag.iter().map(|tag| format!("tagged {tag}")));
        if words.is_empty() { "any node".to_owned() } else { words.join(" ") }
    }
}

/// What a rule says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Law {
    /// Nodes must have an edge to another.
    Require {
        on: Matcher,
        to: Matcher,
        edge: Option<String>,
    },
    /// Code of one may not use code of another, unless an edge of some kind allows it.
    Deny {
        from: Matcher,
        to: Matcher,
        unless: Vec<String>,
    },
    /// There may be no edge.
    Forbid {
        from: Matcher,
        to: Matcher,
        edge: Option<String>,
    },
    /// Upper layers may use lower ones, never the other way.
    Layers {
        layers: Vec<(String, String)>,
        edge: String,
        allow_skip: bool,
    },
    ForbidCycles {
        edges: Vec<String>,
        refs: Vec<String>,
    },
    /// Files may not import files.
    ForbidImport {
        from: String,
        to: String,
    },
    /// Nodes may not grow beyond a size.
    Size {
        on: Matcher,
        max_symbols: Option<u32>,
        max_files: Option<u32>,
    },
    /// Every file with code must belong to a node.
    ModuleCoverage {
        root: String,
        min_symbols: u32,
        exempt: Vec<String>,
    },
}

impl Law {
    /// Returns the key that the rule is written with.
    pub fn name(&self) -> &'static str {
        match self {
            Law::Require { .. } => "require",
            Law::Deny { .. } => "deny",
            Law::Forbid { .. } => "forbid",
            Law::Layers { .. } => "layers",
            Law::ForbidCycles { .. } => "forbid_cycles",
            Law::ForbidImport { .. } => "forbid_import",
            Law::Size { .. } => "check",
            Law::ModuleCoverage { .. } => "module_coverage",
        }
    }
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub description: String,
    pub severity: Severity,
    pub law: Law,
    pub file: String,
    pub line: u32,
}

/// All rules, in the order they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub rules: Vec<Rule>,
}

impl Rules {
    /// True when a rule speaks of definitions, so that uses of single ones must be known.
    pub fn name_definitions(&self) -> bool {
        let named = |end: &str| ends::split(end).1.is_some();
        self.rules.iter().any(
            |rule| matches!(&rule.law, Law::ForbidImport { from, to } if named(from) || named(to)),
        )
    }

    /// Returns the rules that speak of a node, itself or one that it is part of.
    pub fn in_force<'r>(
        &'r self,
        graph: &'r crate::Graph,
        node: usize,
    ) -> impl Iterator<Item = &'r Rule> {
        let line = graph.ancestry(node);
        self.rules
            .iter()
            .filter(move |rule| line.iter().any(|&node| concerns(rule, &graph.nodes[node])))
    }
}

fn concerns(rule: &Rule, node: &crate::Node) -> bool {
    match &rule.law {
        Law::Require { on, .. } | Law::Size { on, .. } => on.matches(node),
        Law::Deny { from, to, .. } | Law::Forbid { from, to, .. } => {
            from.matches(node) || to.matches(node)
        }
        Law::Layers { layers, .. } => layers.iter().any(|(_, tag)| node.tags.contains(tag)),
        Law::ForbidCycles { refs, .. } => refs.is_empty() || refs.contains(&node.ref_id),
        Law::ForbidImport { from, to } => {
            node.source.iter().any(|source| overlaps(from, source) || overlaps(to, source))
        }
        Law::ModuleCoverage { .. } => false,
    }
}

/// True when a pattern may match something in a source.
fn overlaps(pattern: &str, source: &str) -> bool {
    let fixed = ends::split(pattern).0.split(['*', '?', '[']).next().unwrap_or_default();
    let (fixed, source) = (fixed.trim_end_matches('/'), source.trim_end_matches('/'));
    !fixed.is_empty() && (source.starts_with(fixed) || fixed.starts_with(source))
}

/// A rule that does not hold, with what shows it and what to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    pub severity: Severity,
    pub rule: String,
    pub description: String,
    /// Key of the rule: `deny`, `layers`, …
    pub kind: &'static str,
    pub from: Option<String>,
    pub to: Option<String>,
    pub message: String,
    /// Places that show it, `path:line what`.
    pub evidence: Vec<Evidence>,
    pub remedy: String,
}

/// A place that shows a violation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    pub path: String,
    pub line: u32,
    pub what: String,
}

#[cfg(test)]
mod tests;
