use super::*;
use crate::graph::{File, Graph};
use contextd_model::Problem;

const NODES: &str = "nodes:
- {ref_id: app, kind: service, tags: [top]}
- {ref_id: core, kind: domain, tags: [middle], source: core/}
- {ref_id: store, kind: domain, tags: [bottom], source: store/}
- {ref_id: lone, kind: domain, source: lone/}
edges:
- {src: core, dst: app, kind: part_of}
- {src: store, dst: app, kind: part_of}
";

fn read_all(text: &str) -> (Rules, Graph, Vec<Problem>) {
    let (file, mut problems) = File::parse(&format!("{NODES}{text}"), "g.yml");
    let files = vec![file];
    let (graph, own) = Graph::of(files.clone());
    problems.extend(own);
    let (rules, own) = read(&files, &graph);
    problems.extend(own);
    (rules, graph, problems)
}

/// Files `core/a`, `core/b`, `store/s`, `lone/l`, `free/x` and uses between them by number.
fn code(graph: &Graph, uses: &[(usize, usize)]) -> Code {
    let paths = ["core/a.py", "core/b.py", "store/s.py", "lone/l.py", "free/x.py"];
    let files = paths
        .iter()
        .map(|path| CodeFile {
            path: (*path).to_owned(),
            symbols: 3,
            nodes: graph.sources_of(path),
            test: false,
            apart: Vec::new(),
        })
        .collect();
    Code {
        files,
        uses: uses
            .iter()
            .map(|&(from, to)| Use { from, to, line: 7, import: true, ..Use::default() })
            .collect(),
        definitions: Vec::new(),
    }
}

fn violations(rule: &str, uses: &[(usize, usize)]) -> Vec<Violation> {
    let (rules, graph, problems) =
        read_all(&format!("rules:\n- name: r\n  description: d\n{rule}"));
    assert!(problems.is_empty(), "{problems:?}");
    check(&rules, &graph, &code(&graph, uses))
}

#[test]
fn every_law_finds_its_violation_with_evidence_and_remedy() {
    // Rule, uses that break it, uses that do not, what is said, where it is seen.
    type Uses = &'static [(usize, usize)];
    type Case = (&'static str, Uses, Uses, &'static str, (&'static str, u32));
    let cases: [Case; 6] = [
        (
            "  deny: {from: {ref_id: store}, to: {ref_id: core}}\n",
            &[(2, 0)],
            &[(0, 2), (0, 1)],
            "`store` uses code of `core`",
            ("store/s.py", 7),
        ),
        (
            "  forbid: {from: {tag: bottom}, to: {tag: middle}, edge_kind: depends_on}\n",
            &[(2, 1)],
            &[(1, 2)],
            "`store` has depends_on to `core`",
            ("store/s.py", 7),
        ),
        (
            "  layers: [{name: up, tag: middle}, {name: down, tag: bottom}]\n  edge_kind: depends_on\n",
            &[(2, 0)],
            &[(0, 2)],
            "which is above",
            ("store/s.py", 7),
        ),
        (
            "  forbid_cycles: {edge_kind: depends_on}\n",
            &[(0, 2), (2, 1)],
            &[(0, 2), (2, 3)],
            "cycle: core → store → core",
            ("core/a.py", 7),
        ),
        (
            "  forbid_import: {from: 'core/**', to: 'store/**'}\n",
            &[(1, 2)],
            &[(2, 1)],
            "core/b.py imports store/s.py",
            ("core/b.py", 7),
        ),
        (
            "  deny: {from: {ref_id: store}, to: {kind: domain}, unless_edge: [part_of]}\n",
            &[(2, 3)],
            &[(3, 2)],
            "`store` uses code of `lone`",
            ("store/s.py", 7),
        ),
    ];
    for (rule, broken, kept, message, (path, line)) in cases {
        let found = violations(rule, broken);
        assert_eq!(found.len(), 1, "{rule}: {found:#?}");
        assert!(found[0].message.contains(message), "{rule}: {}", found[0].message);
        assert_eq!(
            (found[0].evidence[0].path.as_str(), found[0].evidence[0].line),
            (path, line),
            "{rule}"
        );
        assert!(!found[0].remedy.is_empty());
        assert_eq!(violations(rule, kept), [], "{rule}");
    }
}

#[test]
fn required_edges_sizes_and_coverage_are_checked() {
    let found = violations(
        "  require: {for: {kind: domain}, has_edge_to: {ref_id: app}, edge_kind: part_of}\n",
        &[],
    );
    assert_eq!(found.iter().map(|own| own.from.as_deref()).collect::<Vec<_>>(), [Some("lone")]);
    assert_eq!(
        violations("  require: {for: {kind: domain, exclude: [lone]}, has_edge_to: {}}\n", &[]),
        []
    );
    let found = violations("  check: {for: {kind: domain}, max_symbols: 5}\n", &[]);
    assert_eq!(
        (found.len(), found[0].from.as_deref(), found[0].severity),
        (1, Some("core"), Severity::Warning)
    );
    let found = violations("  module_coverage: {source_root: ., exempt: ['free/y*']}\n", &[]);
    assert!(found.len() == 1 && found[0].message.contains("free/x.py"), "{found:?}");
    assert_eq!(
        violations(
            "  layers: [top, middle, bottom]\n  allow_skip: false\n  edge_kind: part_of\n",
            &[]
        )
        .len(),
        2
    );
}

#[test]
fn wrong_rules_are_named_with_their_line() {
    for (text, message) in [
        ("- description: d\n", "no `name`"),
        ("- name: a\n", "exactly one of"),
        (
            "- name: a\n  deny: {from: {kind: x}, to: {}}\n  require: {for: {}, has_edge_to: {}}\n",
            "exactly one of",
        ),
        ("- name: a\n  deny: {from: {knd: x}, to: {}}\n", "has `knd`"),
        ("- name: a\n  severity: loud\n  forbid_cycles: {}\n", "none of error, warn"),
        ("- name: a\n  deny: {from: {ref_id: cor}, to: {}}\n", "`cor`, which is not declared"),
        ("- name: a\n  check: {for: {}, max_files: many}\n", "no number"),
        ("- name: a\n  forbid_import: {from: 'a/[', to: b}\n", "no pattern"),
    ] {
        let (_, _, problems) = read_all(&format!("rules:\n{text}"));
        assert!(
            problems.len() == 1
                && problems[0].message.contains(message)
                && problems[0].line >= Some(10),
            "{text}: {problems:?}"
        );
    }
}

#[test]
fn rules_are_in_force_for_parts_of_what_they_name() {
    let (rules, graph, _) = read_all(
        "rules:\n- {name: a, deny: {from: {ref_id: app}, to: {kind: entity}}}\n- {name: b, forbid_import: {from: 'lone/**', to: 'core/**'}}\n",
    );
    let names = |ref_id: &str| {
        rules
            .in_force(&graph, graph.find(ref_id).unwrap())
            .map(|rule| rule.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("core"), ["a", "b"]);
    assert_eq!(names("lone"), ["b"]);
}

#[test]
fn definitions_that_belong_elsewhere_are_judged_by_where_they_belong() {
    let (rules, graph, _) = read_all(
        "rules:\n- {name: a, deny: {from: {ref_id: store}, to: {ref_id: core}}}\n- {name: b, check: {for: {ref_id: lone}, max_symbols: 4}}\n",
    );
    let node = |ref_id: &str| Some(vec![graph.find(ref_id).unwrap()]);
    let check = |uses: Vec<Use>| {
        let mut code = code(&graph, &[]);
        code.files[0].apart = vec![(node("lone").unwrap(), 2)];
        check(&rules, &graph, &Code { uses, ..code })
    };
    let used = |here, there| Use {
        from: 4,
        to: 4,
        line: 9,
        source: "save".to_owned(),
        target: "Cart.total".to_owned(),
        here,
        there,
        ..Use::default()
    };
    let found = check(vec![used(node("store"), node("core"))]);
    assert_eq!(found[0].evidence[0].what, "`save` uses `Cart.total` of free/x.py");
    assert_eq!((found.len(), found[0].from.as_deref()), (2, Some("store")));
    assert!(found[1].message.contains("has 5 symbols"), "{found:?}");
    assert_eq!(check(vec![used(node("core"), node("store"))]).len(), 1);
    assert_eq!(check(vec![used(None, node("core"))]).len(), 1);
}

#[test]
fn a_rule_may_name_definitions() {
    let (rules, graph, problems) =
        read_all("rules:\n- {name: a, forbid_import: {from: 'core/**', to: 'store/s.py::Raw'}}\n");
    assert!(problems.is_empty() && rules.name_definitions());
    let found = |target: &str| {
        let used = Use {
            from: 1,
            to: 2,
            line: 4,
            source: "load".to_owned(),
            target: target.to_owned(),
            ..Use::default()
        };
        let code = Code { definitions: vec![used.clone()], ..code(&graph, &[(1, 2)]) };
        check(&rules, &graph, &code)
    };
    let broken = found("Raw.open");
    assert_eq!(broken[0].message, "core/b.py: `load` uses `Raw.open` of store/s.py");
    assert_eq!((broken.len(), broken[0].evidence[0].line), (1, 4));
    assert!(!broken[0].remedy.is_empty());
    assert!(found("Rawhide").is_empty() && found("").is_empty());
}
