//! TOML as a tree of values with lines, and the section reader that consumes it.

use super::section::Setting;
use super::{nearest::nearest, substitute};
use crate::Problem;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value after environment substitution.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Bool(bool),
    Integer(i64),
    Float(f64),
    /// `substituted` texts may stand for numbers and switches, since `${PORT}` can only be text.
    Text {
        text: String,
        substituted: bool,
    },
    List(Vec<Placed>),
    Table(Table),
    /// A date, or a number beyond what any key takes.
    Other,
}

impl Node {
    /// Names the type for an error message.
    fn kind(&self) -> &'static str {
        match self {
            Node::Bool(_) => "true or false",
            Node::Integer(_) => "a whole number",
            Node::Float(_) => "a number",
            Node::Text { .. } => "a text",
            Node::List(_) => "a list",
            Node::Table(_) => "a table",
            Node::Other => "a date or a very large number",
        }
    }
}

/// A value and the line its key stands on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub node: Node,
    pub line: u32,
}

pub(super) type Table = BTreeMap<String, Placed>;

/// Parses `text`; what cannot be parsed is reported and left out.
pub(super) fn parse_tables(
    text: &str,
    lookup_env: &dyn Fn(&str) -> Option<String>,
    problems: &mut Vec<Problem>,
) -> Table {
    let lines = Lines::of(text);
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let line = error.span().map(|span| lines.line(span.start));
        problems.push(placed(
            Problem::error(
                "CTX_E_CONFIG_SYNTAX",
                format!("The configuration is not valid TOML: {}.", error.message()),
                "Correct the line; texts need quotes, and a section is written as [watcher].",
            ),
            line,
        ));
    }
    let mut builder = Builder { lines, lookup_env, problems };
    builder.table(document.get_ref())
}

/// Returns the problem with its line filled in; the file is the caller's to name.
pub(super) fn placed(mut problem: Problem, line: Option<u32>) -> Problem {
    problem.line = line;
    problem
}

struct Builder<'a> {
    lines: Lines,
    lookup_env: &'a dyn Fn(&str) -> Option<String>,
    problems: &'a mut Vec<Problem>,
}

impl Builder<'_> {
    fn table(&mut self, table: &DeTable<'_>) -> Table {
        let mut out = Table::new();
        for (key, value) in table {
            let line = self.lines.line(key.span().start);
            let node = self.node(value);
            out.insert(key.get_ref().to_string(), Placed { node, line });
        }
        out
    }

    fn node(&mut self, value: &Spanned<DeValue<'_>>) -> Node {
        let line = self.lines.line(value.span().start);
        match value.get_ref() {
            DeValue::Boolean(value) => Node::Bool(*value),
            DeValue::Integer(value) => i64::from_str_radix(value.as_str(), value.radix())
                .map_or(Node::Other, Node::Integer),
            DeValue::Float(value) => value.as_str().parse().map_or(Node::Other, Node::Float),
            DeValue::Datetime(_) => Node::Other,
            DeValue::String(text) => self.text(text, line),
            DeValue::Table(table) => Node::Table(self.table(table)),
            DeValue::Array(items) => {
                let items = items.iter().map(|item| Placed {
                    line: self.lines.line(item.span().start),
                    node: self.node(item),
                });
                Node::List(items.collect())
            }
        }
    }

    fn text(&mut self, text: &str, line: u32) -> Node {
        let substitution = substitute::substitute(text, self.lookup_env);
        for name in substitution.missing {
            self.problems.push(placed(
                Problem::error(
                    "CTX_E_CONFIG_ENV",
                    format!("The environment variable {name} is not set."),
                    format!("Set {name}, or give a default: ${{{name}:-value}}."),
                ),
                Some(line),
            ));
        }
        Node::Text { text: substitution.text, substituted: substitution.changed }
    }
}

/// Offsets of line starts.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect())
    }

    fn line(&self, offset: usize) -> u32 {
        self.0.partition_point(|start| *start <= offset) as u32
    }
}

/// A test on a value, and the range it stands for in words.
pub(super) type Limit<T> = (fn(&T) -> bool, String);

/// Hands out the keys of one section and remembers which were asked for.
pub(super) struct Section<'a> {
    /// Section as written between brackets; empty at the top.
    name: String,
    entries: Table,
    known: Vec<String>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Section<'a> {
    pub fn new(name: impl Into<String>, entries: Table, problems: &'a mut Vec<Problem>) -> Self {
        Self { name: name.into(), entries, known: Vec::new(), problems }
    }

    /// Reads `key` into `target`; a wrong type or a value out of range leaves the target as it was.
    pub fn set<T: Setting>(&mut self, key: &'static str, target: &mut T, check: Option<Limit<T>>) {
        self.known.push(key.to_owned());
        let Some(Placed { node, line }) = self.entries.remove(key) else {
            return;
        };
        match (T::read(&node), check, &node) {
            (Some(value), Some((allowed, range)), _) if !allowed(&value) => {
                self.report_range(key, &value.show(), &range, line);
            }
            (Some(value), _, _) => *target = value,
            // A whole number that its type cannot hold has the right type all the same.
            (None, Some((_, range)), Node::Integer(value)) => {
                self.report_range(key, &value.to_string(), &range, line);
            }
            (None, _, _) => self.report_type(key, &node, T::EXPECTS, line),
        }
    }

    /// Takes out the sub-table `key`; a value of another type is reported.
    pub fn table(&mut self, key: &str) -> Option<Table> {
        self.known.push(key.to_owned());
        let Placed { node, line } = self.entries.remove(key)?;
        match node {
            Node::Table(table) => Some(table),
            other => {
                self.report_type(key, &other, "a section", line);
                None
            }
        }
    }

    /// Takes out every sub-table that is left, for sections whose names the user chooses.
    pub fn tables(&mut self) -> Vec<(String, Table)> {
        let names: Vec<String> = self.entries.keys().cloned().collect();
        names.into_iter().filter_map(|name| self.table(&name).map(|table| (name, table))).collect()
    }

    /// Opens a section inside this one.
    pub fn nested(&mut self, key: &str, entries: Table) -> Section<'_> {
        let name = self.path(key);
        Section::new(name, entries, self.problems)
    }

    /// Warns of every key that nobody asked for.
    pub fn finish(mut self) {
        for (key, Placed { line, .. }) in std::mem::take(&mut self.entries) {
            let message = format!("`{}` is not a known key.", self.path(&key));
            let known = self.known.iter().map(String::as_str);
            let remedy = match nearest(&key, known) {
                Some(name) => format!("Did you mean `{}`? Otherwise remove it.", self.path(name)),
                None => "Remove it; it has no effect.".to_owned(),
            };
            self.report(Problem::warning("CTX_W_CONFIG_UNKNOWN_KEY", message, remedy), line);
        }
    }

    fn report_range(&mut self, key: &str, value: &str, range: &str, line: u32) {
        let message = format!("`{}` is {value}, outside {range}.", self.path(key));
        let remedy = format!("Use a value from {range}, or leave it out for the default.");
        self.report(Problem::error("CTX_E_CONFIG_RANGE", message, remedy), line);
    }

    fn report_type(&mut self, key: &str, node: &Node, expects: &str, line: u32) {
        let message = format!("`{}` must be {expects}, not {}.", self.path(key), node.kind());
        let remedy = format!("Write {expects}, or leave it out for the default.");
        self.report(Problem::error("CTX_E_CONFIG_TYPE", message, remedy), line);
    }

    fn report(&mut self, problem: Problem, line: u32) {
        self.problems.push(placed(problem, Some(line)));
    }

    fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }
}
