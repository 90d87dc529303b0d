use super::*;
use proptest::prelude::*;

fn covered(path: &str, symbol: &str, interface: &str, body: &str) -> Covered {
    Covered {
        path: path.into(),
        symbol: symbol.into(),
        interface: interface.into(),
        body: body.into(),
        row: 0,
    }
}

fn pair(doc: &str, covers: Vec<Covered>) -> Pair {
    Pair {
        key: Key { doc: doc.into(), section: String::new(), ref_id: "r".into() },
        doc_hash: "d".into(),
        covers,
        interface_only: false,
        mentions: mentions("The cart module"),
        folders: vec![".".into()],
        missing: Vec::new(),
        line: 1,
    }
}

fn lock(pairs: &[Pair]) -> Lock {
    let mut lock = Lock::default();
    lock.update(pairs.iter(), |_| true);
    lock
}

fn reasons(before: &Pair, after: &Pair) -> Vec<(&'static str, Vec<String>)> {
    let states = compare(std::slice::from_ref(after), Some(&lock(std::slice::from_ref(before))));
    states[0].reasons.iter().map(|(reason, what)| (reason.name(), what.clone())).collect()
}

#[test]
fn every_reason_has_its_cause() {
    let before = pair("d.md", vec![covered("a.py", "f", "i", "b"), covered("a.py", "g", "i", "b")]);
    let with = |covers: Vec<Covered>| pair("d.md", covers);
    assert!(reasons(&before, &before).is_empty());
    assert_eq!(
        reasons(
            &before,
            &with(vec![covered("a.py", "f", "i", "B"), covered("a.py", "g", "i", "b")])
        ),
        [("hash_changed", vec!["a.py::f".to_owned()])]
    );
    assert_eq!(
        reasons(
            &before,
            &with(vec![covered("a.py", "f", "I", "B"), covered("a.py", "g", "i", "b")])
        ),
        [("symbols_changed", vec!["a.py::f".to_owned()])]
    );
    assert_eq!(
        reasons(&before, &with(vec![covered("a.py", "f", "i", "b")])),
        [("symbols_changed", vec!["-a.py::g".to_owned()])]
    );
    let mut more = before.covers.clone();
    more.push(covered("cart.py", "h", "i", "b"));
    assert_eq!(
        reasons(&before, &with(more.clone())),
        [("untracked_files", vec!["cart.py".to_owned()])]
    );
    more[2].path = "bank.py".into();
    assert_eq!(reasons(&before, &with(more)), [("missing_modules", vec!["bank.py".to_owned()])]);
}

#[test]
fn an_edited_document_alone_is_not_stale_and_interfaces_may_be_all_that_counts() {
    let before = pair("d.md", vec![covered("a.py", "f", "i", "b")]);
    let edited = Pair { doc_hash: "e".into(), ..before.clone() };
    let states = compare(std::slice::from_ref(&edited), Some(&lock(std::slice::from_ref(&before))));
    assert_eq!((states[0].status, states[0].doc_changed), (Status::Fresh, true));
    let loose = Pair { interface_only: true, ..before.clone() };
    let moved = Pair { covers: vec![covered("a.py", "f", "i", "B")], ..loose.clone() };
    assert!(reasons(&loose, &moved).is_empty());
}

#[test]
fn without_a_lock_nothing_is_stale_and_beside_one_a_new_pair_is() {
    let one = pair("d.md", vec![covered("bank.py", "f", "i", "b")]);
    let states = compare(std::slice::from_ref(&one), None);
    assert_eq!(
        (states[0].status, states[0].reasons[0].0),
        (Status::Unknown, Reason::MissingModules)
    );
    assert_eq!(
        compare(std::slice::from_ref(&one), Some(&Lock::default()))[0].reasons[0].0,
        Reason::Unrecorded
    );
}

proptest! {
    #[test]
    fn a_lock_reads_back_as_written(docs in prop::collection::btree_map("[a-z#é\"': /\\\\-]{1,8}", prop::collection::vec(("[a-z/. ]{1,6}", "[A-Za-z.+<> ]{1,6}", "[0-9a-f]{4}", "[0-9a-f]{4}"), 0..6), 0..6)) {
        let pairs: Vec<Pair> = docs.iter().map(|(doc, covers)| pair(doc, covers.iter().map(|(path, symbol, interface, body)| covered(path, symbol, interface, body)).collect())).collect();
        let written = lock(&pairs).write();
        let (read, problems) = Lock::parse(&written, "sync.lock");
        prop_assert!(problems.is_empty(), "{:?} {}", problems, written);
        prop_assert_eq!(read.write(), written.clone());
        prop_assert_eq!(read, lock(&pairs));
    }

    #[test]
    fn an_edit_makes_exactly_the_documents_that_cover_it_stale(
        covers in prop::collection::vec(prop::collection::btree_set(0usize..12, 0..6), 1..6),
        edited in 0usize..12,
    ) {
        let make = |body: &dyn Fn(usize) -> String| -> Vec<Pair> {
            covers.iter().enumerate().map(|(doc, own)| pair(&format!("{doc}.md"), own.iter().map(|&at| covered("a.py", &format!("f{at}"), "i", &body(at))).collect())).collect()
        };
        let before = make(&|_| "b".to_owned());
        let after = make(&|at| if at == edited { "B".to_owned() } else { "b".to_owned() });
        let mut own = lock(&before);
        let stale: BTreeSet<String> = compare(&after, Some(&own)).into_iter().filter(|state| state.status == Status::Stale).map(|state| state.key.doc).collect();
        let expected: BTreeSet<String> = covers.iter().enumerate().filter(|(_, own)| own.contains(&edited)).map(|(doc, _)| format!("{doc}.md")).collect();
        prop_assert_eq!(stale, expected);
        own.update(after.iter(), |_| true);
        prop_assert!(compare(&after, Some(&own)).iter().all(|state| state.status == Status::Fresh));
    }
}

#[test]
fn a_pair_that_lost_all_its_code_is_stale_and_one_that_never_had_any_is_not_spoken_of() {
    let before = pair("d.md", vec![covered("a.py", "f", "i", "b")]);
    let after = pair("d.md", Vec::new());
    assert_eq!(reasons(&before, &after), [("symbols_changed", vec!["-a.py::f".to_owned()])]);
    assert!(compare(std::slice::from_ref(&after), None).is_empty());
    assert!(compare(std::slice::from_ref(&after), Some(&Lock::default())).is_empty());
    let mut lock = lock(std::slice::from_ref(&before));
    lock.update([&after].into_iter(), |_| true);
    assert!(compare(&[after], Some(&lock)).is_empty());
}
