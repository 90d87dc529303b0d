//! One small repository for each of the other languages.

use super::check;

#[test]
fn rust_modules_impls_and_traits() {
    check(
        &[
            ("crates/core-lib/Cargo.toml", "[package]\nname = \"core-lib\"\n"),
            (
                "crates/core-lib/src/lib.rs",
                "mod store;\npub use store::Store;\npub trait Reader { fn read(&self) -> u8; }\n",
            ),
            (
                "crates/core-lib/src/store.rs",
                "use crate::Reader;\n\npub struct Store { inner: Inner }\npub struct Inner;\n\nimpl Inner { fn get_it(&self) -> u8 { 1 } }\n\nimpl Store {\n    pub fn new() -> Self { Store { inner: Inner } }\n    pub fn sum(&self) -> u8 { self.inner.get_it() }\n}\n\nimpl Reader for Store {\n    fn read(&self) -> u8 { self.sum() }\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn sums() { Store::new().sum(); }\n}\n",
            ),
            (
                "crates/app/src/main.rs",
                "use core_lib::Store;\n\nfn main() {\n    let store = Store::new();\n    store.sum();\n    core_lib::Store::new();\n}\n",
            ),
        ],
        "
        crates/core-lib/src/store.rs:Store.new member_of crates/core-lib/src/store.rs:Store
        crates/core-lib/src/store.rs:Store implements crates/core-lib/src/lib.rs:Reader
        crates/core-lib/src/store.rs:Store.read overrides crates/core-lib/src/lib.rs:Reader.read
        crates/core-lib/src/store.rs:Store.sum calls crates/core-lib/src/store.rs:Inner.get_it
        crates/core-lib/src/store.rs:Store.read calls crates/core-lib/src/store.rs:Store.sum
        crates/core-lib/src/store.rs:tests.sums calls crates/core-lib/src/store.rs:Store.new
        crates/core-lib/src/store.rs:tests.sums tests crates/core-lib/src/store.rs:Store.sum
        crates/app/src/main.rs:main calls crates/core-lib/src/store.rs:Store.new
        crates/app/src/main.rs:main calls crates/core-lib/src/store.rs:Store.sum
        crates/core-lib/src/lib.rs exports crates/core-lib/src/store.rs:Store
        ",
    );
}

#[test]
fn rust_names_of_modules_functions_and_variables_are_told_apart() {
    check(
        &[
            ("Cargo.toml", "[package]\nname = \"lines\"\n"),
            ("src/lib.rs", "mod parse;\nmod fill;\npub use parse::parse;\n"),
            (
                "src/parse.rs",
                "pub fn parse(text: &str) -> u8 { text.len() as u8 }\npub fn parts(text: &str) -> u8 { 1 }\n",
            ),
            (
                "src/fill.rs",
                "use crate::parse;\nuse crate::parse::parts;\n\npub fn fill(text: &str) -> u8 {\n    let parts = parts(text);\n    parse(text)\n}\n",
            ),
        ],
        "
        src/fill.rs:fill calls src/parse.rs:parse
        src/fill.rs:fill calls src/parse.rs:parts
        src/lib.rs exports src/parse.rs:parse
        ",
    );
}

#[test]
fn java_and_kotlin_share_packages() {
    check(
        &[
            (
                "src/app/io/Base.java",
                "package app.io;\n\npublic abstract class Base {\n  protected void open() {}\n  public abstract void run();\n}\n",
            ),
            (
                "src/app/Store.java",
                "package app;\n\nimport app.io.Base;\nimport java.util.List;\n\npublic class Store extends Base {\n  private final Item item = new Item();\n  public void run() { open(); item.price(); List.of(); helper(); }\n  private void helper() {}\n}\n",
            ),
            ("src/app/Item.java", "package app;\n\nclass Item {\n  int price() { return 1; }\n}\n"),
            (
                "src/app/Main.kt",
                "package app\n\nfun main() {\n    val store = Store()\n    store.run()\n    store.open()\n}\n",
            ),
        ],
        "
        src/app/Store.java:Store extends src/app/io/Base.java:Base
        src/app/Store.java:Store.run overrides src/app/io/Base.java:Base.run
        src/app/Store.java:Store.run calls src/app/io/Base.java:Base.open
        src/app/Store.java:Store.run calls src/app/Item.java:Item.price
        src/app/Store.java:Store.run calls src/app/Store.java:Store.helper
        src/app/Main.kt:main calls src/app/Store.java:Store
        src/app/Main.kt:main calls src/app/Store.java:Store.run
        src/app/Main.kt:main calls src/app/io/Base.java:Base.open
        ! List
        ",
    );
}

#[test]
fn scala_objects_and_traits() {
    check(
        &[
            (
                "a/Shape.scala",
                "package shapes\n\ntrait Shape {\n  def area: Int\n  def twice: Int = area * 2\n}\n",
            ),
            (
                "a/Square.scala",
                "package shapes.plane\n\nimport shapes.Shape\n\nclass Square(side: Int) extends Shape {\n  def area: Int = side\n}\n\nobject Square {\n  def unit(): Square = new Square(1)\n}\n",
            ),
        ],
        "
        a/Square.scala:Square implements a/Shape.scala:Shape
        a/Square.scala:Square.area overrides a/Shape.scala:Shape.area
        a/Square.scala:Square.unit type_hint_of a/Square.scala:Square
        ",
    );
}

#[test]
fn csharp_namespaces_and_statics() {
    check(
        &[
            (
                "src/Store.cs",
                "using System;\nusing App.Model;\n\nnamespace App.Data\n{\n    public class Store : IStore\n    {\n        private readonly Item _item = new Item();\n        public void Save() { _item.Price(); int.TryParse(\"1\", out var x); Helper.Log(); }\n    }\n    public interface IStore { void Save(); }\n    static class Helper { public static void Log() {} }\n}\n",
            ),
            (
                "src/Item.cs",
                "namespace App.Model\n{\n    public class Item { public int Price() { return 1; } }\n    public class Parser { public bool TryParse(string s) { return true; } }\n}\n",
            ),
        ],
        "
        src/Store.cs:Store implements src/Store.cs:IStore
        src/Store.cs:Store.Save overrides src/Store.cs:IStore.Save
        src/Store.cs:Store.Save calls src/Item.cs:Item.Price
        src/Store.cs:Store.Save calls src/Store.cs:Helper.Log
        ",
    );
}

#[test]
fn csharp_builtins_are_never_sure() {
    let found = super::edges(&super::facts(&[
        ("a.cs", "class A { void F() { int.TryParse(\"1\"); } }\n"),
        ("b.cs", "class Parser { public bool TryParse(string s) { return true; } }\n"),
    ]));
    assert!(
        !found
            .iter()
            .any(|edge| edge.contains("TryParse") && edge.contains("calls") && !edge.contains('~')),
        "{found:?}"
    );
}

#[test]
fn php_namespaces_and_traits() {
    check(
        &[
            (
                "src/Handler/Stream.php",
                "<?php\nnamespace App\\Handler;\n\nuse App\\Logger;\n\nclass Stream extends Base\n{\n    public function __construct(private Logger $logger) {}\n    public function write(): void { $this->logger->log(); $this->close(); parent::open(); Logger::make(); }\n}\n",
            ),
            (
                "src/Handler/Base.php",
                "<?php\nnamespace App\\Handler;\n\nabstract class Base\n{\n    public function open() {}\n    public function close() {}\n}\n",
            ),
            (
                "src/Logger.php",
                "<?php\nnamespace App;\n\nclass Logger\n{\n    public function log() {}\n    public static function make() { return new Logger(); }\n}\n",
            ),
        ],
        "
        src/Handler/Stream.php:Stream extends src/Handler/Base.php:Base
        src/Handler/Stream.php:Stream.write calls src/Handler/Base.php:Base.close
        src/Handler/Stream.php:Stream.write calls src/Handler/Base.php:Base.open
        src/Handler/Stream.php:Stream.write calls src/Logger.php:Logger.make
        src/Handler/Stream.php:Stream.write calls src/Logger.php:Logger.log
        ",
    );
}

#[test]
fn c_definitions_and_prototypes() {
    check(
        &[
            ("include/list.h", "struct list { int size; };\nint list_size(struct list *l);\n"),
            (
                "src/list.c",
                "#include \"list.h\"\n\nstatic int helper(void) { return 0; }\n\nint list_size(struct list *l) { return l->size + helper(); }\n",
            ),
            (
                "src/main.c",
                "#include \"list.h\"\n#include <stdio.h>\n\nstatic int helper(void) { return 1; }\n\nint main(void) { struct list l; printf(\"x\"); helper(); return list_size(&l); }\n",
            ),
        ],
        "
        src/main.c:main calls src/list.c:list_size
        src/main.c:main calls src/main.c:helper
        src/list.c:list_size calls src/list.c:helper
        src/main.c imports include/list.h
        ! src/main.c:main calls src/list.c:helper
        ",
    );
}

#[test]
fn cpp_namespaces_and_definitions_outside() {
    check(
        &[
            (
                "shape.h",
                "namespace geo {\nclass Shape {\n public:\n  virtual int area() const;\n  int twice() const;\n};\nclass Square : public Shape {\n public:\n  int area() const override;\n};\nint free_area(const Shape& shape);\n}\n",
            ),
            (
                "shape.cc",
                "#include \"shape.h\"\n\nnamespace geo {\nint Shape::twice() const { return area() * 2; }\nint free_area(const Shape& shape) { return shape.twice(); }\n}\n",
            ),
            (
                "main.cc",
                "#include \"shape.h\"\n\nint main() {\n  geo::Square square;\n  return geo::free_area(square) + square.twice();\n}\n",
            ),
        ],
        "
        shape.h:geo.Square extends shape.h:geo.Shape
        shape.h:geo.Square.area overrides shape.h:geo.Shape.area
        shape.cc:geo.Shape.twice member_of shape.h:geo.Shape
        shape.cc:geo.Shape.twice calls shape.h:geo.Shape.area
        main.cc:main calls shape.cc:geo.free_area
        ",
    );
}

#[test]
fn ruby_constants_and_mixins() {
    check(
        &[
            (
                "lib/press.rb",
                "require_relative 'press/site'\n\nmodule Press\n  module Logging\n    def log(text); end\n  end\nend\n",
            ),
            (
                "lib/press/site.rb",
                "module Press\n  class Site < Base\n    include Logging\n\n    def read\n      log('x')\n      open_it\n      Reader.new.fetch_all\n    end\n  end\n\n  class Base\n    def open_it; end\n  end\n\n  class Reader\n    def fetch_all; end\n  end\nend\n",
            ),
        ],
        "
        lib/press/site.rb:Press.Site extends lib/press/site.rb:Press.Base
        lib/press/site.rb:Press.Site.read calls lib/press.rb:Press.Logging.log
        lib/press/site.rb:Press.Site.read calls lib/press/site.rb:Press.Base.open_it
        lib/press.rb imports lib/press/site.rb
        ",
    );
}

#[test]
fn ruby_methods_of_modules_are_not_global() {
    let found = super::edges(&super::facts(&[
        ("a.rb", "module Routes\n  def fetch_page(path); end\nend\n"),
        ("b.rb", "def go\n  fetch_page('x')\nend\n"),
    ]));
    assert!(
        !found.iter().any(|edge| edge.starts_with("b.rb:go calls") && !edge.contains('~')),
        "{found:?}"
    );
}

#[test]
fn rust_impls_for_types_of_elsewhere() {
    check(
        &[
            ("src/lib.rs", "pub mod router;\nmod resource;\n"),
            (
                "src/router.rs",
                "pub struct Router;\nimpl Router { pub fn new() -> Self { Router } }\n",
            ),
            (
                "src/resource.rs",
                "use crate::router::Router;\n\npub struct Resource { router: Router }\n\nimpl From<Resource> for Router {\n    fn from(r: Resource) -> Self { r.router }\n}\n\nfn make() { Router::new(); }\n",
            ),
        ],
        "
        src/resource.rs:Resource.router type_hint_of src/router.rs:Router
        src/resource.rs:Router.from member_of src/router.rs:Router
        src/resource.rs:make calls src/router.rs:Router.new
        ",
    );
}

#[test]
fn swift_extensions_and_protocols() {
    check(
        &[
            (
                "A.swift",
                "protocol Reader { func read() -> Int }\n\nclass Store {\n    let item = Item()\n    func sum() -> Int { return item.price() }\n}\n\nclass Item { func price() -> Int { 1 } }\n",
            ),
            (
                "B.swift",
                "extension Store: Reader {\n    func read() -> Int { return sum() }\n}\n\nfunc main() {\n    let store = Store()\n    store.read()\n}\n",
            ),
        ],
        "
        A.swift:Store.sum calls A.swift:Item.price
        B.swift:Store.read calls A.swift:Store.sum
        B.swift:Store.read member_of A.swift:Store
        A.swift:Store implements A.swift:Reader
        B.swift:main calls B.swift:Store.read
        ",
    );
}

#[test]
fn java_overloads_are_told_by_their_arguments() {
    let files = [(
        "A.java",
        "class A {\n  void put(int a) {}\n  void put(int a, int b) {}\n  void one() { put(1); }\n  void two() { put(1, 2); }\n  void three() { put(1, 2, 3); }\n  void set(int a) {}\n  void set(long a) {}\n  void four() { set(1); }\n}\n",
    )];
    let facts = super::facts(&files);
    let links = super::linked(&facts);
    let symbols = &facts[0].1.symbols;
    let target = |name: &str| {
        let source =
            symbols.iter().position(|row| facts[0].1.str(row.name) == name).expect("declared");
        let edges =
            &links.edges[links.offsets[source] as usize..links.offsets[source + 1] as usize];
        let calls = edges
            .iter()
            .find(|edge| edge.kind() == contextd_model::EdgeKind::Calls)
            .expect("a call");
        (symbols[calls.target as usize].start_line, calls.is_known())
    };
    assert_eq!(
        [target("one"), target("two"), target("three"), target("four")],
        [(2, true), (3, true), (2, false), (7, false)],
        "a guess where none or several fit"
    );
}

#[test]
fn types_that_stand_outside_of_another_have_members_and_bases_of_their_own() {
    check(
        &[
            (
                "a.h",
                "class Base {\n public:\n  void run();\n};\nclass Outer {\n public:\n  class Inner;\n};\n",
            ),
            (
                "b.cpp",
                "#include \"a.h\"\nclass Outer::Inner : public Base {\n  void go() { this->run(); }\n};\n",
            ),
        ],
        "
        b.cpp:Outer.Inner extends a.h:Base
        b.cpp:Outer.Inner.go calls a.h:Base.run
        ! a.h:Outer extends
        ",
    );
    check(
        &[
            ("lib/base.rb", "class Base\n  def run\n  end\nend\n"),
            (
                "lib/outer.rb",
                "require_relative 'base'\nclass Outer\n  def self.name\n  end\nend\nclass Outer::Inner < Base\n  def go\n    self.run\n  end\nend\n",
            ),
        ],
        "
        lib/outer.rb:Outer.Inner extends lib/base.rb:Base
        lib/outer.rb:Outer.Inner.go calls lib/base.rb:Base.run
        ! lib/outer.rb:Outer extends
        ",
    );
}
