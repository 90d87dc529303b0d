//! Edits that reach other files in ways that are easily missed: under other names, without a name, through a third file.

use super::changes::{check, lean, lean_facts};
use super::facts;
use contextd_model::facts::FileFacts;

/// Checks that new versions of files link as from nothing, whichever way that is done.
fn tell(name: &str, files: &[(&str, &str)], edits: &[(&str, &str)]) {
    let before: Vec<(String, FileFacts)> =
        facts(files).into_iter().map(|(path, facts)| (path, lean(&facts))).collect();
    let mut after = before.clone();
    for (path, text) in edits {
        after.iter_mut().find(|file| file.0 == *path).expect("a file of that path").1 =
            lean_facts(path, text);
    }
    check(&[before, after], name);
}

#[test]
fn names_lead_out_under_other_names() {
    let abc: [(&str, &str); 2] = [
        ("a.ts", "export class A {\n  run() {}\n}\n"),
        ("b.ts", "export class B {\n  run() {}\n}\n"),
    ];
    let m = "import { A } from './a';\nimport { B } from './b';\n";
    // Exports under another name.
    for (name, export, import) in [
        ("default-id", "export default foo;", "import bar from './m';"),
        ("alias", "export { foo as bar };", "import { bar } from './m';"),
        ("cjs default", "module.exports = foo;", "const bar = require('./m');"),
    ] {
        let text = |class: &str| format!("{m}const foo = new {class}();\n{export}\n");
        let user = format!("{import}\nfunction f() {{ bar.run(); }}\n");
        tell(
            &format!("2/3 {name}"),
            &[abc[0], abc[1], ("m.ts", &text("A")), ("use.ts", &user)],
            &[("m.ts", &text("B"))],
        );
    }
    for (name, export, import) in [
        ("default", "export default X;", "import bar from './m';"),
        ("alias", "export { X as bar };", "import { bar } from './m';"),
    ] {
        let text = |from: &str| format!("import {{ X }} from './{from}';\n{export}\n");
        let user = format!("{import}\nfunction f() {{ new bar().run(); bar.go() }}\n");
        let a = [
            ("a.ts", "export class X {\n  run() {}\n}\n"),
            ("b.ts", "export class X {\n  run() {}\n}\n"),
        ];
        tell(
            &format!("16 {name}"),
            &[a[0], a[1], ("m.ts", &text("a")), ("use.ts", &user)],
            &[("m.ts", &text("b"))],
        );
    }
    let cjs = |name: &str| {
        format!("function one() {{}}\nfunction two() {{}}\nmodule.exports = {name};\n")
    };
    tell(
        "1 module called",
        &[("m.js", &cjs("one")), ("use.js", "const m = require('./m');\nfunction f() { m(); }\n")],
        &[("m.js", &cjs("two"))],
    );
    tell(
        "1b star called",
        &[("m.js", &cjs("one")), ("use.js", "import * as m from './m';\nfunction f() { m(); }\n")],
        &[("m.js", &cjs("two"))],
    );
    let text = |class: &str| format!("{m}export default class Foo extends {class} {{\n}}\n");
    tell(
        "24 default class base",
        &[
            abc[0],
            abc[1],
            ("m.ts", &text("A")),
            ("use.ts", "import X from './m';\nfunction f() { new X().run(); }\n"),
        ],
        &[("m.ts", &text("B"))],
    );
    tell(
        "24b default class constructor",
        &[
            ("m.ts", "export default class Foo {\n}\n"),
            ("use.ts", "import X from './m';\nfunction f() { new X(); }\n"),
        ],
        &[("m.ts", "export default class Foo {\n  constructor(a: number) {}\n}\n")],
    );
    tell(
        "24c alias class constructor",
        &[
            ("m.ts", "class Foo {\n}\nexport { Foo as X };\n"),
            ("use.ts", "import { X } from './m';\nfunction f() { new X(); }\n"),
        ],
        &[("m.ts", "class Foo {\n  constructor(a: number) {}\n}\nexport { Foo as X };\n")],
    );
    // Two at once.
    tell(
        "4 two, alias between",
        &[
            ("m1.py", "class A:\n    pass\n"),
            ("m2.py", "from m1 import A as B\n\nx = 1\n"),
            ("m3.py", "from m2 import B\n\n\ndef f():\n    B()\n"),
        ],
        &[
            ("m1.py", "class A:\n    def __init__(self):\n        pass\n"),
            ("m2.py", "from m1 import A as B\n\nx = 1\ny = 2\n"),
        ],
    );
    tell(
        "5 two, base between",
        &[
            ("m0.py", "class X:\n    def run(self): pass\n\n\nclass Y:\n    def run(self): pass\n"),
            ("m1.py", "from m0 import X, Y\n\n\nclass A(X):\n    pass\n"),
            ("m2.py", "from m1 import A\n\n\nclass C(A):\n    pass\n"),
            ("m3.py", "from m2 import C\n\n\ndef f():\n    C().run()\n"),
        ],
        &[
            ("m1.py", "from m0 import X, Y\n\n\nclass A(Y):\n    pass\n"),
            ("m2.py", "from m1 import A\n\n\nclass C(A):\n    pass\n\n\ny = 2\n"),
        ],
    );
    // Owners of imports.
    tell(
        "7 rust use moves",
        &[
            ("src/lib.rs", "pub mod x;\npub mod m;\npub mod u;\n"),
            ("src/x.rs", "pub struct Foo;\nimpl Foo {\n    pub fn run(&self) {}\n}\n"),
            (
                "src/m.rs",
                "pub mod a {\n    use crate::x::Foo;\n    pub struct S { pub f: Foo }\n}\npub mod b {\n    pub struct T { pub g: i32 }\n}\n",
            ),
            ("src/u.rs", "use crate::m::a::S;\npub fn u(s: S) { s.f.run(); }\n"),
        ],
        &[(
            "src/m.rs",
            "pub mod a {\n    pub struct S { pub f: Foo }\n}\npub mod b {\n    use crate::x::Foo;\n    pub struct T { pub g: i32 }\n}\n",
        )],
    );
    tell(
        "7b python import moves",
        &[
            ("y.py", "class Foo:\n    def go(self): pass\n"),
            (
                "m.py",
                "class C:\n    def a(self):\n        from y import Foo\n        self.x = Foo()\n\n    def b(self):\n        pass\n",
            ),
            ("u.py", "from m import C\n\n\ndef f():\n    C().x.go()\n"),
        ],
        &[(
            "m.py",
            "class C:\n    def a(self):\n        self.x = Foo()\n\n    def b(self):\n        from y import Foo\n",
        )],
    );
    tell(
        "6 C# using moves",
        &[
            (
                "t.cs",
                "namespace T { public static class Util { public class Inner { public void Go() {} } } }\n",
            ),
            (
                "m.cs",
                "namespace A { using static T.Util; public class P { public Inner x; } }\nnamespace B { public class Q { } }\n",
            ),
            ("u.cs", "namespace A { class U { void F(P p) { p.x.Go(); } } }\n"),
        ],
        &[(
            "m.cs",
            "namespace A { public class P { public Inner x; } }\nnamespace B { using static T.Util; public class Q { } }\n",
        )],
    );
    // Local symbols.
    tell(
        "8 local class of a result",
        &[
            (
                "m.py",
                "def make() -> 'Inner':\n    class Inner:\n        def go(self): pass\n    return Inner()\n",
            ),
            ("u.py", "from m import make\n\n\ndef f():\n    make().go()\n"),
        ],
        &[(
            "m.py",
            "def first():\n    pass\n\n\ndef make() -> 'Inner':\n    class Inner:\n        def go(self): pass\n    return Inner()\n",
        )],
    );
    tell(
        "8b local class of a field",
        &[
            (
                "m.py",
                "class A:\n    def __init__(self):\n        class Foo:\n            def go(self): pass\n        self.x = Foo()\n",
            ),
            ("u.py", "from m import A\n\n\ndef f():\n    A().x.go()\n"),
        ],
        &[(
            "m.py",
            "def first():\n    pass\n\n\nclass A:\n    def __init__(self):\n        class Foo:\n            def go(self): pass\n        self.x = Foo()\n",
        )],
    );
    tell(
        "9 local of a store",
        &[
            (
                "m.ts",
                "export const store = create(() => {\n  function inner() {}\n  return { inner };\n});\n",
            ),
            ("u.ts", "import { store } from './m';\nfunction f() { store.inner(); }\n"),
        ],
        &[(
            "m.ts",
            "export function first() {}\nexport const store = create(() => {\n  function inner() {}\n  return { inner };\n});\n",
        )],
    );
    tell(
        "9b local value of a store",
        &[
            abc[0],
            abc[1],
            (
                "m.ts",
                &format!(
                    "{m}export const store = create(() => {{\n  const api = new A();\n  return {{ api }};\n}});\n"
                ),
            ),
            ("u.ts", "import { store } from './m';\nfunction f() { store.api.run(); }\n"),
        ],
        &[(
            "m.ts",
            &format!(
                "{m}export const store = create(() => {{\n  const api = new B();\n  return {{ api }};\n}});\n"
            ),
        )],
    );
    // Order.
    tell(
        "10 cotested",
        &[
            ("m.py", "def f(): pass\n\n\ndef g(): pass\n"),
            ("tests/test_m.py", "from m import f, g\n\n\ndef test_it():\n    f()\n    g()\n"),
        ],
        &[("m.py", "def g(): pass\n\n\ndef f(): pass\n")],
    );
    tell(
        "11 c++ unnamed",
        &[
            ("m.h", "class A {\npublic:\n  void f(int);\n  void f(const char* x = nullptr);\n};\n"),
            ("u.cpp", "#include \"m.h\"\nvoid u(A a) { a.f(); }\n"),
        ],
        &[("m.h", "class A {\npublic:\n  void f(const char* x = nullptr);\n  void f(int);\n};\n")],
    );
    // Go.
    tell(
        "14 go overrides from a third file",
        &[
            ("a/s.go", "package a\n\ntype S struct{}\n"),
            ("a/m.go", "package a\n\nfunc (s *S) Open() error { return nil }\n"),
            ("b/i.go", "package b\n\ntype Door interface {\n\tOpen() error\n\tClose() error\n}\n"),
        ],
        &[("a/s.go", "package a\n\ntype S struct{}\n\nfunc (s *S) Close() error { return nil }\n")],
    );
    // Quiet.
    let many: Vec<(String, String)> = (0..60)
        .map(|at| {
            (format!("m{at}.py"), format!("class K{at}:\n    def shared(self):\n        pass\n"))
        })
        .collect();
    let many: Vec<(&str, &str)> =
        many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let with = |more: &[(&'static str, &'static str)]| {
        many.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>()
    };
    tell(
        "15 quiet by result",
        &with(&[
            ("new.py", "class Unheard:\n    pass\n\n\ndef make() -> Unheard:\n    pass\n"),
            ("u.py", "from new import make\n\n\ndef f():\n    make().shared()\n"),
        ]),
        &[(
            "new.py",
            "class Unheard:\n    def shared(self):\n        pass\n\n\ndef make() -> Unheard:\n    pass\n",
        )],
    );
    tell(
        "15b quiet by base",
        &with(&[
            ("new.py", "class Unheard:\n    pass\n\n\nclass Pub(Unheard):\n    pass\n"),
            ("u.py", "from new import Pub\n\n\ndef f():\n    Pub().shared()\n"),
        ]),
        &[(
            "new.py",
            "class Unheard:\n    def shared(self):\n        pass\n\n\nclass Pub(Unheard):\n    pass\n",
        )],
    );
    tell(
        "19 quiet twice",
        &with(&[
            ("new.py", "class A:\n    def shared(self):\n        pass\n"),
            ("u.py", "from new import A\n\n\ndef f():\n    A().shared()\n"),
        ]),
        &[(
            "new.py",
            "class A:\n    def shared(self):\n        pass\n    def shared(self):\n        pass\n",
        )],
    );
    let java: Vec<(String, String)> = (0..60)
        .map(|at| {
            (
                format!("p/K{at}.java"),
                format!("package p;\nclass K{at} {{\n  void shared() {{}}\n}}\n"),
            )
        })
        .collect();
    let mut java: Vec<(&str, &str)> =
        java.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    java.extend([("q/A.java", "package q;\npublic class A {\n  public void shared(int a) {}\n  public void shared(int b, int c) {}\n}\n"), ("q/U.java", "package q;\nclass U {\n  void f(A a) { a.shared(1); }\n}\n")]);
    tell(
        "19b quiet order",
        &java,
        &[(
            "q/A.java",
            "package q;\npublic class A {\n  public void shared(int b, int c) {}\n  public void shared(int a) {}\n}\n",
        )],
    );
    // Which of several parents.
    tell(
        "20 rust impl blocks",
        &[
            ("src/lib.rs", "pub mod m;\npub mod u;\n"),
            (
                "src/m.rs",
                "pub struct Foo;\nimpl Made<u8> for Foo {\n    fn make(x: u8) -> Foo { Foo }\n}\nimpl Foo {\n    fn other() {}\n}\n",
            ),
            ("src/u.rs", "use crate::m::Foo;\npub fn u() { Foo::make(1); }\n"),
        ],
        &[(
            "src/m.rs",
            "pub struct Foo;\nimpl Made<u8> for Foo {\n}\nimpl Foo {\n    fn make(x: u8) -> Foo { Foo }\n    fn other() {}\n}\n",
        )],
    );
    tell(
        "21 partial",
        &[
            (
                "m.cs",
                "namespace N;\npublic partial class A { public void F(int a) {} }\npublic partial class A { public void F(int b, int c) {} }\n",
            ),
            ("u.cs", "namespace N;\nclass U { void G(A a) { a.F(1, 2); } }\n"),
        ],
        &[(
            "m.cs",
            "namespace N;\npublic partial class A { public void F(int a) {} public void F(int b, int c) {} }\npublic partial class A { }\n",
        )],
    );
    tell(
        "22 ts namespaces",
        &[
            (
                "m.ts",
                "export namespace N {\n  export function f() {}\n}\nexport namespace N {\n  export function g() {}\n}\n",
            ),
            ("u.ts", "import { N } from './m';\nfunction u() { N.f(); }\n"),
        ],
        &[(
            "m.ts",
            "export namespace N {\n}\nexport namespace N {\n  export function f() {}\n  export function g() {}\n}\n",
        )],
    );
    tell(
        "23 base of which",
        &[
            ("b.py", "class Base:\n    def run(self): pass\n"),
            (
                "m.py",
                "from b import Base\n\n\nclass X:\n    class A(Base):\n        pass\n\n\nclass Y:\n    class A:\n        pass\n",
            ),
            ("u.py", "from m import X\n\n\ndef f():\n    X.A().run()\n"),
        ],
        &[(
            "m.py",
            "from b import Base\n\n\nclass X:\n    class A:\n        pass\n\n\nclass Y:\n    class A(Base):\n        pass\n",
        )],
    );
    // Ways of Rust.
    let rs = |from: &str| format!("pub mod a;\npub mod x;\npub mod y;\npub use {from}::Foo;\n");
    let foo = "pub struct Foo;\nimpl Foo {\n    pub fn make() {}\n}\n";
    tell(
        "17 crate inline",
        &[
            ("src/lib.rs", &rs("x")),
            ("src/x.rs", foo),
            ("src/y.rs", foo),
            ("src/a.rs", "pub fn f() { crate::Foo::make(); }\n"),
        ],
        &[("src/lib.rs", &rs("y"))],
    );
    tell(
        "17b super inline",
        &[
            ("src/lib.rs", "pub mod a;\npub mod x;\npub mod y;\n"),
            ("src/x.rs", foo),
            ("src/y.rs", foo),
            ("src/a.rs", "pub mod b;\npub use crate::x::Foo;\n"),
            ("src/a/b.rs", "pub fn f() { super::Foo::make(); }\n"),
        ],
        &[("src/a.rs", "pub mod b;\npub use crate::y::Foo;\n")],
    );
    tell(
        "17c other crate inline",
        &[
            ("one/src/lib.rs", &rs("x")),
            ("one/src/x.rs", foo),
            ("one/src/y.rs", foo),
            ("two/src/lib.rs", "pub fn f() { one::Foo::make(); }\n"),
        ],
        &[("one/src/lib.rs", &rs("y"))],
    );
    // The receiver.
    tell(
        "18 receiver",
        &[
            ("src/lib.rs", "pub mod m;\npub mod u;\n"),
            (
                "src/m.rs",
                "pub struct Foo;\nimpl Made<u8> for Foo {\n    fn make(&self) -> u8 { 1 }\n}\n",
            ),
            ("src/u.rs", "use crate::m::Foo;\npub fn u(x: Foo) { Foo::make(&x); }\n"),
        ],
        &[(
            "src/m.rs",
            "pub struct Foo;\nimpl Made<u8> for Foo {\n    fn make(_: &Self) -> u8 { 1 }\n}\n",
        )],
    );
    // Manifests.
    tell(
        "13 cargo",
        &[
            ("one/Cargo.toml", "[package]\nname = \"alpha\"\n"),
            ("one/src/lib.rs", foo),
            ("two/Cargo.toml", "[package]\nname = \"two\"\n"),
            ("two/src/lib.rs", "use alpha::Foo;\npub fn f() { Foo::make(); }\n"),
        ],
        &[("one/Cargo.toml", "[package]\nname = \"beta\"\n")],
    );
}

#[test]
fn scopes_and_orders_count() {
    let many: Vec<(String, String)> = (0..60)
        .map(|at| {
            (format!("m{at}.py"), format!("class K{at}:\n    def shared(self):\n        pass\n"))
        })
        .collect();
    let many: Vec<(&str, &str)> =
        many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let with = |more: &[(&'static str, &'static str)]| {
        many.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>()
    };
    tell(
        "R32 led to a quiet name",
        &with(&[
            ("ab.py", "class A:\n    def run(self): pass\n\n\nclass B:\n    def run(self): pass\n"),
            (
                "new.py",
                "from ab import A, B\n\n\nclass Foo(A):\n    pass\n\n\nclass Unheard:\n    pass\n",
            ),
            (
                "x.py",
                "from new import Foo\n\n\nclass K:\n    def shared(self) -> Foo:\n        pass\n",
            ),
            ("u.py", "from x import K\n\n\ndef f():\n    K().shared().run()\n"),
        ]),
        &[(
            "new.py",
            "from ab import A, B\n\n\nclass Foo(B):\n    pass\n\n\nclass Unheard:\n    def shared(self):\n        pass\n",
        )],
    );
    tell(
        "R1 ruby module in a method",
        &[
            ("a.rb", "def setup\n  1\nend\n"),
            ("u.rb", "class U\n  def f\n    Foo.run\n    Foo::Bar.run\n  end\nend\n"),
            ("b.rb", "class Bar\n  def self.run\n  end\nend\n"),
        ],
        &[(
            "a.rb",
            "def setup\n  eval { module Foo\n    class Bar\n      def self.run\n      end\n    end\n  end }\nend\n",
        )],
    );
    tell(
        "R1b ruby module in describe",
        &[
            ("spec/a_spec.rb", "describe 'x' do\n  it 'y' do\n  end\nend\n"),
            ("u.rb", "class U\n  def f\n    Foo.run\n    Foo::Bar.run\n  end\nend\n"),
            ("b.rb", "class Bar\n  def self.run\n  end\nend\n"),
        ],
        &[(
            "spec/a_spec.rb",
            "describe 'x' do\n  module Foo\n    class Bar\n      def self.run\n      end\n    end\n  end\n  it 'y' do\n  end\nend\n",
        )],
    );
    // Reordered interfaces beyond the cap.
    let door = |order: Vec<usize>| {
        format!(
            "package b\n\n{}",
            order
                .iter()
                .map(|at| format!("type D{at} interface {{\n\tOpen() error\n}}\n\n"))
                .collect::<String>()
        )
    };
    tell(
        "R2 cap of overrides",
        &[
            ("a/s.go", "package a\n\ntype S struct{}\n\nfunc (s *S) Open() error { return nil }\n"),
            ("b/i.go", &door((0..40).collect())),
        ],
        &[("b/i.go", &door((0..40).rev().collect()))],
    );
    tell(
        "14b interface and type in one file",
        &[
            (
                "a/s.go",
                "package a\n\ntype S struct{}\n\ntype Door interface {\n\tOpen() error\n\tClose() error\n}\n",
            ),
            ("a/m.go", "package a\n\nfunc (s *S) Open() error { return nil }\n"),
        ],
        &[("a/s.go", "package a\n\ntype S struct{}\n\ntype Door interface {\n\tOpen() error\n}\n")],
    );
    let foo = "pub fn make() {}\n";
    tell(
        "17b super inline",
        &[
            ("src/lib.rs", "pub mod a;\npub mod x;\npub mod y;\n"),
            ("src/x.rs", foo),
            ("src/y.rs", foo),
            ("src/a.rs", "pub mod b;\npub use crate::x::make;\n"),
            ("src/a/b.rs", "pub fn f() { super::make(); }\n"),
        ],
        &[("src/a.rs", "pub mod b;\npub use crate::y::make;\n")],
    );
    tell(
        "17d crate inline of a binary's items",
        &[
            ("src/lib.rs", "pub mod a;\npub mod x;\npub mod y;\npub use x::make;\n"),
            ("src/x.rs", foo),
            ("src/y.rs", foo),
            ("src/a.rs", "pub fn f() { crate::make(); }\n"),
        ],
        &[("src/lib.rs", "pub mod a;\npub mod x;\npub mod y;\npub use y::make;\n")],
    );
    tell(
        "20 impl blocks",
        &[
            ("src/lib.rs", "pub mod m;\npub mod u;\n"),
            (
                "src/m.rs",
                "pub struct Foo;\nimpl Made<u8> for Foo {\n    fn make(x: u8) -> Foo { Foo }\n}\nimpl Plain for Foo {\n    fn other() {}\n}\n",
            ),
            ("src/u.rs", "use crate::m::Foo;\npub fn u() { Foo::make(1); }\n"),
        ],
        &[(
            "src/m.rs",
            "pub struct Foo;\nimpl Made<u8> for Foo {\n}\nimpl Plain for Foo {\n    fn make(x: u8) -> Foo { Foo }\n    fn other() {}\n}\n",
        )],
    );
    tell(
        "21b generic twin",
        &[
            (
                "m.cs",
                "namespace N;\npublic class Result { public void Done() {} }\npublic class Result<T> { public T value; }\n",
            ),
            (
                "u.cs",
                "namespace N;\nclass U { void G(Result a, Result<int> b) { a.Done(); } void H(Result<int> b) { b.Done(); } }\n",
            ),
        ],
        &[(
            "m.cs",
            "namespace N;\npublic class Result { }\npublic class Result<T> { public void Done() {} public T value; }\n",
        )],
    );
    tell(
        "21c swift extension",
        &[
            (
                "m.swift",
                "struct S {\n  func f(_ a: Int) {}\n}\nextension S {\n  func f(_ a: Int, _ b: Int) {}\n}\n",
            ),
            ("u.swift", "func u(s: S) {\n  s.f(1, 2)\n}\n"),
        ],
        &[(
            "m.swift",
            "struct S {\n  func f(_ a: Int) {}\n  func f(_ a: Int, _ b: Int) {}\n}\nextension S {\n}\n",
        )],
    );
    tell(
        "21d swift extension one",
        &[
            ("m.swift", "struct S {\n  func f(_ a: Int) {}\n}\nextension S {\n  func g() {}\n}\n"),
            ("u.swift", "func u(s: S) {\n  s.f(1)\n}\n"),
        ],
        &[("m.swift", "struct S {\n}\nextension S {\n  func f(_ a: Int) {}\n  func g() {}\n}\n")],
    );
    tell(
        "21e python twice",
        &[
            (
                "m.py",
                "try:\n    class A:\n        def run(self): pass\nexcept E:\n    class A:\n        def stop(self): pass\n",
            ),
            ("u.py", "from m import A\n\n\ndef f():\n    A().run()\n    A().stop()\n"),
        ],
        &[(
            "m.py",
            "try:\n    class A:\n        pass\nexcept E:\n    class A:\n        def run(self): pass\n        def stop(self): pass\n",
        )],
    );
    tell(
        "21f ts interface twice",
        &[
            (
                "m.ts",
                "export interface A { run(x: number): void }\nexport interface A { run(x: number, y: number): void }\n",
            ),
            ("u.ts", "import { A } from './m';\nfunction u(a: A) { a.run(1, 2); }\n"),
        ],
        &[(
            "m.ts",
            "export interface A { run(x: number): void; run(x: number, y: number): void }\nexport interface A { }\n",
        )],
    );
    tell(
        "R5 rust alias in one file",
        &[
            ("src/lib.rs", "pub mod a;\npub mod b;\npub mod m;\npub mod u;\n"),
            ("src/a.rs", "pub struct A;\nimpl A { pub fn run(&self) {} }\n"),
            ("src/b.rs", "pub struct B;\nimpl B { pub fn run(&self) {} }\n"),
            (
                "src/m.rs",
                "use crate::a::A;\nuse crate::b::B;\nmod inner {\n    use crate::a::A;\n    use crate::b::B;\n    pub fn foo() -> A {}\n}\npub use self::inner::foo as bar;\n",
            ),
            ("src/u.rs", "use crate::m::bar;\npub fn u() { bar().run(); }\n"),
        ],
        &[(
            "src/m.rs",
            "use crate::a::A;\nuse crate::b::B;\nmod inner {\n    use crate::a::A;\n    use crate::b::B;\n    pub fn foo() -> B {}\n}\npub use self::inner::foo as bar;\n",
        )],
    );
    tell(
        "R5b rust alias of a function",
        &[
            ("src/lib.rs", "pub mod a;\npub mod b;\npub mod m;\npub mod u;\n"),
            ("src/a.rs", "pub struct A;\nimpl A { pub fn run(&self) {} }\n"),
            ("src/b.rs", "pub struct B;\nimpl B { pub fn run(&self) {} }\n"),
            (
                "src/m.rs",
                "use crate::a::A;\nuse crate::b::B;\npub fn foo() -> A {}\npub use self::foo as bar;\n",
            ),
            ("src/u.rs", "use crate::m::bar;\npub fn u() { bar().run(); }\n"),
        ],
        &[(
            "src/m.rs",
            "use crate::a::A;\nuse crate::b::B;\npub fn foo() -> B {}\npub use self::foo as bar;\n",
        )],
    );
    tell(
        "cjs object",
        &[
            ("m.js", "class A {}\nmodule.exports = { Shown: A };\n"),
            ("u.js", "const { Shown } = require('./m');\nfunction f() { new Shown(); }\n"),
        ],
        &[("m.js", "class A { constructor(x) {} }\nmodule.exports = { Shown: A };\n")],
    );
    tell(
        "10b cotested three",
        &[
            ("m.py", "def f(): pass\n\n\ndef g(): pass\n"),
            ("n.py", "def k(): pass\n"),
            (
                "tests/test_m.py",
                "from m import f, g\nfrom n import k\n\n\ndef test_it():\n    f(g(k()))\n",
            ),
        ],
        &[("m.py", "def g(): pass\n\n\ndef f(): pass\n")],
    );
    tell(
        "15c two changed",
        &with(&[
            ("new.py", "class Unheard:\n    pass\n"),
            ("w.py", "from new import Unheard\n\n\ndef make() -> Unheard:\n    pass\n"),
            ("u.py", "from w import make\n\n\ndef f():\n    make().shared()\n"),
        ]),
        &[
            ("new.py", "class Unheard:\n    def shared(self):\n        pass\n"),
            (
                "w.py",
                "from new import Unheard\n\n\ndef make() -> Unheard:\n    pass\n\n\ndef more():\n    pass\n",
            ),
        ],
    );
    tell(
        "8c rust local type",
        &[
            ("src/lib.rs", "pub mod m;\npub mod u;\n"),
            (
                "src/m.rs",
                "pub fn make() -> Inner {\n    struct Inner;\n    impl Inner { fn go(&self) {} }\n    Inner\n}\n",
            ),
            ("src/u.rs", "use crate::m::make;\npub fn u() { make().go(); }\n"),
        ],
        &[(
            "src/m.rs",
            "pub fn first() {}\npub fn make() -> Inner {\n    struct Inner;\n    impl Inner { fn go(&self) {} }\n    Inner\n}\n",
        )],
    );
    tell(
        "8d ts local type",
        &[
            (
                "m.ts",
                "export function make(): Inner {\n  class Inner { go() {} }\n  return new Inner();\n}\n",
            ),
            ("u.ts", "import { make } from './m';\nfunction u() { make().go(); }\n"),
        ],
        &[(
            "m.ts",
            "export function first() {}\nexport function make(): Inner {\n  class Inner { go() {} }\n  return new Inner();\n}\n",
        )],
    );
    // Object literals.
    tell(
        "9c object literal",
        &[
            (
                "m.ts",
                "export const api = {\n  get: () => {\n    function inner() {}\n  },\n  put() {},\n};\n",
            ),
            (
                "u.ts",
                "import { api } from './m';\nfunction u() { api.get(); api.get.inner(); api.put(); }\n",
            ),
        ],
        &[(
            "m.ts",
            "export function first() {}\nexport const api = {\n  get: () => {\n    function inner() {}\n  },\n  put() {},\n};\n",
        )],
    );
    tell(
        "9d prototype in function",
        &[
            (
                "m.js",
                "function make() {\n  function Inner() {}\n  Inner.prototype.go = function () {};\n  make.extra = function () {};\n  return Inner;\n}\nmodule.exports = make;\n",
            ),
            ("u.js", "const make = require('./m');\nfunction u() { make.extra(); make(); }\n"),
        ],
        &[(
            "m.js",
            "function first() {}\nfunction make() {\n  function Inner() {}\n  Inner.prototype.go = function () {};\n  make.extra = function () {};\n  return Inner;\n}\nmodule.exports = make;\n",
        )],
    );
}

#[test]
fn what_nobody_mentions_may_be_reached() {
    let door = |order: Vec<usize>| {
        format!(
            "package b\n\n{}",
            order
                .iter()
                .map(|at| format!("type D{at} interface {{\n\tM{at}() error\n}}\n\n"))
                .collect::<String>()
        )
    };
    let s: String =
        (0..40).map(|at| format!("func (s *S) M{at}() error {{ return nil }}\n\n")).collect();
    tell(
        "R2b cap of overrides",
        &[
            ("a/s.go", &format!("package a\n\ntype S struct{{}}\n\n{s}")),
            ("b/i.go", &door((0..40).collect())),
        ],
        &[("b/i.go", &door((0..40).rev().collect()))],
    );
    let foo = "pub fn make() {}\n";
    tell(
        "17e super inline",
        &[
            ("src/lib.rs", "pub mod outer;\npub mod xx;\npub mod yy;\n"),
            ("src/xx.rs", foo),
            ("src/yy.rs", foo),
            ("src/outer.rs", "pub mod inner;\npub use crate::xx::make;\n"),
            ("src/outer/inner.rs", "pub fn call() { super::make(); }\n"),
        ],
        &[("src/outer.rs", "pub mod inner;\npub use crate::yy::make;\n")],
    );
    tell(
        "S15 owner's kind",
        &[
            ("src/lib.rs", "pub mod m;\npub struct Foo;\nimpl Foo { pub fn at_root() {} }\n"),
            (
                "src/m.rs",
                "pub struct Foo;\npub mod a {\n    use super::Foo;\n    pub fn f() { Foo::at_root(); }\n}\npub fn g() {\n    Foo::at_root();\n}\n",
            ),
        ],
        &[(
            "src/m.rs",
            "pub struct Foo;\npub mod a {\n    pub fn f() { Foo::at_root(); }\n}\npub fn g() {\n    use super::Foo;\n    Foo::at_root();\n}\n",
        )],
    );
    tell(
        "S7 receiver",
        &[
            ("src/lib.rs", "pub mod m;\npub mod u;\n"),
            (
                "src/m.rs",
                "pub struct Foo { pub a: u8 }\nimpl Made<u8> for Foo {\n    fn make(&self) -> u8 { 1 }\n}\n",
            ),
            ("src/u.rs", "use crate::m::Foo;\npub fn u(x: Foo) { Foo::make(&x); }\n"),
        ],
        &[(
            "src/m.rs",
            "pub struct Foo { pub a: u8 }\nimpl Made<u8> for Foo {\n    fn make(Foo { .. }: &Self) -> u8 { 1 }\n}\n",
        )],
    );
    tell(
        "S7b receiver",
        &[
            ("src/lib.rs", "pub mod m;\npub mod u;\n"),
            (
                "src/m.rs",
                "pub struct Foo { pub a: u8 }\nimpl Made<u8> for Foo {\n    fn make(self: &Self) -> u8 { 1 }\n}\n",
            ),
            ("src/u.rs", "use crate::m::Foo;\npub fn u(x: Foo) { Foo::make(&x); }\n"),
        ],
        &[(
            "src/m.rs",
            "pub struct Foo { pub a: u8 }\nimpl Made<u8> for Foo {\n    fn make(&self) -> u8 { 1 }\n}\n",
        )],
    );
    // Java: nested types of one name.
    tell(
        "23b java builders",
        &[
            ("p/Base.java", "package p;\npublic class Base { public void run() {} }\n"),
            (
                "p/M.java",
                "package p;\npublic class M {\n  public static class X { public static class Builder extends Base { } }\n  public static class Y { public static class Builder { } }\n}\n",
            ),
            ("p/U.java", "package p;\nclass U { void f(M.X.Builder b) { b.run(); } }\n"),
        ],
        &[(
            "p/M.java",
            "package p;\npublic class M {\n  public static class X { public static class Builder { } }\n  public static class Y { public static class Builder extends Base { } }\n}\n",
        )],
    );
    // Kotlin and Java and PHP ordinary.
    tell(
        "K kotlin alias",
        &[
            ("a.kt", "package p\nclass Foo { fun run() {} }\ntypealias Bar = Foo\n"),
            ("u.kt", "package p\nfun u(b: Bar) { b.run(); Bar() }\n"),
        ],
        &[(
            "a.kt",
            "package p\nclass Foo(val x: Int) { constructor() : this(1) {}\n fun run() {} }\ntypealias Bar = Foo\n",
        )],
    );
    tell(
        "P php alias",
        &[
            ("a.php", "<?php\nnamespace A;\nclass Foo { public function run() {} }\n"),
            (
                "u.php",
                "<?php\nnamespace B;\nuse A\\Foo as Bar;\nfunction u() { $x = new Bar(); $x->run(); }\n",
            ),
        ],
        &[(
            "a.php",
            "<?php\nnamespace A;\nclass Foo { public function __construct($a) {} public function run() {} }\n",
        )],
    );
    tell(
        "K2 kotlin extension",
        &[
            ("a.kt", "package p\nclass Foo\nfun Foo.ext() {}\n"),
            ("b.kt", "package p\nval it = Foo()\n"),
            ("u.kt", "package p\nfun u() { it.ext() }\n"),
        ],
        &[("a.kt", "package p\nclass Foo { fun ext() {} }\nfun Foo.ext() {}\n")],
    );
    tell(
        "J java inherited field",
        &[
            ("p/A.java", "package p;\npublic class A { public B b; }\n"),
            ("p/B.java", "package p;\npublic class B { public void go() {} }\n"),
            ("p/C.java", "package p;\npublic class C extends A { }\n"),
            ("p/U.java", "package p;\nclass U { void f(C c) { c.b.go(); } }\n"),
        ],
        &[("p/A.java", "package p;\npublic class A { public D b; }\n")],
    );
    tell(
        "Ru setter",
        &[
            ("a.rb", "class Foo\n  attr_reader :size\nend\n"),
            ("u.rb", "class U\n  def f\n    x = Foo.new\n    x.size = 3\n    x.size\n  end\nend\n"),
        ],
        &[("a.rb", "class Foo\n  attr_accessor :size\nend\n")],
    );
    tell(
        "Ru initialize",
        &[("a.rb", "class Foo\nend\n"), ("u.rb", "class U\n  def f\n    Foo.new(1)\n  end\nend\n")],
        &[("a.rb", "class Foo\n  def initialize(a)\n  end\nend\n")],
    );
    tell(
        "Ru super",
        &[
            ("a.rb", "class Foo\n  def go\n  end\nend\n"),
            ("u.rb", "class U < Foo\n  def go\n    super\n  end\nend\n"),
        ],
        &[("a.rb", "class Foo\n  def go(x)\n  end\n  def go2\n  end\nend\n")],
    );
    tell(
        "C prototype",
        &[
            ("a.h", "int f(int x);\n"),
            ("a.c", "#include \"a.h\"\nint g(void) { return 1; }\n"),
            ("u.c", "#include \"a.h\"\nint u(void) { return f(1); }\n"),
        ],
        &[("a.c", "#include \"a.h\"\nint g(void) { return 1; }\nint f(int x) { return x; }\n")],
    );
    tell(
        "Cs attribute",
        &[
            ("a.cs", "namespace N;\npublic class FooAttribute : System.Attribute { }\n"),
            ("u.cs", "namespace N;\n[Foo]\nclass U { }\n"),
        ],
        &[("a.cs", "namespace N;\npublic class BarAttribute : System.Attribute { }\n")],
    );
    tell(
        "Sw init",
        &[("a.swift", "struct Foo {\n}\n"), ("u.swift", "func u() { let x = Foo(a: 1) }\n")],
        &[("a.swift", "struct Foo {\n  init(a: Int) {}\n}\n")],
    );
    tell(
        "Sw ext init",
        &[
            ("a.swift", "struct Foo {\n}\n"),
            ("b.swift", "extension Foo {\n  init(a: Int) {}\n}\n"),
            ("u.swift", "func u() { let x = Foo(a: 1) }\n"),
        ],
        &[("b.swift", "extension Foo {\n  init(a: Int) {}\n  init(b: Int) {}\n}\n")],
    );
    tell(
        "TS merged default",
        &[
            ("a.ts", "export default { run() {}, stop() {} };\n"),
            ("u.ts", "import a from './a';\nfunction u() { a.run(); }\n"),
        ],
        &[("a.ts", "export default { stop() {}, run() {} };\n")],
    );
    tell(
        "TS default object field",
        &[
            ("x.ts", "export class X { go() {} }\n"),
            (
                "a.ts",
                "import { X } from './x';\nconst api = { x: new X() };\nexport default api;\n",
            ),
            ("u.ts", "import a from './a';\nfunction u() { a.x.go(); }\n"),
        ],
        &[("a.ts", "import { X } from './x';\nconst api = { y: new X() };\nexport default api;\n")],
    );
    tell(
        "Rust trait object default",
        &[
            ("src/lib.rs", "pub mod t;\npub mod m;\npub mod u;\n"),
            ("src/t.rs", "pub trait T { fn go(&self) {} }\n"),
            (
                "src/m.rs",
                "use crate::t::T;\npub struct S;\nimpl T for S {}\npub fn make() -> S { S }\n",
            ),
            ("src/u.rs", "pub fn u() { crate::m::make().go(); }\n"),
        ],
        &[("src/m.rs", "use crate::t::T;\npub struct S;\npub fn make() -> S { S }\n")],
    );
    tell(
        "Ex docs",
        &[
            ("a.py", "class A:\n    def run(self): pass\n"),
            ("d.md", "# T\n\nUse `A.run` and `run()`.\n"),
        ],
        &[("a.py", "class A:\n    def stop(self): pass\n")],
    );
}

#[test]
fn several_files_may_change() {
    let ab = [
        ("a.js", "class Foo { run() {} }\nmodule.exports = { Foo };\n"),
        ("b.js", "class Foo { run() {} }\nmodule.exports = { Foo };\n"),
    ];
    let m = |from: &str| format!("exports.Foo = require('./{from}').Foo;\n");
    tell(
        "P3 inline require",
        &[
            ab[0],
            ab[1],
            ("m.js", &m("a")),
            ("u.js", "function u() { new (require('./m').Foo)(); require('./m').Foo(); }\n"),
        ],
        &[("m.js", &m("b"))],
    );
    let m = |from: &str| format!("from {from} import Foo\n");
    let foo = "class Foo:\n    def run(self): pass\n";
    tell(
        "P3b through an attribute",
        &[
            ("a.py", foo),
            ("b.py", foo),
            ("home.py", &m("a")),
            ("x.py", "import home\n\n\nclass H:\n    mod = home\n"),
            ("u.py", "from x import H\n\n\ndef f():\n    H.mod.Foo().run()\n"),
        ],
        &[("home.py", &m("b"))],
    );
    let c = |name: &str| {
        format!(
            "import {{ Foo }} from './foo';\nexport class C {{\n  set() {{\n    function inner<{name}>() {{ }}\n    const go = function <{name}>(this: C) {{ this.x = new Foo(); }};\n  }}\n}}\n"
        )
    };
    tell(
        "P34 generics of a local",
        &[
            ("foo.ts", "export class Foo { run() {} }\n"),
            ("c.ts", &c("Foo")),
            ("u.ts", "import { C } from './c';\nfunction u(c: C) { c.x.run(); }\n"),
        ],
        &[("c.ts", &c("Bar"))],
    );
    tell(
        "8e local function of a field",
        &[
            ("y.py", "class A:\n    def go(self): pass\n\n\nclass B:\n    def go(self): pass\n"),
            (
                "m.py",
                "from y import A, B\n\n\nclass C:\n    def __init__(self):\n        def helper() -> A:\n            pass\n        self.x = helper()\n",
            ),
            ("u.py", "from m import C\n\n\ndef f():\n    C().x.go()\n"),
        ],
        &[(
            "m.py",
            "from y import A, B\n\n\nclass C:\n    def __init__(self):\n        def helper() -> B:\n            pass\n        self.x = helper()\n",
        )],
    );
    tell(
        "Cs extension method",
        &[
            ("a.cs", "namespace N;\npublic class Foo {}\npublic class Bar {}\n"),
            (
                "e.cs",
                "namespace N;\npublic static class E { public static void Go(this Foo f) {} }\n",
            ),
            ("u.cs", "namespace N;\nclass U { void F(Foo f) { f.Go(); } }\n"),
        ],
        &[(
            "e.cs",
            "namespace N;\npublic static class E { public static void Go(this Bar f) {} }\n",
        )],
    );
    tell(
        "Two: type and methods",
        &[
            ("a/s.go", "package a\n\ntype S struct{}\n"),
            ("a/m.go", "package a\n\nfunc (s *S) Open() error { return nil }\n"),
            ("a/n.go", "package a\n\nfunc (s *S) Close() error { return nil }\n"),
            ("b/i.go", "package b\n\ntype Door interface {\n\tOpen() error\n\tClose() error\n}\n"),
        ],
        &[
            ("a/s.go", "package a\n\ntype T struct{}\n\ntype S struct{}\n"),
            ("a/m.go", "package a\n\nfunc (s *S) Opened() error { return nil }\n"),
        ],
    );
    tell(
        "Two: move a class",
        &[
            ("a.py", "class A:\n    def run(self): pass\n\n\nclass K: pass\n"),
            ("b.py", "class Z: pass\n"),
            ("c.py", "from a import A as Q\n\nQQ = Q\n"),
            ("u.py", "from c import QQ\n\n\ndef f():\n    QQ().run()\n"),
        ],
        &[
            ("a.py", "class K: pass\n"),
            ("b.py", "class Z: pass\n\n\nclass A:\n    def run(self): pass\n"),
        ],
    );
}
