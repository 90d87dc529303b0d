use super::*;
use proptest::prelude::*;

fn read(files: &[(&str, &str)]) -> (Graph, Vec<Problem>) {
    let mut problems = Vec::new();
    let read = files
        .iter()
        .map(|(path, text)| {
            let (file, own) = File::parse(text, path);
            problems.extend(own);
            file
        })
        .collect();
    let (graph, own) = Graph::of(read);
    problems.extend(own);
    (graph, problems)
}

const SHOP: &str = "nodes:\n- ref_id: shop\n  kind: service\n  summary: Sells\n- ref_id: cart\n  kind: domain\n  summary: Holds lines\n  source: shop/cart.py\n  c4_level: Component\nedges:\n- {src: cart, dst: shop, kind: part_of, since: 2}\n";

#[test]
fn unknown_keys_are_kept() {
    let (graph, problems) = read(&[("a.yml", SHOP)]);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(graph.nodes[1].extra[0].0, "c4_level");
    assert_eq!(graph.edges[0].extra[0].0, "since");
    assert_eq!(graph.nodes[1].lifecycle, "active");
    assert_eq!(graph.ancestry(1), [1, 0]);
    assert_eq!(graph.sources_of("shop/cart.py"), [1]);
}

#[test]
fn errors_name_file_line_and_remedy() {
    let cases = [
        ("nodes:\n- kind: domain\n", 2, "no `ref_id`"),
        ("nodes:\n- ref_id: a\n", 2, "no `kind`"),
        (
            "nodes:\n- {ref_id: a, kind: domain}\n\n- {ref_id: a, kind: domain}\n",
            4,
            "declared already",
        ),
        (
            "nodes:\n- {ref_id: cart, kind: domain}\nedges:\n- {src: cart, dst: cat, kind: uses}\n",
            4,
            "names `cat`",
        ),
        ("edges:\n- {src: a, kind: uses}\n", 2, "no `dst`"),
        ("nodes:\n- {ref_id: a, kind: domain, sync: maybe}\n", 2, "none of bodies"),
        ("- a\n- b\n", 1, "no map"),
        ("a: [\n", 2, "no YAML"),
    ];
    for (text, line, message) in cases {
        let (_, problems) = read(&[("g/a.yml", text)]);
        let problem = &problems[0];
        assert!(problem.message.contains(message), "{text}: {problem:?}");
        assert_eq!(
            (problem.path.as_deref(), problem.line),
            (Some("g/a.yml"), Some(line)),
            "{text}"
        );
    }
}

#[test]
fn files_join_and_tags_may_come_first() {
    let (graph, problems) = read(&[
        (
            "a.yml",
            "tags:\n  layer: [cart, nobody]\nedges:\n- {src: cart, dst: '@other:bank', kind: uses}\n",
        ),
        ("b.yml", SHOP),
    ]);
    assert_eq!(graph.nodes[graph.find("cart").unwrap()].tags, ["layer"]);
    assert_eq!(graph.foreign.len(), 1);
    assert_eq!(problems.len(), 1, "{problems:?}");
}

proptest! {
    #[test]
    fn any_file_is_read_without_panic(text in "(nodes|edges|rules|tags): ?\n?(- ?(ref_id|kind|src|dst): ?[a-z\\[{\"]{0,4}\n? ?){0,8}") {
        let _ = read(&[("a.yml", &text)]);
    }
}
