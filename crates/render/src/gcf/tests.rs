use super::*;
use crate::gcb;
use crate::graph::{Edge, GraphPack, Node, Status, two_decimals};
use contextd_pack::Tokenizer;
use proptest::prelude::*;

fn node(kind: &str, qname: &str, score: f64, provenance: &str, distance: u32) -> Node {
    Node {
        kind: kind.into(),
        qname: qname.into(),
        score,
        provenance: provenance.into(),
        distance,
        ..Node::default()
    }
}

fn edge(source: u32, target: u32, kind: &str) -> Edge {
    Edge { source, target, kind: kind.into(), status: Status::Unchanged }
}

fn sample() -> GraphPack {
    GraphPack {
        tool: "t".into(),
        budget: 500,
        nodes: vec![
            node("fn", "a.rs:main", 0.9, "ast_resolved", 0),
            node("type", "a.rs:Cart", 0.45, "structural", 1),
            node("method", "a.rs:Cart.total", 0.4, "ast_inferred", 1),
        ],
        edges: vec![edge(0, 1, "references"), edge(0, 2, "calls")],
        ..GraphPack::default()
    }
}

#[test]
fn the_public_vectors_hold() {
    let empty = GraphPack::default();
    assert_eq!(
        pack_root(&empty),
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    let single = GraphPack {
        nodes: vec![node("fn", "pkg.Main", 1.0, "lsp_resolved", 0)],
        ..GraphPack::default()
    };
    assert_eq!(
        pack_root(&single),
        "sha256:da39c1fb07913659a75865cf4afaa971683448625d19ac92c0303e90f678585f"
    );
}

#[test]
fn a_graph_is_written_as_specified() {
    let text = encode(&sample());
    let root = pack_root(&sample());
    assert_eq!(
        text,
        format!(
            "GCF profile=graph tool=t budget=500 symbols=3 edges=2 pack_root={root}\n## targets\n@0 fn a.rs:main 0.90 ast_resolved\n## related\n@1 type a.rs:Cart 0.45 structural\n@2 method a.rs:Cart.total 0.40 ast_inferred\n## edges [2]\n@1<@0 references\n@2<@0 calls\n"
        )
    );
}

#[test]
fn halves_go_to_the_even_digit() {
    assert_eq!([0.125, 0.375, 0.005, 1.0].map(two_decimals), [0.12, 0.38, 0.0, 1.0]);
}

#[test]
fn malformed_texts_are_refused() {
    let good = encode(&sample());
    assert!(decode(&good, &Session::default()).is_ok());
    for (what, bad) in [
        ("no header", good.split_once('\n').unwrap().1.to_owned()),
        ("unknown profile", good.replace("profile=graph", "profile=tree")),
        ("profile not first", good.replace("GCF profile=graph tool=t", "GCF tool=t profile=graph")),
        ("duplicate key", good.replace(" budget=500", " budget=500 budget=500")),
        ("four fields", good.replace("@0 fn a.rs:main 0.90 ast_resolved", "@0 fn a.rs:main 0.90")),
        ("six fields", good.replace("0.90 ast_resolved", "0.90 ast_resolved 0")),
        ("bad id", good.replace("@0 fn", "@x fn")),
        ("id with a zero before", good.replace("@1 type", "@01 type")),
        ("id that is not next", good.replace("@2 method", "@5 method")),
        ("bad score", good.replace("0.90", "high")),
        ("score beyond one", good.replace("0.90", "1.10")),
        ("score with one decimal", good.replace("0.90", "0.9")),
        ("unknown edge id", good.replace("@1<@0", "@9<@0")),
        ("wrong symbols", good.replace("symbols=3", "symbols=4")),
        ("wrong edges", good.replace("edges=2", "edges=1")),
        ("wrong count of edges", good.replace("## edges [2]", "## edges [3]")),
        ("blank line", good.replace("## related", "\n## related")),
        ("trailing space", good.replace("## related", "## related ")),
        ("wrong root", good.replace("0.90", "0.91")),
        ("order of groups", good.replace("## related", "## targets")),
        ("unknown heading", good.replace("## related", "## others")),
        (
            "edges out of order",
            good.replace("@1<@0 references\n@2<@0 calls", "@2<@0 calls\n@1<@0 references"),
        ),
        ("no end of line", good.trim_end().to_owned()),
        (
            "reference outside a session",
            good.replace("@0 fn a.rs:main 0.90 ast_resolved", "@0  # previously transmitted"),
        ),
        ("edge with a strange status", good.replace("@2<@0 calls", "@2<@0 calls gone")),
        ("nothing", String::new()),
    ] {
        assert!(decode(&bad, &Session::default()).is_err(), "{what}:\n{bad}");
    }
}

#[test]
fn what_was_sent_is_referred_to() {
    let (first, session) = encode_session(&sample(), &Session::default());
    assert!(first.contains("session=true") && !first.contains("previously"));
    let mut second = sample();
    second.nodes.insert(1, node("fn", "b.rs:other", 0.8, "ast_resolved", 0));
    second.edges = vec![edge(0, 1, "calls"), edge(0, 3, "calls")];
    let (text, after) = encode_session(&second, &session);
    assert!(
        text.contains("@0  # previously transmitted\n@3 fn b.rs:other 0.80 ast_resolved\n"),
        "{text}"
    );
    assert!(text.contains("@2<@0 calls\n@3<@0 calls\n"), "{text}");
    let Ok(Decoded::Graph { graph, .. }) = decode(&text, &session) else {
        panic!("{:?}", decode(&text, &session))
    };
    assert_eq!((graph.nodes, graph.edges), (second.nodes.clone(), second.edges.clone()));
    assert!(
        decode(&text, &Session::default()).is_err(),
        "without the session nothing is known of @0"
    );
    assert_eq!(encode_session(&second, &after).0.matches("previously").count(), 4);
}

#[test]
fn a_difference_names_what_changed_and_nothing_is_nothing() {
    let base = GraphPack {
        nodes: (0..40)
            .map(|at| node("fn", &format!("a.rs:f{at:02}"), 0.5, "ast_resolved", 0))
            .collect(),
        ..GraphPack::default()
    };
    assert_eq!(delta_text(&base, &base, Tokenizer::O200k), unchanged(&base));
    let Ok(Decoded::Unchanged { pack_root: root, symbols }) =
        decode(&unchanged(&base), &Session::default())
    else {
        panic!()
    };
    assert_eq!((root, symbols), (pack_root(&base), 40));
    let mut new = base.clone();
    new.nodes[3].qname = "a.rs:g".into();
    new.edges = vec![edge(0, 3, "calls")];
    let text = delta_text(&base, &new, Tokenizer::O200k);
    let Ok(Decoded::Delta(read)) = decode(&text, &Session::default()) else { panic!("{text}") };
    assert_eq!(read, delta(&base, &new));
    assert_eq!(
        (read.removed, read.added.len(), read.edges_added.len()),
        (vec![("fn".to_owned(), "a.rs:f03".to_owned())], 1, 1)
    );
    let other =
        GraphPack { nodes: vec![node("fn", "z", 0.1, "ast_resolved", 0)], ..GraphPack::default() };
    assert_eq!(
        delta_text(&base, &other, Tokenizer::O200k),
        encode(&other),
        "a long difference is not worth it"
    );
    for bad in [
        text.replace("## added", "## more"),
        text.replace(" -> ", " > "),
        text.replace("@0 fn", "@4 fn"),
        text.replace("base_root=", "root="),
    ] {
        assert!(decode(&bad, &Session::default()).is_err(), "{bad}");
    }
}

prop_compose! {
    fn graphs()(rows in prop::collection::vec((0..4u32, 0..=100u32, "[!-~]{1,12}", 0..6usize, 0..3usize), 0..20), ends in prop::collection::vec((0..20u32, 0..20u32, 0..3usize), 0..30), budget in 0..9_000u64, tokens in 0..9_000u64) -> GraphPack {
        let kinds = ["fn", "type", "method", "file", "section", "class"];
        let mut nodes: Vec<Node> = rows.into_iter().enumerate().map(|(at, (distance, score, name, kind, provenance))| node(kinds[kind], &format!("{name}{at}"), f64::from(score) / 100.0, ["ast_resolved", "ast_inferred", "declared"][provenance], distance)).collect();
        nodes.sort_by(|a, b| a.distance.cmp(&b.distance).then(b.score.total_cmp(&a.score)));
        let count = nodes.len() as u32;
        let mut edges: Vec<Edge> = ends.into_iter().filter(|_| count > 0).map(|(source, target, kind)| edge(source % count, target % count, ["calls", "references", "dataflow"][kind])).collect();
        edges.sort();
        edges.dedup();
        GraphPack { tool: "contextd".into(), budget, tokens, nodes, edges }
    }
}

proptest! {
    #[test]
    fn every_text_reads_back_as_what_was_written(graph in graphs(), base in graphs()) {
        let none = Session::default();
        let expected = Decoded::Graph { graph: graph.clone(), pack_root: Some(pack_root(&graph)) };
        prop_assert_eq!(decode(&encode(&graph), &none), Ok(expected));
        let streamed: String = stream(&graph).collect();
        prop_assert_eq!(decode(&streamed, &none), Ok(Decoded::Graph { graph: graph.clone(), pack_root: None }));
        let session = Session::of([&base]);
        let read = decode(&encode_session(&graph, &session).0, &session);
        let Ok(Decoded::Graph { graph: read, .. }) = read else { return Err(TestCaseError::fail(format!("{read:?}"))) };
        let names = |graph: &GraphPack| graph.nodes.iter().map(|node| (node.kind.clone(), node.qname.clone(), node.distance)).collect::<Vec<_>>();
        prop_assert_eq!(names(&read), names(&graph));
        prop_assert_eq!(&read.edges, &graph.edges);
        let binary = gcb::decode(&gcb::encode(&graph));
        prop_assert_eq!(binary, Ok(gcb::carried(&graph)));
    }

    #[test]
    fn strange_input_is_refused_and_never_a_crash(text in "(GCF profile=graph symbols=[0-9]\n)?(## [a-z]{1,8}\n)?(@[0-9]{1,3} [!-~]{1,5} ?){0,4}\n?", bytes in prop::collection::vec(any::<u8>(), 0..60), cut in 0usize..80) {
        let _ = decode(&text, &Session::default());
        let _ = gcb::decode(&bytes);
        let whole = gcb::encode(&sample());
        prop_assert!(gcb::decode(&whole[..cut.min(whole.len() - 1)]).is_err());
    }
}
