//! One edit after the other: what is known from before the first still holds after the last.

use super::changes::{check, lean, lean_facts};
use super::facts;
use contextd_model::facts::FileFacts;

/// Gives files new texts, step by step, and tells how each step was linked.
fn chain(files: &[(&str, &str)], steps: &[&[(&str, &str)]]) -> Vec<&'static str> {
    let mut versions: Vec<Vec<(String, FileFacts)>> =
        vec![facts(files).into_iter().map(|(path, facts)| (path, lean(&facts))).collect()];
    for edits in steps {
        let mut after = versions.last().expect("the first").clone();
        for (path, text) in *edits {
            after.iter_mut().find(|file| file.0 == *path).expect("a file of that path").1 =
                lean_facts(path, text);
        }
        versions.push(after);
    }
    check(&versions, &format!("{:?}", files[0]))
}

#[test]
fn rows_that_nobody_asks_for_move_others() {
    let notes = [("a.md", "# A\n\n# B\n"), ("b.py", "def f():\n    pass\n")];
    let told = chain(
        &notes,
        &[&[("a.md", "# A\n")], &[("a.md", "# A\n\n# C\n")], &[("a.md", "# A\n\n# C\n\n# D\n")]],
    );
    assert!(!told.contains(&"anew"), "{told:?}");
    let types = "pub struct A;\nimpl A {\n    pub fn run(&self) {}\n}\npub struct B;\nimpl B {\n    pub fn run(&self) {}\n}\n";
    let make = |before: &str, gives: &str| {
        format!("use crate::ab::{{A, B}};\n{before}pub fn make() -> {gives} {{\n    todo()\n}}\n")
    };
    let files = [
        ("src/ab.rs", types),
        ("src/lib.rs", "mod ab;\nmod m;\nmod u;\n"),
        ("src/m.rs", &*make("", "A")),
        ("src/u.rs", "use crate::m::make;\npub fn go() {\n    make().run();\n}\n"),
    ];
    let told = chain(
        &files,
        &[
            &[("src/m.rs", &make("impl Vec<u8> {}\n", "A"))],
            &[("src/m.rs", &make("impl Vec<u8> {}\n", "B"))],
        ],
    );
    assert_eq!(told[1], "with others");
    let class = |before: &str, base: &str| {
        format!("require_relative 'ab'\n{before}class M < {base}\nend\n")
    };
    let files = [
        ("ab.rb", "class A\n  def run\n  end\nend\nclass B\n  def run\n  end\nend\n"),
        ("m_spec.rb", &*class("", "A")),
        ("u_spec.rb", "require_relative 'm_spec'\ndef go\n  x = M.new\n  x.run\nend\n"),
    ];
    let titles = "describe 'x' do\n  it 'y' do\n  end\nend\n";
    chain(&files, &[&[("m_spec.rb", &class(titles, "A"))], &[("m_spec.rb", &class(titles, "B"))]]);
}

#[test]
fn fields_that_several_files_assign_are_those_of_the_first() {
    let own = |f: &str, base: &str| {
        format!(
            "const {{ Base }} = require('./base');\nclass Foo {{ go() {{}} }}\nclass Bar {{ go() {{}} }}\nclass S extends {base} {{\n  f() {{ {f} }}\n  g() {{ this.x.go() }}\n}}\nmodule.exports = {{ S, Foo, Bar }};\n"
        )
    };
    let other = "const { S, Bar } = require('./m');\nS.prototype.h = function () { this.x = new Bar(); this.x.go() };\n";
    let base = "class Base { go() {} }\nmodule.exports = { Base };\n";
    for path in ["a.js", "z.js"] {
        let files =
            [(path, other), ("base.js", base), ("m.js", &*own("this.x = new Foo()", "Base"))];
        chain(
            &files,
            &[
                &[("m.js", &own("", "Base"))],
                &[("m.js", &own("this.x = new Foo()", "Base"))],
                &[("m.js", &own("this.x = new Foo(); this.y = new Foo()", "Base"))],
                &[("base.js", &base.replace("Base", "Basis"))],
            ],
        );
    }
    let header = |f: &str| {
        format!(
            "class Foo {{ public: void go(); }};\nclass Bar {{ public: void go(); }};\nclass S {{\n public:\n  void f() {{ {f} }}\n  void g() {{ this->x->go(); }}\n  void h();\n}};\n"
        )
    };
    let source = "#include \"m.h\"\nvoid S::h() { this->x = new Bar(); this->x->go(); }\n";
    for path in ["a.cpp", "z.cpp"] {
        let files = [(path, source), ("m.h", &*header("this->x = new Foo();"))];
        chain(
            &files,
            &[
                &[("m.h", &header(""))],
                &[("m.h", &header("this->x = new Foo();"))],
                &[("m.h", &header("this->x = new Foo(); this->y = new Foo();"))],
            ],
        );
    }
}

#[test]
fn what_others_say_of_a_type_is_its_own() {
    // The base of a type is a member that another file adds to a type of the same file.
    let outer = "class Outer {}\nclass Z: Outer.Inner {}\nfunc go(z: Z) { z.run() }\n";
    let adds = |name: &str| {
        format!("class Base {{ func run() {{}} }}\nextension Outer {{ class {name}: Base {{}} }}\n")
    };
    let files = [("a.swift", outer), ("b.swift", &*adds("Inner"))];
    chain(&files, &[&[("b.swift", &adds("Other"))], &[("b.swift", &adds("Inner"))]]);
    // Bases that come and go in blocks of several files.
    let block = |name: &str| format!("use crate::t::{{T, One, Two}};\nimpl {name} for T {{}}\n");
    let types = "pub struct T;\npub trait One {\n    fn one(&self) {}\n}\npub trait Two {\n    fn two(&self) {}\n}\n";
    let files = [
        ("src/a.rs", &*block("One")),
        ("src/b.rs", &*block("Two")),
        ("src/lib.rs", "mod a;\nmod b;\nmod t;\nmod u;\n"),
        ("src/t.rs", types),
        ("src/u.rs", "use crate::t::T;\npub fn go(t: T) {\n    t.one();\n    t.two();\n}\n"),
    ];
    let told = chain(
        &files,
        &[
            &[("src/a.rs", "use crate::t::T;\n")],
            &[("src/b.rs", &block("One"))],
            &[("src/a.rs", &block("Two"))],
            &[("src/t.rs", &format!("pub fn first() {{}}\n{types}"))],
            &[("src/a.rs", &block("One")), ("src/b.rs", &block("Two"))],
        ],
    );
    assert!(!told.contains(&"anew"), "{told:?}");
}

/// Each of these edits changes the answer to one kind of question alone.
#[test]
fn every_question_counts() {
    let door =
        |more: &str| format!("package door\n\ntype Door interface {{\n\tOpen() error\n{more}}}\n");
    let kind = |name: &str| format!("package a\n\ntype {name} struct{{}}\n");
    let files = [
        ("a/method.go", "package a\n\nfunc (s *S) Open() error { return nil }\n"),
        ("a/type.go", &*kind("Later")),
        ("door/door.go", &*door("")),
    ];
    // The type of a method that had none: its interface has to be asked again.
    chain(
        &files,
        &[
            &[("a/type.go", &kind("S"))],
            &[("door/door.go", &door("\tClose()\n"))],
            &[("door/door.go", &door(""))],
        ],
    );

    // A field that holds something else.
    let field = |class: &str| {
        format!(
            "from c import One, Two\n\n\nclass A:\n    def __init__(self):\n        self.x = {class}()\n"
        )
    };
    let files = [
        ("a.py", &*field("One")),
        ("b.py", "from a import A\n\n\ndef f():\n    A().x.run()\n"),
        (
            "c.py",
            "class One:\n    def run(self):\n        pass\n\n\nclass Two:\n    def run(self):\n        pass\n",
        ),
    ];
    assert_eq!(chain(&files, &[&[("a.py", &field("Two"))]]), ["with others"]);

    // A default where there was none.
    let files = [
        ("a.ts", "export function one() {}\n"),
        ("b.ts", "import thing from './a';\nexport function go() { thing(); }\n"),
    ];
    assert_eq!(
        chain(
            &files,
            &[&[("a.ts", "export function one() {}\nexport default function fresh() {}\n")]]
        ),
        ["with others"]
    );

    // A name that a package has by now, and one that it adds to types.
    let files = [
        ("p/a.go", "package p\n\nfunc Other() {}\n"),
        ("p/b.go", "package p\n\nfunc use() { Helper() }\n"),
    ];
    assert_eq!(
        chain(&files, &[&[("p/a.go", "package p\n\nfunc Other() {}\n\nfunc Helper() {}\n")]]),
        ["with others"]
    );
    let files = [
        ("a.kt", "package p\n\nfun other() {}\n"),
        ("b.kt", "package q\n\nimport p.ext\n\nfun use() {\n    ext()\n}\n"),
    ];
    assert_eq!(
        chain(&files, &[&[("a.kt", "package p\n\nfun other() {}\n\nfun String.ext() {}\n")]]),
        ["with others"]
    );

    // A method before the one that was inherited.
    let files = [
        ("p/a.go", "package p\n\nfunc other() {}\n"),
        ("p/b.go", "package p\n\nfunc use(s *S) { s.Open() }\n"),
        (
            "p/c.go",
            "package p\n\ntype Base struct{}\n\nfunc (b *Base) Open() {}\n\ntype S struct{ Base }\n",
        ),
    ];
    assert_eq!(
        chain(&files, &[&[("p/a.go", "package p\n\nfunc other() {}\n\nfunc (s *S) Open() {}\n")]]),
        ["with others"]
    );

    // The line of a base that stands in another file.
    let files = [
        ("src/a.rs", "use crate::t::{T, One};\nimpl One for T {}\n"),
        ("src/lib.rs", "mod a;\nmod t;\n"),
        ("src/t.rs", "pub struct T;\npub trait One {}\n"),
    ];
    chain(&files, &[&[("src/a.rs", "use crate::t::{T, One};\n\n\nimpl One for T {}\n")]]);
}
