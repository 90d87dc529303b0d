//! YAML as a tree in which every value knows its line.

use contextd_model::Problem;
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::collections::BTreeMap;

/// Values in one file, aliases written out.
const MAX_VALUES: usize = 200_000;
/// Values inside values.
const MAX_DEPTH: usize = 64;
/// Longest file that is read.
const MAX_BYTES: usize = 8 << 20;

/// A value and the line it starts on, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yaml {
    pub line: u32,
    pub value: Value,
}

/// What a value is. Keys keep their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Null,
    /// A scalar as written; quoted ones are texts whatever they look like.
    Scalar {
        text: String,
        quoted: bool,
    },
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    fn null(line: u32) -> Self {
        Self { line, value: Value::Null }
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&Yaml> {
        self.entries().iter().find(|(own, _)| own == key).map(|(_, value)| value)
    }

    /// Returns the entries of a map; none for anything else.
    pub fn entries(&self) -> &[(String, Yaml)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns the items of a list; a scalar is a list of one, null an empty one.
    pub fn items(&self) -> Vec<&Yaml> {
        match &self.value {
            Value::List(items) => items.iter().collect(),
            Value::Null => Vec::new(),
            _ => vec![self],
        }
    }

    /// Returns the scalars of a list as texts.
    pub fn texts(&self) -> Vec<String> {
        self.items().into_iter().filter_map(|item| item.text().map(str::to_owned)).collect()
    }

    /// True for an unquoted `true`, `yes` or `on`.
    pub fn is_true(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, quoted: false } if matches!(text.as_str(), "true" | "True" | "yes" | "on"))
    }

    /// True for an unquoted `false`, `no` or `off`.
    pub fn is_false(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, quoted: false } if matches!(text.as_str(), "false" | "False" | "no" | "off"))
    }
}

/// Reads the first document of a file. What cannot be read is left out and named with its line.
pub fn parse(text: &str, path: &str) -> (Yaml, Vec<Problem>) {
    let mut reader = Reader {
        path,
        problems: Vec::new(),
        anchors: BTreeMap::new(),
        left: MAX_VALUES,
        stack: Vec::new(),
        root: None,
    };
    if text.len() > MAX_BYTES {
        reader.complain(None, format!("the file has {} bytes, more than {MAX_BYTES}", text.len()));
        return (Yaml::null(1), reader.problems);
    }
    for step in Parser::new_from_str(text) {
        match step {
            Ok((event, span)) => {
                if !reader.take(event, span.start.line() as u32) {
                    break;
                }
            }
            Err(error) => {
                reader.complain(
                    Some(error.marker().line() as u32),
                    format!("this is no YAML: {}", error.info()),
                );
                break;
            }
        }
    }
    let root = reader.finish();
    (root, reader.problems)
}

/// A list or map that is still open.
struct Open {
    line: u32,
    anchor: usize,
    items: Items,
}

enum Items {
    List(Vec<Yaml>),
    /// Entries so far, and the key whose value comes next.
    Map(Vec<(String, Yaml)>, Option<(String, u32)>),
}

impl Open {
    fn close(self) -> Yaml {
        let value = match self.items {
            Items::List(items) => Value::List(items),
            Items::Map(entries, _) => Value::Map(entries),
        };
        Yaml { line: self.line, value }
    }
}

struct Reader<'p> {
    path: &'p str,
    problems: Vec<Problem>,
    /// Values that aliases may name, with the number of values in them.
    anchors: BTreeMap<usize, (Yaml, usize)>,
    left: usize,
    stack: Vec<Open>,
    root: Option<Yaml>,
}

impl Reader<'_> {
    fn complain(&mut self, line: Option<u32>, message: String) {
        self.problems.push(
            Problem::error(
                "CTX_E_GRAPH_YAML",
                message,
                "Correct the file; what could be read before is used.",
            )
            .at(self.path, line),
        );
    }

    /// Takes an event; false when reading must stop.
    fn take(&mut self, event: Event<'_>, line: u32) -> bool {
        if self.left == 0 || self.stack.len() >= MAX_DEPTH {
            self.complain(
                Some(line),
                "the file holds too many values, or values nested too deep".to_owned(),
            );
            return false;
        }
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let quoted = style != ScalarStyle::Plain;
                let value =
                    if !quoted && matches!(text.as_ref(), "" | "~" | "null" | "Null" | "NULL") {
                        Value::Null
                    } else {
                        Value::Scalar { text: text.into_owned(), quoted }
                    };
                self.add(Yaml { line, value }, anchor, 1);
            }
            Event::SequenceStart(anchor, _) => {
                self.stack.push(Open { line, anchor, items: Items::List(Vec::new()) })
            }
            Event::MappingStart(anchor, _) => {
                self.stack.push(Open { line, anchor, items: Items::Map(Vec::new(), None) })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.stack.pop() {
                    let anchor = open.anchor;
                    let closed = open.close();
                    let size = if anchor > 0 { size(&closed) } else { 0 };
                    self.add(closed, anchor, size);
                }
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor).cloned() {
                Some((value, size)) if size <= self.left => {
                    self.left -= size;
                    self.add(Yaml { line, ..value }, 0, size);
                }
                Some(_) => {
                    self.complain(Some(line), "aliases write out to too many values".to_owned());
                    return false;
                }
                None => self.complain(Some(line), "the alias names nothing before it".to_owned()),
            },
            Event::DocumentEnd => return false,
            _ => {}
        }
        true
    }

    fn add(&mut self, value: Yaml, anchor: usize, size: usize) {
        self.left = self.left.saturating_sub(1);
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), size));
        }
        let Some(open) = self.stack.last_mut() else {
            self.root.get_or_insert(value);
            return;
        };
        match &mut open.items {
            Items::List(items) => items.push(value),
            Items::Map(entries, key) => match key.take() {
                None => *key = Some((key_text(&value), value.line)),
                Some((name, line)) if entries.iter().any(|(known, _)| *known == name) => self
                    .complain(
                        Some(line),
                        format!("the key `{name}` stands twice; the first is used"),
                    ),
                Some((name, _)) => entries.push((name, value)),
            },
        }
    }

    /// Closes what a broken file left open.
    fn finish(&mut self) -> Yaml {
        while let Some(open) = self.stack.pop() {
            let closed = open.close();
            self.add(closed, 0, 0);
        }
        self.root.take().unwrap_or(Yaml::null(1))
    }
}

/// Keys are texts here; one that is no scalar is written out so that nothing is lost silently.
fn key_text(value: &Yaml) -> String {
    match &value.value {
        Value::Scalar { text, .. } => text.clone(),
        Value::Null => String::new(),
        Value::List(items) => items.iter().map(key_text).collect::<Vec<_>>().join(","),
        Value::Map(entries) => {
            entries.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(",")
        }
    }
}

fn size(value: &Yaml) -> usize {
    1 + match &value.value {
        Value::List(items) => items.iter().map(size).sum(),
        Value::Map(entries) => entries.iter().map(|(_, value)| size(value)).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_know_their_lines() {
        let (root, problems) = parse("a: 1\nb:\n  - x\n  - {c: \"2\"}\n", "g.yml");
        assert!(problems.is_empty());
        let list = root.get("b").unwrap();
        assert_eq!(list.items()[1].line, 4);
        assert_eq!(
            list.items()[1].get("c").unwrap().value,
            Value::Scalar { text: "2".into(), quoted: true }
        );
    }

    #[test]
    fn broken_files_name_the_line_and_keep_what_came_before() {
        let (root, problems) = parse("a: 1\nb: [1, 2\nc: }\n", "g.yml");
        assert_eq!(root.get("a").and_then(Yaml::text), Some("1"));
        assert!(problems[0].line.is_some_and(|line| line >= 2), "{problems:?}");
    }

    #[test]
    fn aliases_are_written_out_within_bounds() {
        let (root, problems) = parse("a: &x [1, 2]\nb: *x\n", "g.yml");
        assert!(problems.is_empty());
        assert_eq!(root.get("b").unwrap().items().len(), 2);
        // Each level repeats the one before ten times: a small file that wants to be a huge one.
        let mut bomb = String::from("l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let inner = format!("*l{}", level - 1);
            bomb.push_str(&format!("l{level}: &l{level} [{}]\n", vec![inner; 10].join(", ")));
        }
        let (_, problems) = parse(&bomb, "g.yml");
        assert!(
            problems.iter().any(|problem| problem.message.contains("too many")),
            "{problems:?}"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "(?s).{0,300}") {
            let _ = parse(&text, "g.yml");
        }

        #[test]
        fn anything_that_looks_like_yaml_is_read_without_panic(parts in prop::collection::vec(prop::sample::select(vec!["a: ", "- ", "\n", "  ", "{", "}", "[", "]", "&x ", "*x", "\"", "'", "|\n", ">", "---\n", "...\n", "? ", "# c", "!!str ", "%YAML", "\t", "é", ",", ": "]), 0..60)) {
            let _ = parse(&parts.concat(), "g.yml");
        }
    }
}
