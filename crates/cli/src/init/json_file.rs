//! JSON with comments and trailing commas: an entry goes in, every other byte stays.

use super::document::{Entry, Refusal};
use super::edit::Edit;
use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast, parse_to_serde_value};
use serde_json::Value;

/// Nothing beyond comments and trailing commas: what the readers of these files may not understand is refused.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Returns what a document says; one without a value says nothing.
pub fn value(text: &str) -> Result<Value, Refusal> {
    let (_, body) = body(text);
    if root(body)?.is_none() {
        return Ok(Value::Null);
    }
    parse_to_serde_value(body, &OPTIONS).map_err(|error| malformed(&error))
}

/// Returns the edit that puts an entry under `key`, or in place of the one of that name.
pub fn put(text: &str, key: &[String], name: &str, entry: &Entry) -> Result<Vec<Edit>, Refusal> {
    let (start, body) = body(text);
    let layout = Layout::of(body);
    let edit = match root(body)? {
        None => Edit::insert(body.len(), layout.document(body, &nested(key, name, entry))),
        Some(Node::Object(root)) => in_object(body, &layout, &root, key, name, entry)?,
        Some(_) => {
            return Err(Refusal::new(
                "the file holds no object",
                "Make it a JSON object, or move it away.",
            ));
        }
    };
    Ok(vec![Edit { at: edit.at + start, ..edit }])
}

/// Returns the edits that take an entry out, when it is there.
pub fn take(text: &str, key: &[String], name: &str) -> Result<Option<Vec<Edit>>, Refusal> {
    let (start, body) = body(text);
    let Some(Node::Object(root)) = root(body)? else { return Ok(None) };
    let mut object = &root;
    for part in key {
        let Some(ObjectProp { value: Node::Object(inner), .. }) = member(object, part) else {
            return Ok(None);
        };
        object = inner;
    }
    let Some(at) = object.properties.iter().rposition(|property| property.name.as_str() == name)
    else {
        return Ok(None);
    };
    let edits = without(body, object, at);
    Ok(Some(edits.into_iter().map(|edit| Edit { at: edit.at + start, ..edit }).collect()))
}

/// Leaves a mark of the byte order out.
fn body(text: &str) -> (usize, &str) {
    text.strip_prefix('\u{feff}').map_or((0, text), |body| ('\u{feff}'.len_utf8(), body))
}

fn root(body: &str) -> Result<Option<Node<'_>>, Refusal> {
    parse_to_ast(body, &CollectOptions::default(), &OPTIONS)
        .map(|result| result.value)
        .map_err(|error| malformed(&error))
}

fn malformed(error: &jsonc_parser::errors::ParseError) -> Refusal {
    Refusal::new(
        format!("it is no valid JSON: {error}"),
        "Mend the file, then run this again; nothing was changed.",
    )
}

/// Of members with one name the last counts, as for those who read the file.
fn member<'o, 'a>(object: &'o Object<'a>, name: &str) -> Option<&'o ObjectProp<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == name)
}

fn in_object(
    body: &str,
    layout: &Layout,
    root: &Object,
    key: &[String],
    name: &str,
    entry: &Entry,
) -> Result<Edit, Refusal> {
    let mut object = root;
    for (depth, part) in key.iter().enumerate() {
        match member(object, part).map(|property| &property.value) {
            None => {
                return Ok(layout.first_member(
                    body,
                    object,
                    part,
                    &nested(&key[depth + 1..], name, entry),
                ));
            }
            Some(Node::Object(inner)) => object = inner,
            Some(_) => {
                return Err(Refusal::new(
                    format!("`{part}` is there but is no object"),
                    format!("Make `{part}` an object, or remove it."),
                ));
            }
        }
    }
    let fields = Tree::of(entry);
    Ok(match member(object, name) {
        None => layout.first_member(body, object, name, &fields),
        Some(old) => {
            let range = jsonc_parser::common::Ranged::range(&old.value);
            let inserted = layout.write(
                &fields,
                &indent_of(body, old.range.start),
                layout.is_line(body, object),
            );
            Edit { at: range.start, removed: body[range.start..range.end].to_owned(), inserted }
        }
    })
}

/// A value to be written: objects keep the order of their fields.
enum Tree {
    Object(Vec<(String, Tree)>),
    Plain(Value),
}

impl Tree {
    fn of(entry: &Entry) -> Self {
        let plain = |value: &toml::Value| serde_json::to_value(value).unwrap_or(Value::Null);
        Tree::Object(
            entry.iter().map(|(name, value)| (name.clone(), Tree::Plain(plain(value)))).collect(),
        )
    }
}

fn nested(key: &[String], name: &str, entry: &Entry) -> Tree {
    let inner = Tree::Object(vec![(name.to_owned(), Tree::of(entry))]);
    key.iter().rev().fold(inner, |inner, part| Tree::Object(vec![(part.clone(), inner)]))
}

/// How a document is laid out: what a line ends with and how far a level is moved in.
struct Layout {
    newline: &'static str,
    step: String,
}

impl Layout {
    fn of(body: &str) -> Self {
        let newline = if body.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r')) {
            "\r\n"
        } else {
            "\n"
        };
        let first = body
            .lines()
            .map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()])
            .find(|space| !space.is_empty());
        let step = match first {
            Some(space) if space.starts_with('\t') => "\t".to_owned(),
            Some(space) if space.len() <= 8 => space.to_owned(),
            _ => "  ".to_owned(),
        };
        Self { newline, step }
    }

    /// Writes a whole document behind what a file without a value holds.
    fn document(&self, before: &str, tree: &Tree) -> String {
        let line =
            if before.trim().is_empty() || before.ends_with('\n') { "" } else { self.newline };
        format!("{line}{}{}", self.write(tree, "", false), self.newline)
    }

    /// Returns the edit that makes a member the first of an object: it needs no change of another line.
    fn first_member(&self, body: &str, object: &Object, name: &str, tree: &Tree) -> Edit {
        let (open, close) = (object.range.start + 1, object.range.end - 1);
        let comma = if object.properties.is_empty() { "" } else { "," };
        let name = quoted(name);
        if self.is_line(body, object) {
            let space = if object.properties.is_empty() { "" } else { " " };
            return Edit::insert(
                open,
                format!("{name}: {}{comma}{space}", self.write(tree, "", true)),
            );
        }
        let outer = indent_of(body, object.range.start);
        let indent = match object.properties.first() {
            Some(first) => indent_of(body, first.range.start),
            None => format!("{outer}{}", self.step),
        };
        let at = open + remark(&body[open..close]);
        let end = if body[at..close].contains('\n') {
            String::new()
        } else {
            format!("{}{outer}", self.newline)
        };
        Edit::insert(
            at,
            format!(
                "{}{indent}{name}: {}{comma}{end}",
                self.newline,
                self.write(tree, &indent, false)
            ),
        )
    }

    /// True when an object is written on one line and members should be, too.
    fn is_line(&self, body: &str, object: &Object) -> bool {
        match object.properties.first() {
            Some(first) => !body[object.range.start..first.range.start].contains('\n'),
            None => !body.trim_end().contains('\n') && body.trim() != "{}",
        }
    }

    fn write(&self, tree: &Tree, indent: &str, line: bool) -> String {
        match tree {
            Tree::Plain(value) => flat(value),
            Tree::Object(fields) if line => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| {
                        format!("{}: {}", quoted(name), self.write(value, "", true))
                    })
                    .collect();
                format!("{{{}}}", fields.join(", "))
            }
            Tree::Object(fields) => {
                let inner = format!("{indent}{}", self.step);
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| {
                        format!("{inner}{}: {}", quoted(name), self.write(value, &inner, false))
                    })
                    .collect();
                format!(
                    "{{{0}{1}{0}{indent}}}",
                    self.newline,
                    fields.join(&format!(",{}", self.newline))
                )
            }
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Writes lists on one line, with spaces as people do.
fn flat(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns the white space a line begins with.
fn indent_of(body: &str, at: usize) -> String {
    let line = &body[body[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned()
}

/// Returns how long the remark is that follows a brace on its line, so that it stays with the brace.
fn remark(inside: &str) -> usize {
    let Some((line, _)) = inside.split_once('\n') else { return 0 };
    let line = line.strip_suffix('\r').unwrap_or(line);
    let words = line.trim();
    let whole = words.starts_with("//")
        || words.starts_with("/*") && words.find("*/").is_some_and(|end| end + 2 == words.len());
    if whole { line.len() } else { 0 }
}

/// Returns the edits that take a member out with its comma and its line.
fn without(body: &str, object: &Object, at: usize) -> Vec<Edit> {
    let property = &object.properties[at];
    let before = &body[..property.range.start];
    let space = before.len() - before.trim_end_matches([' ', '\t', '\r']).len();
    let line = usize::from(before[..before.len() - space].ends_with('\n'));
    let carriage = usize::from(line == 1 && before[..before.len() - space - 1].ends_with('\r'));
    let start = property.range.start - space - line - carriage;
    let rest = &body[property.range.end..object.range.end];
    if let Some(comma) = comma(rest) {
        let mut end = property.range.end + comma + 1;
        if line == 0 && body[end..].starts_with(' ') {
            end += 1;
        }
        // On one line the white space before the member is the next one's.
        let start = if line == 0 { property.range.start } else { start };
        return vec![Edit::remove(body, start..end)];
    }
    let own = Edit::remove(body, start..property.range.end);
    let previous = at.checked_sub(1).map(|before| object.properties[before].range.end);
    match previous.and_then(|end| comma(&body[end..property.range.start]).map(|comma| end + comma))
    {
        Some(comma) if comma < start => vec![Edit::remove(body, comma..comma + 1), own],
        Some(comma) => vec![Edit::remove(body, comma..property.range.end)],
        None => vec![own],
    }
}

/// Returns where the comma stands that comes next, comments left aside.
fn comma(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        at += match rest.chars().next()? {
            ',' => return Some(at),
            letter if letter.is_whitespace() => letter.len_utf8(),
            '/' if rest.starts_with("//") => rest.find('\n')?,
            '/' if rest.starts_with("/*") => rest.find("*/")? + 2,
            _ => return None,
        };
    }
}
