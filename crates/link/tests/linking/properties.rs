//! Laws of linking: the order of work does not show, bodies do not leak, ambiguity is never sure.

use super::{edges, facts, linked};
use contextd_link::{LinkFile, LinkOptions, World, interface_fingerprint, link};
use contextd_model::facts::FileFacts;
use proptest::prelude::*;

/// Source text of a small Python package: classes with methods that call each other by name.
fn module(index: usize, calls: &[(u8, u8)]) -> String {
    let mut text =
        format!("from .m{} import C{0}\nfrom . import m{}\n\n", (index + 1) % 4, (index + 2) % 4);
    text.push_str(&format!("class C{index}(C{}):\n    def run(self): pass\n", (index + 1) % 4));
    for (at, (target, name)) in calls.iter().enumerate() {
        let body = match name % 4 {
            0 => format!("m{}.free{}()", (index + 2) % 4, target % 3),
            1 => format!("C{}().run()", (index + 1) % 4),
            2 => format!("x.only_in_{}()", target % 4),
            _ => "self.run()".to_owned(),
        };
        text.push_str(&format!("    def method{at}(self, x):\n        {body}\n"));
    }
    text.push_str(&format!("    def only_in_{index}(self): pass\n    def shared(self): pass\n\ndef free0(): pass\ndef free1(): return C{index}()\n"));
    text
}

fn package(calls: &[Vec<(u8, u8)>]) -> Vec<(String, FileFacts)> {
    let texts: Vec<(String, String)> = calls
        .iter()
        .enumerate()
        .map(|(at, calls)| (format!("p/m{at}.py"), module(at, calls)))
        .collect();
    let mut files: Vec<(&str, &str)> =
        texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("p/__init__.py", ""));
    facts(&files)
}

fn calls() -> impl Strategy<Value = Vec<Vec<(u8, u8)>>> {
    prop::collection::vec(prop::collection::vec((any::<u8>(), any::<u8>()), 0..6), 4..=4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn threads_and_repetition_do_not_show(calls in calls()) {
        let facts = package(&calls);
        let files: Vec<LinkFile<'_>> = facts.iter().map(|(path, facts)| LinkFile { path, view: facts.view() }).collect();
        let on = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(|| link(&files, &LinkOptions::default()));
        let (one, eight, again) = (on(1), on(8), on(8));
        prop_assert_eq!(&one, &eight);
        prop_assert_eq!(&eight, &again);
        let bytes = |links: &contextd_link::Links| bytemuck::cast_slice::<_, u8>(&links.edges).to_vec();
        prop_assert_eq!(bytes(&one), bytes(&again));
    }

    /// An edit inside bodies leaves the interface alone, and with it the edges of all other files.
    #[test]
    fn bodies_do_not_leak(calls in calls(), other in calls(), edited in 0usize..4) {
        let shape: Vec<usize> = calls.iter().map(Vec::len).collect();
        let mut changed = calls.clone();
        changed[edited] = other[edited].iter().copied().chain(calls[edited].iter().map(|(target, name)| (target.wrapping_add(1), name.wrapping_add(1)))).take(shape[edited]).collect();
        if changed[edited].len() < shape[edited] {
            return Ok(());
        }
        let (before, after) = (package(&calls), package(&changed));
        for ((path, old), (_, new)) in before.iter().zip(&after) {
            prop_assert_eq!(interface_fingerprint(old.view()), interface_fingerprint(new.view()), "{}", path);
        }
        let of = |facts: &[(String, FileFacts)]| -> Vec<_> {
            let files: Vec<LinkFile<'_>> = facts.iter().map(|(path, facts)| LinkFile { path, view: facts.view() }).collect();
            let world = World::build(&files);
            (0..files.len()).map(|file| world.link_file(file)).collect::<Vec<contextd_link::FileLinks>>()
        };
        for (at, (old, new)) in of(&before).into_iter().zip(of(&after)).enumerate() {
            if before[at].0 != format!("p/m{edited}.py") {
                prop_assert_eq!(old, new, "edges of {} changed", &before[at].0);
            }
        }
    }

    /// However many classes share a method's name, an unknown receiver never yields a known edge.
    #[test]
    fn ambiguity_is_never_sure(classes in 1usize..9) {
        let text: String = (0..classes).map(|at| format!("class K{at}:\n    def shared_name(self): pass\n\n")).collect();
        let files = facts(&[("a.py", &text), ("b.py", "def f(x):\n    x.shared_name()\n    unknown().shared_name()\n")]);
        let found: Vec<String> = edges(&files).into_iter().filter(|edge| edge.starts_with("b.py:f calls")).collect();
        prop_assert!(found.iter().all(|edge| edge.contains('~')), "{:?}", found);
        prop_assert_eq!(found.len(), if classes <= 5 { classes } else { 0 });
    }
}

#[test]
fn fields_set_in_nested_functions_are_seen() {
    let print = |text: &str| interface_fingerprint(facts(&[("a.py", text)])[0].1.view());
    let before = print(
        "class A:\n    def f(self):\n        def g():\n            self.x = One()\n        g()\n",
    );
    assert_ne!(
        before,
        print(
            "class A:\n    def f(self):\n        def g():\n            self.x = Two()\n        g()\n"
        )
    );
    let go = |text: &str| interface_fingerprint(facts(&[("a.go", text)])[0].1.view());
    assert_ne!(
        go("package a\n\ntype I interface{ Do(int) }\n"),
        go("package a\n\ntype I interface{ Do(int, int) }\n")
    );
}

#[test]
fn interfaces_show_what_others_see() {
    let print = |text: &str| interface_fingerprint(facts(&[("a.py", text)])[0].1.view());
    let base = print(
        "import os\n\nclass A(B):\n    x: int = 1\n    def f(self, a: int) -> str:\n        return a\n",
    );
    assert_eq!(
        base,
        print(
            "import os\n\n\nclass A(B):\n    x: int = 1\n    def f(self, a: int) -> str:\n        b = g()\n        return b\n"
        ),
        "bodies and places"
    );
    for changed in [
        "import os\n\nclass A(C):\n    x: int = 1\n    def f(self, a: int) -> str:\n        return a\n",
        "import os\n\nclass A(B):\n    x: str = 1\n    def f(self, a: int) -> str:\n        return a\n",
        "import os\n\nclass A(B):\n    x: int = 1\n    def f(self, a: int) -> int:\n        return a\n",
        "import os\n\nclass A(B):\n    x: int = 1\n    def g(self, a: int) -> str:\n        return a\n",
        "import sys\n\nclass A(B):\n    x: int = 1\n    def f(self, a: int) -> str:\n        return a\n",
        "import os\n\nclass A(B):\n    x: int = 1\n    def f(self, a: int) -> str:\n        self.y = Thing()\n        return a\n",
    ] {
        assert_ne!(base, print(changed), "{changed}");
    }
}

#[test]
fn communities_follow_the_edges() {
    let half = |name: &str| -> Vec<(String, String)> {
        (0..4).map(|at| (format!("{name}/m{at}.py"), format!("from .m{} import f{0}\nfrom .m{} import f{1}\n\ndef f{at}():\n    f{0}()\n    f{1}()\n", (at + 1) % 4, (at + 2) % 4))).collect()
    };
    let texts: Vec<(String, String)> = half("left").into_iter().chain(half("right")).collect();
    let files: Vec<(&str, &str)> =
        texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let links = linked(&facts(&files));
    let half = links.communities.len() / 2;
    assert!(links.communities[..half].iter().all(|&group| group == 0), "{:?}", links.communities);
    assert!(links.communities[half..].iter().all(|&group| group == 1), "{:?}", links.communities);
}
