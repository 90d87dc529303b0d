//! Rules held against the declared graph and the linked code.

use super::ends::{End, uses};
use super::{Evidence, Law, Matcher, Rule, Rules, Violation};
use crate::cycles::cycles;
use crate::globs;
use crate::graph::Graph;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the code.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub files: Vec<CodeFile>,
    /// Which file uses which, by numbers; each pair once, or once for the nodes of the definitions.
    pub uses: Vec<Use>,
    /// Which definition uses which, where a rule speaks of definitions.
    pub definitions: Vec<Use>,
}

/// A file with code.
#[derive(Clone, Debug, Default)]
pub struct CodeFile {
    pub path: String,
    /// Definitions that belong where the file belongs.
    pub symbols: u32,
    /// Definitions that annotations give to other nodes, by those nodes.
    pub apart: Vec<(Vec<usize>, u32)>,
    /// Nodes it belongs to, without those that they are part of.
    pub nodes: Vec<usize>,
    pub test: bool,
}

/// One file using another, or one definition another of the same file, seen at a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    pub from: usize,
    pub to: usize,
    pub line: u32,
    /// By an import, not just by a name.
    pub import: bool,
    /// The definition that uses and the one that is used, by qualified name; empty for a file itself.
    pub source: String,
    pub target: String,
    /// Nodes of the definitions, where annotations give them others than their files'.
    pub here: Option<Vec<usize>>,
    pub there: Option<Vec<usize>>,
}

/// Evidence shown for one violation.
const SHOWN: usize = 5;

/// Returns what violates the rules, errors first.
pub fn check(rules: &Rules, graph: &Graph, code: &Code) -> Vec<Violation> {
    let checker = Checker::new(graph, code);
    let mut found: Vec<Violation> =
        rules.rules.iter().flat_map(|rule| checker.rule(rule)).collect();
    found.sort_by(|a, b| {
        b.severity.cmp(&a.severity).then_with(|| {
            (&a.rule, &a.from, &a.to, &a.message).cmp(&(&b.rule, &b.from, &b.to, &b.message))
        })
    });
    found
}

/// A relation between two nodes, declared or seen in code.
type Links = BTreeMap<(usize, usize), Vec<Evidence>>;

struct Checker<'a> {
    graph: &'a Graph,
    code: &'a Code,
    /// Which node's code uses which node's code, with the places.
    uses: Links,
}

impl<'a> Checker<'a> {
    fn new(graph: &'a Graph, code: &'a Code) -> Self {
        let mut checker = Self { graph, code, uses: BTreeMap::new() };
        let family = |nodes: &[usize]| -> BTreeSet<usize> {
            nodes.iter().flat_map(|&node| graph.ancestry(node)).collect()
        };
        let families: Vec<BTreeSet<usize>> =
            code.files.iter().map(|file| family(&file.nodes)).collect();
        for used in code.uses.iter().filter(|used| !code.files[used.from].test) {
            let own = |nodes: &Option<Vec<usize>>, file: usize| match nodes {
                Some(nodes) => family(nodes),
                None => families[file].clone(),
            };
            let (here, there) = (own(&used.here, used.from), own(&used.there, used.to));
            let place = checker.place(used);
            // What both belong to is no border between them.
            for &from in here.difference(&there) {
                for &to in there.difference(&here) {
                    checker.uses.entry((from, to)).or_default().push(place.clone());
                }
            }
        }
        checker.uses.values_mut().for_each(|places| places.sort());
        checker
    }

    /// Returns the relations of a kind: the declared ones, and for `depends_on` and `uses` what code shows.
    fn links(&self, kind: &str) -> Links {
        let mut links: Links = BTreeMap::new();
        for edge in self.graph.edges.iter().filter(|edge| edge.kind == kind) {
            links.entry((edge.from, edge.to)).or_default().push(Evidence {
                path: edge.file.clone(),
                line: edge.line,
                what: format!("declares {kind}"),
            });
        }
        if matches!(kind, "depends_on" | "uses") {
            for (&pair, places) in &self.uses {
                links.entry(pair).or_default().extend(places.iter().cloned());
            }
        }
        links
    }

    fn name(&self, node: usize) -> &str {
        &self.graph.nodes[node].ref_id
    }

    fn rule(&self, rule: &Rule) -> Vec<Violation> {
        match &rule.law {
            Law::Require { on, to, edge } => self.require(rule, on, to, edge.as_deref()),
            Law::Deny { from, to, unless } => self.deny(rule, from, to, unless),
            Law::Forbid { from, to, edge } => self.forbid(rule, from, to, edge.as_deref()),
            Law::Layers { layers, edge, allow_skip } => {
                self.layers(rule, layers, edge, *allow_skip)
            }
            Law::ForbidCycles { edges, refs } => self.forbid_cycles(rule, edges, refs),
            Law::ForbidImport { from, to } => self.forbid_import(rule, from, to),
            Law::Size { on, max_symbols, max_files } => {
                self.size(rule, on, *max_symbols, *max_files)
            }
            Law::ModuleCoverage { root, min_symbols, exempt } => {
                self.module_coverage(rule, root, *min_symbols, exempt)
            }
        }
    }

    fn require(
        &self,
        rule: &Rule,
        on: &Matcher,
        to: &Matcher,
        edge: Option<&str>,
    ) -> Vec<Violation> {
        let satisfied = |node: usize| {
            self.graph.edges.iter().any(|own| {
                own.from == node
                    && edge.is_none_or(|edge| own.kind == edge)
                    && to.matches(&self.graph.nodes[own.to])
            })
        };
        let matched = self.graph.nodes.iter().enumerate().filter(|(_, node)| on.matches(node));
        let broken = matched.filter(|(number, _)| !satisfied(*number));
        broken
            .map(|(_, node)| {
                let kind = edge.unwrap_or("any");
                let place = Evidence { path: node.file.clone(), line: node.line, what: "is declared here".to_owned() };
                self.violation(rule, Some(&node.ref_id), None, format!("`{}` has no {kind} edge to {}", node.ref_id, to.words()), vec![place], format!("Add an edge `{{src: {}, dst: …, kind: {}}}`, or exclude the node in the rule.", node.ref_id, edge.unwrap_or("part_of")))
            })
            .collect()
    }

    fn deny(&self, rule: &Rule, from: &Matcher, to: &Matcher, unless: &[String]) -> Vec<Violation> {
        let allowed = |pair: (usize, usize)| {
            self.graph
                .edges
                .iter()
                .any(|edge| (edge.from, edge.to) == pair && unless.contains(&edge.kind))
        };
        let uses = self.uses.iter().filter(|((here, there), _)| {
            from.matches(&self.graph.nodes[*here]) && to.matches(&self.graph.nodes[*there])
        });
        uses.filter(|(pair, _)| !allowed(**pair)).map(|(&pair, places)| self.relation(rule, pair, "uses code of", places, "Move what is used, turn the dependency around, or declare an edge that the rule allows.")).collect()
    }

    fn forbid(
        &self,
        rule: &Rule,
        from: &Matcher,
        to: &Matcher,
        edge: Option<&str>,
    ) -> Vec<Violation> {
        let kinds: BTreeSet<&str> = match edge {
            Some(kind) => BTreeSet::from([kind]),
            None => self
                .graph
                .edges
                .iter()
                .map(|edge| edge.kind.as_str())
                .chain(["depends_on"])
                .collect(),
        };
        let mut found: BTreeMap<(usize, usize), (String, Vec<Evidence>)> = BTreeMap::new();
        for kind in kinds {
            for (pair, places) in self.links(kind) {
                if from.matches(&self.graph.nodes[pair.0])
                    && to.matches(&self.graph.nodes[pair.1])
                    && pair.0 != pair.1
                {
                    found.entry(pair).or_insert((kind.to_owned(), Vec::new())).1.extend(places);
                }
            }
        }
        found
            .into_iter()
            .map(|(pair, (kind, places))| {
                self.relation(
                    rule,
                    pair,
                    &format!("has {kind} to"),
                    &places,
                    "Remove the edge and the uses that cause it, or relax the rule.",
                )
            })
            .collect()
    }

    fn layers(
        &self,
        rule: &Rule,
        layers: &[(String, String)],
        edge: &str,
        allow_skip: bool,
    ) -> Vec<Violation> {
        let layer = |node: usize| {
            layers.iter().position(|(_, tag)| self.graph.nodes[node].tags.contains(tag))
        };
        let mut found = Vec::new();
        for (pair, places) in self.links(edge) {
            let (Some(from), Some(to)) = (layer(pair.0), layer(pair.1)) else {
                continue;
            };
            let names =
                format!("(layer {}) reaches into the layer {},", layers[from].0, layers[to].0);
            if to < from {
                found.push(self.relation(
                    rule,
                    pair,
                    &format!("{names} which is above:"),
                    &places,
                    "Move what is used down, or pass it in from above.",
                ));
            } else if !allow_skip && to > from + 1 {
                found.push(self.relation(
                    rule,
                    pair,
                    &format!("{names} past the one between:"),
                    &places,
                    "Go through the layer between.",
                ));
            }
        }
        found
    }

    fn forbid_cycles(&self, rule: &Rule, kinds: &[String], refs: &[String]) -> Vec<Violation> {
        let mut links: Links = BTreeMap::new();
        for kind in kinds {
            for (pair, places) in self.links(kind) {
                links.entry(pair).or_default().extend(places);
            }
        }
        let wanted =
            |node: usize| refs.is_empty() || refs.iter().any(|ref_id| ref_id == self.name(node));
        // A part and its whole are no cycle: the whole's code is the part's code.
        let kin = |(from, to): (usize, usize)| {
            self.graph.ancestry(from).contains(&to) || self.graph.ancestry(to).contains(&from)
        };
        let edges: BTreeSet<(usize, usize)> = links
            .keys()
            .copied()
            .filter(|&pair| wanted(pair.0) && wanted(pair.1) && !kin(pair))
            .collect();
        cycles(&edges)
            .into_iter()
            .map(|cycle| {
                let mut names: Vec<&str> = cycle.iter().map(|&node| self.name(node)).collect();
                names.push(names[0]);
                let places = (0..cycle.len()).filter_map(|at| links.get(&(cycle[at], cycle[(at + 1) % cycle.len()]))?.first().cloned()).collect();
                self.violation(rule, Some(names[0]), Some(names[names.len() - 2]), format!("cycle: {}", names.join(" → ")), places, "Break one of the steps: move what both need into a third part, or turn one use around.".to_owned())
            })
            .collect()
    }

    fn forbid_import(&self, rule: &Rule, from: &str, to: &str) -> Vec<Violation> {
        let (Some(from), Some(to)) = (End::parse(from), End::parse(to)) else {
            return Vec::new();
        };
        uses(&from, &to, self.code)
            .map(|used| {
                let place = self.place(used);
                let here = &self.code.files[used.from].path;
                let message = match used.source.as_str() {
                    "" => format!("{here} {}", place.what),
                    _ => format!("{here}: {}", place.what),
                };
                let remedy = if to.is_definition() {
                    "Use something that the rule allows, or move the code."
                } else {
                    "Import it from an allowed place, or move the code."
                };
                self.violation(rule, None, None, message, vec![place], remedy.to_owned())
            })
            .collect()
    }

    /// Says where a use stands, which definition uses and which is used.
    fn place(&self, used: &Use) -> Evidence {
        let there = &self.code.files[used.to].path;
        let what = match (used.source.as_str(), used.target.as_str()) {
            _ if used.import => format!("imports {there}"),
            ("", "") => format!("uses {there}"),
            ("", target) => format!("uses `{target}` of {there}"),
            (source, "") => format!("`{source}` uses {there}"),
            (source, target) => format!("`{source}` uses `{target}` of {there}"),
        };
        Evidence { path: self.code.files[used.from].path.clone(), line: used.line, what }
    }

    fn size(
        &self,
        rule: &Rule,
        on: &Matcher,
        max_symbols: Option<u32>,
        max_files: Option<u32>,
    ) -> Vec<Violation> {
        let mut found = Vec::new();
        for (number, node) in
            self.graph.nodes.iter().enumerate().filter(|(_, node)| on.matches(node))
        {
            let is_own = |nodes: &[usize]| {
                nodes.iter().any(|&own| self.graph.ancestry(own).contains(&number))
            };
            let (mut symbols, mut files) = (0, 0);
            for file in self.code.files.iter().filter(|file| !file.test) {
                let apart = file.apart.iter().filter(|(nodes, _)| is_own(nodes));
                symbols += apart.map(|(_, count)| count).sum::<u32>();
                if is_own(&file.nodes) {
                    symbols += file.symbols;
                    files += 1;
                }
            }
            for (what, count, most) in
                [("symbols", symbols, max_symbols), ("files", files, max_files)]
            {
                if let Some(most) = most.filter(|&most| count > most) {
                    let place = Evidence {
                        path: node.file.clone(),
                        line: node.line,
                        what: format!("has {count} {what}"),
                    };
                    found.push(self.violation(
                        rule,
                        Some(&node.ref_id),
                        None,
                        format!("`{}` has {count} {what}, more than {most}", node.ref_id),
                        vec![place],
                        "Split it into parts, or raise the limit on purpose.".to_owned(),
                    ));
                }
            }
        }
        found
    }

    fn module_coverage(
        &self,
        rule: &Rule,
        root: &str,
        min_symbols: u32,
        exempt: &[String],
    ) -> Vec<Violation> {
        let exempt: Vec<_> = exempt.iter().filter_map(|pattern| globs::pattern(pattern)).collect();
        // A node that has parts of its own does not stand for every file below its folder.
        let has_parts = |node: usize| {
            self.graph
                .edges
                .iter()
                .any(|edge| edge.kind == "part_of" && edge.to == node && edge.from != node)
        };
        let covers = |node: usize, path: &str| {
            !has_parts(node) || self.graph.nodes[node].source.iter().any(|source| source == path)
        };
        let inside = self.code.files.iter().filter(|file| {
            globs::holds(root, &file.path) && !file.test && file.symbols >= min_symbols
        });
        let open = inside.filter(|file| {
            !file.nodes.iter().any(|&node| covers(node, &file.path))
                && !exempt.iter().any(|pattern| pattern.is_match(&file.path))
        });
        open.map(|file| {
            let place = Evidence { path: file.path.clone(), line: 1, what: format!("has {} symbols", file.symbols) };
            self.violation(rule, None, None, format!("{} belongs to no declared node", file.path), vec![place], "Annotate it with the node it belongs to, name it as a node's source, or exempt it in the rule.".to_owned())
        })
        .collect()
    }

    fn relation(
        &self,
        rule: &Rule,
        (from, to): (usize, usize),
        verb: &str,
        places: &[Evidence],
        remedy: &str,
    ) -> Violation {
        let more = if places.len() > SHOWN {
            format!(" ({} places)", places.len())
        } else {
            String::new()
        };
        let message = format!("`{}` {verb} `{}`{more}", self.name(from), self.name(to));
        self.violation(
            rule,
            Some(self.name(from)),
            Some(self.name(to)),
            message,
            places.to_vec(),
            remedy.to_owned(),
        )
    }

    fn violation(
        &self,
        rule: &Rule,
        from: Option<&str>,
        to: Option<&str>,
        message: String,
        mut evidence: Vec<Evidence>,
        remedy: String,
    ) -> Violation {
        evidence.truncate(SHOWN);
        Violation {
            severity: rule.severity,
            rule: rule.name.clone(),
            description: rule.description.clone(),
            kind: rule.law.name(),
            from: from.map(str::to_owned),
            to: to.map(str::to_owned),
            message,
            evidence,
            remedy,
        }
    }
}
