//! Laws of the editors, on documents made up at random and on awkward ones.

use super::agents::Syntax;
use super::document::{self, Entry, Found};
use super::edit;
use super::plan::NAME;
use proptest::prelude::*;
use serde_json::Value;

fn entry() -> Entry {
    let words = |words: &[&str]| {
        toml::Value::Array(words.iter().map(|word| toml::Value::from(*word)).collect())
    };
    vec![
        ("command".to_owned(), toml::Value::from("C:\\Program Files\\context\"d")),
        ("args".to_owned(), words(&["serve", "--stdio"])),
    ]
}

fn key(name: &str) -> Vec<String> {
    name.split('.').map(str::to_owned).collect()
}

/// Reads a document with a parser that the product does not use.
fn read(syntax: Syntax, text: &str) -> Value {
    match syntax {
        Syntax::Json => {
            let body = text.trim_start_matches('\u{feff}');
            json5::from_str(body).unwrap_or_else(|error| panic!("{error}: {text:?}"))
        }
        Syntax::Toml => basic_toml::from_str(text.trim_start_matches('\u{feff}'))
            .unwrap_or_else(|error| panic!("{error}: {text:?}")),
    }
}

/// Puts an entry in and takes it out in every way, and compares each time.
fn check(syntax: Syntax, text: &str, section: &str) {
    let key = key(section);
    let edits = document::put(syntax, text, &key, NAME, &entry())
        .unwrap_or_else(|refusal| panic!("{refusal:?}: {text:?}"));
    let after = edit::apply(text, &edits).unwrap();
    let said = read(syntax, &after);
    let own = key.iter().fold(&said, |value, part| &value[part.as_str()])[NAME].clone();
    assert_eq!(own, Value::Object(document::fields(&entry())), "{after:?}");
    assert_eq!(document::find(syntax, &after, &key, NAME, &entry()), Ok(Found::Same));
    assert_eq!(
        edit::apply(&after, &edit::inverse(&edits)).as_deref(),
        Some(text),
        "undone byte for byte"
    );
    let line_ends = |text: &str| (text.matches("\r\n").count(), text.matches('\n').count());
    let ((old_crlf, old_all), (crlf, all)) = (line_ends(text), line_ends(&after));
    if old_all > 0 && old_crlf == old_all {
        assert_eq!(crlf, all, "line ends of one sort stay so: {after:?}");
    }
    // Without a receipt the entry can still be taken out, and the rest says the same.
    let taken = document::take(syntax, &after, &key, NAME)
        .unwrap_or_else(|refusal| panic!("{refusal:?}: {after:?}"))
        .unwrap();
    let left = edit::apply(&after, &taken).unwrap();
    assert_eq!(document::find(syntax, &left, &key, NAME, &entry()), Ok(Found::Nothing), "{left:?}");
    // An entry that says something else is replaced.
    let other: Entry = vec![("command".to_owned(), toml::Value::from("old"))];
    let edits = document::put(syntax, &after, &key, NAME, &other)
        .unwrap_or_else(|refusal| panic!("{refusal:?}: {after:?}"));
    let changed = edit::apply(&after, &edits).unwrap();
    assert_eq!(
        document::find(syntax, &changed, &key, NAME, &entry()),
        Ok(Found::Other),
        "{changed:?}"
    );
    read(syntax, &changed);
}

#[test]
fn awkward_json_keeps_its_bytes() {
    for text in [
        "",
        "\n\n",
        "// nothing yet",
        "/* nothing */\n",
        "{}",
        "{ }",
        "{\n}\n",
        "{\r\n}\r\n",
        "\u{feff}{\r\n\t\"a\": 1\r\n}",
        "{\"a\": 1}",
        "{\"s\": {}}",
        "{\"s\":{\"x\":{}}}",
        "{\n  \"s\": {}\n}",
        "{\n  \"s\": { /* none */ }\n}",
        "{\n  \"s\": { // none\n  },\n}\n",
        "{ // settings\n    \"s\": { // servers\n        \"x\": {}, // last\n    }, // end\n}",
        "{\n  \"s\": {\n    \"x\": {\"command\": \"y\"} // no comma\n  }\n}\n",
        "{\n  \"s\": {\n    \"x\": 1,\n    // more to come\n  },\n  \"b\": [1, 2,],\n}\n",
        "{\n\n  \"s\"\n  :\n  {\n  \"x\": \"// no comment\"\n  }\n}",
        "{\"s\": {\"contexts\": 1}, \"s\": {\"again\": 2}}",
        "{ \"é\\u0041\": \"\\\"}{\", \"s\": {\"}\": \"{\"} }",
        "// header\n{\n  // \"s\": {}\n  \"s\": {\n    \"contextd-other\": {}\n  }\n}\n// footer",
    ] {
        check(Syntax::Json, text, "s");
        check(Syntax::Json, text, "deep.er");
    }
}

#[test]
fn awkward_toml_keeps_its_bytes() {
    for text in [
        "",
        "\n",
        "# nothing yet",
        "model = \"m\"",
        "model = \"m\"\r\n[s.other]\r\ncommand = \"x\"\r\n",
        "[s]\n",
        "[s.other]\ncommand = \"x\"\nargs = [\n  \"a\", # one\n]\n\n# about the end\n",
        "s = {}\n",
        "s = { other = { command = \"x\" } }\n[z]\na = 1\n",
        "text = \"\"\"\n[s.contextd]\n\"\"\"\n",
        "[\"s\".'other']\na = -1.5\n[[list]]\nx = 1\n[[list]]\nx = 2\n",
    ] {
        check(Syntax::Toml, text, "s");
    }
}

#[test]
fn a_section_of_dotted_keys_gets_a_table() {
    // Allowed by TOML 1.0, refused by the parser that the other tests compare with.
    let text = "s.other.command = \"x\"\n";
    let edits = document::put(Syntax::Toml, text, &key("s"), NAME, &entry()).unwrap();
    let after = edit::apply(text, &edits).unwrap();
    assert!(after.starts_with(text) && after.contains("[s.contextd]"), "{after}");
    assert_eq!(edit::apply(&after, &edit::inverse(&edits)).as_deref(), Some(text));
}

#[test]
fn what_cannot_be_edited_is_left_alone() {
    let refused = |syntax, text: &str| {
        document::put(syntax, text, &key("s"), NAME, &entry()).unwrap_err().why
    };
    assert!(refused(Syntax::Json, "{\n  \"a\": \n}").contains("line"));
    for text in [
        "[]",
        "3",
        "{\"s\": []}",
        "{\"s\": null}",
        "{'s': {}}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": 1}}",
        &"[".repeat(100_000),
    ] {
        refused(Syntax::Json, text);
    }
    for text in ["s = 1", "[[s]]\na = 1", "a = ", "[s", "a = 1\na = 2"] {
        refused(Syntax::Toml, text);
    }
}

#[test]
fn a_table_in_the_middle_is_taken_out_alone() {
    let text = "[s.a]\nx = 1\n\n[s.contextd]\ncommand = \"c\"\n\n# about b\n[s.b]\ny = 2\n";
    let edits = document::take(Syntax::Toml, text, &key("s"), NAME).unwrap().unwrap();
    assert_eq!(edit::apply(text, &edits).unwrap(), "[s.a]\nx = 1\n\n\n# about b\n[s.b]\ny = 2\n");
}

/// White space and remarks that may stand between the parts of a JSON document.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just(String::new()), 3 => Just(" ".to_owned()), 3 => "\n {0,4}", 1 => "\r\n\t?", 1 => Just(" // re\"mark }\n".to_owned()), 1 => Just("/* { , */".to_owned())]
}

fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("-2.5e3".to_owned()),
        Just("null".to_owned()),
        Just("\"a // b\"".to_owned()),
        Just("\"\\\"\\\\\"".to_owned()),
        Just("true".to_owned())
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            json_object(inner.clone(), "[a-e]"),
            (proptest::collection::vec((gap(), inner, gap()), 0..4), any::<bool>()).prop_map(
                |(items, comma)| list(
                    '[',
                    ']',
                    items.into_iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect(),
                    comma
                )
            ),
        ]
    })
}

fn json_object(
    value: impl Strategy<Value = String>,
    names: &'static str,
) -> impl Strategy<Value = String> {
    let member =
        (gap(), names, gap(), gap(), value, gap()).prop_map(|(a, name, b, c, value, d)| {
            (name.clone(), format!("{a}\"{name}\"{b}:{c}{value}{d}"))
        });
    (proptest::collection::vec(member, 0..4), any::<bool>(), gap()).prop_map(
        |(mut members, comma, end)| {
            members.sort();
            members.dedup_by(|a, b| a.0 == b.0);
            let empty = members.is_empty();
            let own = list('{', '}', members.into_iter().map(|member| member.1).collect(), comma);
            if empty { format!("{{{end}}}") } else { own }
        },
    )
}

fn list(open: char, close: char, items: Vec<String>, comma: bool) -> String {
    let comma = if comma && !items.is_empty() { "," } else { "" };
    format!("{open}{}{comma}{close}", items.join(","))
}

fn toml_document() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("1"),
        Just("\"a # b\""),
        Just("[1, 2]"),
        Just("'c:\\d'"),
        Just("{ x = 1 }"),
        Just("\"\"\"\n[s.contextd]\n\"\"\""),
        Just("[\n 1, # one\n]")
    ];
    let pair = (("[a-d]", value), prop_oneof![Just("\n"), Just(" # remark\n"), Just("\n\n")])
        .prop_map(|((name, value), end)| (name.clone(), format!("{name} = {value}{end}")));
    let pairs = || {
        proptest::collection::vec(pair.clone(), 0..4).prop_map(|mut pairs| {
            pairs.sort();
            pairs.dedup_by(|a, b| a.0 == b.0);
            pairs.into_iter().map(|pair| pair.1).collect::<String>()
        })
    };
    let tables = proptest::collection::btree_map(
        prop_oneof![Just("s"), Just("s.one"), Just("s.two"), Just("t"), Just("t.u")],
        pairs(),
        0..4,
    );
    (pairs(), tables, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(root, tables, bom, cut, crlf)| {
            // The names of a table's fields and of its sub-tables differ by construction.
            let mut text = root;
            tables.iter().for_each(|(name, pairs)| text += &format!("[{name}]\n{pairs}"));
            if cut {
                text = text.trim_end().to_owned();
            }
            if crlf {
                text = text.replace('\n', "\r\n");
            }
            if bom { format!("\u{feff}{text}") } else { text }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_keeps_its_bytes(before in gap(), object in json_object(prop_oneof![json_value(), json_object(json_value(), "[w-z]")], "[r-u]"), after in gap(), bom in any::<bool>()) {
        let text = format!("{}{before}{object}{after}", if bom { "\u{feff}" } else { "" });
        let read = read(Syntax::Json, &text);
        // A section that is no object is refused, which another test shows.
        let section = if read["s"].is_object() || read["s"].is_null() && read.get("s").is_none() { "s" } else { "fresh" };
        check(Syntax::Json, &text, section);
    }

    #[test]
    fn any_toml_keeps_its_bytes(text in toml_document()) {
        check(Syntax::Toml, &text, "s");
    }

    #[test]
    fn no_bytes_make_the_editors_fall_over(text in "[\\[\\]{}\",:/*\\\\ \nas=#.']{0,40}") {
        for syntax in [Syntax::Json, Syntax::Toml] {
            let _ = document::put(syntax, &text, &key("s"), NAME, &entry());
            let _ = document::take(syntax, &text, &key("s"), NAME);
        }
    }
}
