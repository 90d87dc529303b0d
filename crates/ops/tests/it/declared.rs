//! Declared parts take part in tasks, and rules reach single definitions.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

/// Nothing in the names of the code says what it is for.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for (path, text) in [
        ("src/alpha.py", "def first(x):\n    return second(x)\n\n\ndef second(x):\n    return x\n"),
        (
            "src/beta.py",
            "from src.alpha import first\n\n\n# contextd:feature=PROJ-7\ndef third(x):\n    return first(x)\n\n\ndef fourth(x):\n    return x\n",
        ),
        (
            "src/window.py",
            "def resize(window):\n    return window\n\n\ndef move(window):\n    return window\n",
        ),
    ] {
        sandbox.write(path, text);
    }
    sandbox
}

const GRAPH: &str = "nodes:
- {ref_id: PROJ-7, kind: feature, summary: Reimburses customers whose parcel got lost}
- {ref_id: engine-room, kind: domain, summary: Keeps the boilers under steam, source: src/alpha.py}
rules:
- name: features-stay-out
  description: Features ask through the gate
  deny: {from: {kind: feature}, to: {kind: domain}}
- name: second-is-private
  description: second is for alpha alone
  forbid_import: {from: 'src/**', to: 'src/alpha.py::second'}
";

fn ranked(sandbox: &Sandbox, task: &str) -> Vec<String> {
    let pack = sandbox
        .ask("context_for_task", json!({"task": task, "format": "json"}))
        .expect("a pack")
        .to_json();
    pack["sections"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|section| section["type"] == "seeds")
        .flat_map(|section| section["items"].as_array().unwrap().clone())
        .map(|item| item["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_part_that_a_task_means_brings_its_code() {
    let sandbox = sandbox();
    let cold: Vec<Vec<String>> =
        ["finish PROJ-7", "reimburse customers", "boilers without steam", "resize the window"]
            .iter()
            .map(|task| ranked(&sandbox, task))
            .collect();
    assert!(cold[1..3].iter().all(Vec::is_empty), "{cold:?}");
    sandbox.write(".contextd/graph/all.yml", GRAPH);
    assert_eq!(ranked(&sandbox, "finish PROJ-7")[0], "third");
    assert_eq!(ranked(&sandbox, "reimburse customers")[0], "third");
    let found = ranked(&sandbox, "boilers without steam");
    assert!(
        found.len() >= 2
            && ["first", "second"].iter().all(|name| found.contains(&(*name).to_owned())),
        "{found:?}"
    );
    assert_eq!(
        ranked(&sandbox, "resize the window"),
        cold[3],
        "what means no part is answered as before"
    );
    let why = sandbox
        .ask("explain_symbol", json!({"symbol": "third", "task": "finish PROJ-7"}))
        .expect("an explanation")
        .to_json();
    assert!(
        why["terms"]
            .as_array()
            .unwrap()
            .iter()
            .any(|term| term["signal"] == "declared" && term["contribution"].as_f64() > Some(0.0)),
        "{why}"
    );
}

#[test]
fn rules_reach_definitions_that_belong_elsewhere_than_their_file() {
    let sandbox = sandbox();
    sandbox.write(".contextd/graph/all.yml", GRAPH);
    let lint = || -> Vec<(String, Value)> {
        let report = sandbox.ask("lint", json!({})).expect("a report").to_json();
        report["violations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| (own["rule"].as_str().unwrap().to_owned(), own["evidence"][0].clone()))
            .collect()
    };
    let found = lint();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].0.as_str(), &found[0].1["path"], &found[0].1["line"]),
        ("features-stay-out", &json!("src/beta.py"), &json!(6))
    );
    assert_eq!(found[0].1["what"], "`third` uses `first` of src/alpha.py");
    sandbox.write(
        "src/window.py",
        "from src.alpha import second\n\n\ndef resize(window):\n    return second(window)\n",
    );
    let found = lint();
    let second: Vec<&Value> = found
        .iter()
        .filter(|(rule, _)| rule == "second-is-private")
        .map(|(_, place)| place)
        .collect();
    assert_eq!(
        (second.len(), &second.last().unwrap()["path"]),
        (2, &json!("src/window.py")),
        "{found:?}"
    );
}
