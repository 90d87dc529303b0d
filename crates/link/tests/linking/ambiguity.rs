//! Names that several definitions share: the right one, or a guess.

use contextd_model::{EdgeKind, SymbolKind};

/// Writes edges as `line kind target@line`, guesses with `~` in front of the target; a target in
/// another file has its path in front: `4 calls b.kt:open@1`.
fn at(files: &[(&str, &str)], path: &str) -> Vec<String> {
    let facts = super::facts(files);
    let links = super::linked(&facts);
    let all: Vec<(&str, &contextd_model::facts::FileFacts, usize)> = facts
        .iter()
        .flat_map(|(path, facts)| {
            (0..facts.symbols.len()).map(move |row| (path.as_str(), facts, row))
        })
        .collect();
    let mut found = Vec::new();
    for (source, (from, ..)) in all.iter().enumerate() {
        let range = links.offsets[source] as usize..links.offsets[source + 1] as usize;
        for edge in links.edges[range].iter().filter(|_| *from == path) {
            if matches!(edge.kind(), EdgeKind::Contains | EdgeKind::MemberOf | EdgeKind::Exports) {
                continue;
            }
            let (to, facts, row) = all[edge.target as usize];
            let row = &facts.symbols[row];
            let place = if row.kind() == SymbolKind::File {
                to.to_owned()
            } else {
                let file = if to == path { String::new() } else { format!("{to}:") };
                format!("{file}{}@{}", facts.str(row.name), row.name_line)
            };
            let guess = if edge.is_known() { "" } else { "~" };
            found.push(format!("{} {} {guess}{place}", edge.line, edge.kind()));
        }
    }
    found
}

#[track_caller]
pub fn check(files: &[(&str, &str)], path: &str, expected: &str) {
    super::check_lines(&at(files, path), expected);
}

#[test]
fn scala_terms_mean_the_object_and_types_the_class() {
    let shape = "package shapes\n\nclass Shape(side: Int) {\n  def area: Int = side\n}\n\nobject Shape extends Helpers {\n  def unit: Shape = new Shape(1)\n}\n\ntrait Helpers {\n  def area(s: Shape): Int = s.area\n}\n\ntrait Monoid\nobject Monoid {\n  def apply(n: Int): Monoid = null\n}\n\ncase class Point(x: Int)\nobject Point\n";
    let user = "package shapes\n\nobject Use {\n  def make: Shape = Shape.unit\n  def other: Int = Shape.area(make)\n  def sum = Monoid(1)\n  def point = Point(1)\n  def fresh = new Shape(2)\n}\n";
    check(
        &[("a/Shape.scala", shape), ("b/Use.scala", user)],
        "b/Use.scala",
        "
        4 type_hint_of a/Shape.scala:Shape@3
        4 references a/Shape.scala:Shape@7
        4 calls a/Shape.scala:unit@8
        5 calls a/Shape.scala:area@12
        6 references a/Shape.scala:Monoid@16
        6 calls a/Shape.scala:apply@17
        7 calls a/Shape.scala:Point@20
        8 calls a/Shape.scala:Shape@3
        ! area@4
        ",
    );
}

#[test]
fn scala_aliases_of_package_objects_are_types() {
    let defined = "package lists\n\nobject Chain {\n  def empty: Chain[Int] = null\n}\n";
    let package = "package object lists extends lists.Aliases\n";
    let aliases = "package lists\n\nabstract class Aliases {\n  type Chain[A] = List[A]\n}\n";
    let files = [("Aliases.scala", aliases), ("Chain.scala", defined), ("package.scala", package)];
    check(
        &files,
        "Chain.scala",
        "
        4 type_hint_of Aliases.scala:Chain@4
        ! type_hint_of Chain@3
        ",
    );
}

#[test]
fn kotlin_platforms_are_chosen_by_their_source_set() {
    let common = "package pool\n\nexpect fun start(): Int\nexpect open class Base()\n";
    let actual = "package pool\n\nactual fun start(): Int = 1\nactual open class Base\n";
    let user = "package pool\n\nclass Test : Base() {\n    fun go() {\n        start()\n    }\n}\n";
    let files = [
        ("core/common/src/Pool.kt", common),
        ("core/js/src/Pool.kt", actual),
        ("core/jvm/src/Pool.kt", actual),
        ("core/jvm/test/A.kt", user),
        ("extra/jvmTest/B.kt", user),
        ("other/test/C.kt", user),
    ];
    for (path, target) in [
        ("core/jvm/test/A.kt", "core/jvm/src/Pool.kt"),
        ("extra/jvmTest/B.kt", "core/jvm/src/Pool.kt"),
        ("other/test/C.kt", "core/common/src/Pool.kt"),
    ] {
        check(&files, path, &format!("3 extends {target}:Base@4\n5 calls {target}:start@3"));
    }
    // Nothing tells two definitions apart that no declaration holds together.
    let files = [files[1], files[2], files[5]];
    check(
        &files,
        "other/test/C.kt",
        "
        5 calls ~core/js/src/Pool.kt:start@3
        ! extends core
        ",
    );
}

#[test]
fn kotlin_refused_functions_are_never_meant() {
    let scope = "package jobs\n\nimport kotlin.DeprecationLevel.ERROR\n\nclass Scope\n\n@Deprecated(\"use the scope\", level = ERROR)\nfun start(block: () -> Unit) {}\n\nfun Scope.start(block: () -> Unit) {}\n\ninterface Job {\n    fun cancel(cause: Int? = null)\n\n    @Deprecated(\"binary\", ReplaceWith(\"x\"), DeprecationLevel.HIDDEN)\n    fun cancel()\n\n    @Deprecated(\"an ERROR of old\")\n    fun stop()\n}\n";
    let user = "package work\n\nimport jobs.*\n\nfun go(job: Job) {\n    start {}\n    job.cancel()\n    job.stop()\n}\n";
    check(
        &[("a/Job.kt", scope), ("b/Use.kt", user)],
        "b/Use.kt",
        "
        6 calls ~a/Job.kt:start@10
        7 calls a/Job.kt:cancel@13
        8 calls a/Job.kt:stop@19
        ! start@8
        ! cancel@16
        ",
    );
}

#[test]
fn kotlin_imports_name_extensions() {
    let defined = "package text\n\nfun String.shout(): String = this\n";
    let user = "package app\n\nimport text.shout\n\nfun go() = \"x\".shout()\n";
    check(
        &[("a/Text.kt", defined), ("b/Use.kt", user)],
        "b/Use.kt",
        "3 imports a/Text.kt:shout@3\n3 imports a/Text.kt",
    );
}

#[test]
fn callbacks_have_variables_of_their_own() {
    let text = "const make = require('./make')\n\ndescribe('a', () => {\n  it('b', () => {\n    const app = make()\n    app.use()\n  })\n  it('c', () => {\n    const app = make()\n    app.close()\n    wrap(app)\n  })\n})\n";
    check(
        &[("a.test.js", text), ("make.js", "module.exports = function make() {}\n")],
        "a.test.js",
        "6 references app@5",
    );
    let second = text.replace("    app.use()\n", "    done()\n");
    check(
        &[("a.test.js", &second)],
        "a.test.js",
        "
        10 references app@9
        ! app@5
        ",
    );
}

#[test]
fn ruby_titles_are_no_names() {
    let helpers = "module Helpers\n  def body(text); end\n  def cookies; end\nend\n";
    let spec = "describe 'body' do\n  def cookies; end\n  def alone; end\n\n  it 'sets' do\n    body 'x'\n    app { cookies }\n    alone\n  end\nend\n";
    check(
        &[("lib/helpers.rb", helpers), ("spec/body_spec.rb", spec)],
        "spec/body_spec.rb",
        "
        7 calls ~cookies@2
        8 calls alone@3
        ! body@1
        ",
    );
}

#[test]
fn overriding_methods_take_the_same() {
    let swift = "protocol Monitor {\n    func request(_ r: Request, didCreate u: URL)\n    func request(_ r: Request, didFail e: Failure)\n}\n\nclass Log: Monitor {\n    func request(_ r: Request, didFail e: Failure) {}\n    func request(_ r: Request, other e: Failure) {}\n}\n";
    check(
        &[("Log.swift", swift)],
        "Log.swift",
        "
        7 overrides request@3
        ! 8 overrides
        ! request@2
        ",
    );
    let csharp = "class Writer {\n  public virtual void Write(int value) {}\n  public virtual void Write(string value) {}\n  public virtual void End() {}\n}\nclass Text : Writer {\n  public override void Write(string value) {}\n  public void End(int code) {}\n}\n";
    check(
        &[("Writer.cs", csharp)],
        "Writer.cs",
        "
        7 overrides Write@3
        ! Write@2
        ! 8 overrides
        ",
    );
    let java = "abstract class Base<T> {\n  abstract void put(T item);\n  abstract void put(T item, int at);\n}\nclass Store extends Base<String> {\n  void put(String item, int at) {}\n  void put(String item) {}\n}\n";
    check(&[("A.java", java)], "A.java", "6 overrides put@3\n7 overrides put@2");
}

#[test]
fn imports_lead_to_the_file_that_defines_the_name() {
    let java = [
        ("io/Adapter.java", "package io;\nclass Adapter {}\n"),
        ("io/Reader.java", "package io;\npublic class Reader {}\n"),
        (
            "app/Main.java",
            "package app;\n\nimport io.Reader;\nimport io.Gone;\n\nclass Main { Reader r; }\n",
        ),
    ];
    check(&java, "app/Main.java", "3 imports io/Reader.java\n! Adapter\n! 4 imports");
    let php = [
        ("src/A.php", "<?php\nnamespace Lib\\Io;\nclass A {}\n"),
        ("src/Reader.php", "<?php\nnamespace Lib\\Io;\nclass Reader {}\n"),
        (
            "src/Main.php",
            "<?php\nnamespace App;\nuse Lib\\Io\\Reader;\nclass Main { public Reader $r; }\n",
        ),
    ];
    check(&php, "src/Main.php", "3 imports src/Reader.php\n! src/A.php");
}

#[test]
fn packages_around_are_not_seen_from_within() {
    let php = [
        ("src/Date.php", "<?php\nnamespace Lib;\nclass Date {}\nfunction tool() {}\n"),
        (
            "src/Sub/Use.php",
            "<?php\nnamespace Lib\\Sub;\nclass Use1 { function go() { new Date(); } }\n",
        ),
        (
            "src/Same.php",
            "<?php\nnamespace Lib;\nclass Same { function go() { new Date(); } function out() { new \\Date(); } }\n",
        ),
    ];
    check(&php, "src/Sub/Use.php", "! Date");
    check(&php, "src/Same.php", "3 calls src/Date.php:Date@3");
    let root = [
        php[0],
        (
            "src/Root.php",
            "<?php\nnamespace Lib;\nuse Time;\nclass Root extends \\Date { function go(\\Date $d, Time $t) { return new \\Lib\\Date(); } }\n",
        ),
        ("src/Time.php", "<?php\nnamespace Lib;\nclass Time {}\n"),
    ];
    check(&root, "src/Root.php", "4 calls src/Date.php:Date@3\n! type_hint_of\n! extends\n! Time");
    let java = [
        ("a/Item.java", "package a;\nclass Item {}\n"),
        ("a/b/Use.java", "package a.b;\nclass Use { Item item; }\n"),
    ];
    check(&java, "a/b/Use.java", "! Item");
    let full = [
        ("a/b/Item.java", "package a.b;\npublic class Item { static void go() {} }\n"),
        ("c/Use.java", "package c;\nclass Use { void x() { a.b.Item.go(); } }\n"),
    ];
    check(&full, "c/Use.java", "2 calls a/b/Item.java:go@2");
    let csharp = [
        ("Item.cs", "namespace A { class Item {} }\n"),
        ("Use.cs", "namespace A.B { class Use { Item item; } }\n"),
    ];
    check(&csharp, "Use.cs", "1 type_hint_of Item.cs:Item@1");
}

#[test]
fn csharp_parts_come_before_bases() {
    let base = "namespace A {\n  public class Token {\n    public void Value(int key) {}\n  }\n}\n";
    let one =
        "namespace A {\n  public partial class Json : Token {\n    public int Size;\n  }\n}\n";
    let two = "namespace A {\n  public partial class Json {\n    public Json(int a) {}\n    public int Value { get; }\n  }\n}\n";
    let user = "namespace A {\n  class Use {\n    void Go() {\n      var json = new Json(1);\n      var x = json.Value;\n    }\n    void Call(Token token) { token.Value(); }\n  }\n}\n";
    check(
        &[("Json.cs", one), ("Json.Linq.cs", two), ("Token.cs", base), ("Use.cs", user)],
        "Use.cs",
        "
        4 calls Json.Linq.cs:Json@3
        5 accesses_field Json.Linq.cs:Value@4
        7 calls ~Token.cs:Value@3
        ! accesses_field Token.cs
        ",
    );
}

#[test]
fn go_parameters_of_closures_hide_receivers() {
    let text = "package web\n\ntype Mux struct{}\n\nfunc (m *Mux) Get() {}\nfunc (m *Mux) Route(f func(r Router)) {}\n\ntype Router interface {\n\tGet()\n}\n\nfunc routes() {\n\tr := &Mux{}\n\tr.Route(func(r Router) {\n\t\tr.Get()\n\t})\n\tr.Close()\n}\n\nfunc (m *Mux) Close() {}\n";
    check(
        &[("web.go", text)],
        "web.go",
        "
        14 calls Route@6
        15 calls Get@9
        17 calls Close@20
        ",
    );
}

#[test]
fn scala_imports_open_objects() {
    let text = "package lists\n\nsealed class Chain {\n  import Chain._\n  def size(c: Chain): Int = c match {\n    case Empty(n) => helper(n)\n  }\n}\n\nobject Chain {\n  case class Empty(n: Int) extends Chain\n  def helper(n: Int): Int = n\n}\n\nclass Other {\n  def go = helper(1)\n}\n";
    check(
        &[("Chain.scala", text)],
        "Chain.scala",
        "
        6 calls helper@12
        6 type_hint_of Empty@11
        ! 16 calls helper
        ",
    );
}

#[test]
fn types_of_two_systems_are_a_guess() {
    let header = "struct buf { int len; };\n";
    let user = "#include \"uv.h\"\n\nint size(struct buf *b) { return b->len; }\n";
    let files = [("include/unix.h", header), ("include/win.h", header), ("test/a.c", user)];
    let both = "#ifdef _WIN32\n#include \"win.h\"\n#else\n#include \"unix.h\"\n#endif\n";
    let files = [files[0], files[1], files[2], ("include/uv.h", both)];
    let own = [files[0], files[1], files[3], ("src/unix/a.c", user)];
    check(&own, "src/unix/a.c", "3 accesses_field include/unix.h:len@1");
    check(&files, "test/a.c", "3 accesses_field ~include/win.h:len@1\n! accesses_field include");
}

#[test]
fn go_closures_end() {
    let text = "package web\n\nfunc NewRouter() *Mux { return nil }\n\ntype Mux struct{}\n\nfunc (m *Mux) Get(f func(r *http.Request)) {}\nfunc (m *Mux) Handle() {}\nfunc (m *Mux) Post(f func(r *http.Request)) {}\n\nfunc routes() {\n\tr := NewRouter()\n\tr.Get(func(w http.Writer, r *http.Request) {\n\t\tr.First()\n\t})\n\tr.Post(func(w http.Writer, r *http.Request) {\n\t\tr.Other()\n\t})\n\tr.Handle()\n}\n";
    check(
        &[("web.go", text)],
        "web.go",
        "
        13 calls Get@7
        16 calls Post@9
        19 calls Handle@8
        ",
    );
}

#[test]
fn traits_with_arguments_may_be_implemented_again() {
    let text = "pub struct Body;\n\nimpl From<u8> for Body {\n    fn from(x: u8) -> Self { Body }\n}\n\nimpl Add<u8> for Body {\n    fn add(self, x: u8) -> Self { Body }\n}\n\nimpl Default for Body {\n    fn default() -> Self { Body }\n}\n\nfn go(body: Body) {\n    Body::from(\"x\");\n    Body::default();\n    body.add(1);\n}\n";
    check(
        &[("src/lib.rs", text)],
        "src/lib.rs",
        "
        16 calls ~from@4
        17 calls default@12
        18 calls add@8
        ",
    );
}

#[test]
fn keys_members_in_macros_and_leading_dots_are_no_bare_names() {
    let go = "package web\n\nfunc New() {}\n\ntype Pool struct{ Size int }\n\nvar one = sync.Pool{New: func() {}}\nvar two = Pool{Size: 1}\nvar key = map[string]int{Key: 1}\n\nconst Key = \"k\"\n";
    check(
        &[("web.go", go)],
        "web.go",
        "
        8 accesses_field Size@5
        9 references Key@11
        ! New@3
        ",
    );
    let c = "struct message { int value; };\nint value;\n#define FAIL(m) m.value = 1\n#define OTHER(m) (m > value)\n";
    check(&[("a.h", c)], "a.h", "4 references value@2\n! 3 references value@2");
    let swift = "enum Section { case headers\n    var plain: Bool { if case .headers = self { return true } } }\nclass View {\n    var headers: Int = 0\n    func go(_ s: Section) {\n        switch s { case .headers: break }\n    }\n    func own() -> Int { headers }\n}\n";
    check(
        &[("View.swift", swift)],
        "View.swift",
        "
        2 references headers@1
        8 accesses_field headers@4
        ! 6 accesses_field headers@4
        ",
    );
}

#[test]
fn members_are_those_that_the_place_can_see() {
    let kotlin = [
        ("core/js/src/Scope.kt", "package a\n\nactual fun Scope.make(): Int = 1\n"),
        ("core/jvm/src/Scope.kt", "package a\n\nactual fun Scope.make(): Int = 1\n"),
        (
            "core/common/src/Scope.kt",
            "package a\n\nexpect fun Scope.make(): Int\n\ninterface Scope {\n    fun Clause.run()\n}\n\nclass Clause\n",
        ),
        (
            "other/src/Use.kt",
            "package b\n\nimport a.*\n\nfun use(scope: Scope, clause: Clause) {\n    scope.make()\n    clause.run()\n}\n",
        ),
    ];
    check(
        &kotlin,
        "other/src/Use.kt",
        "
        6 calls core/common/src/Scope.kt:make@3
        7 calls ~core/common/src/Scope.kt:run@6
        ",
    );
    let swift = [
        (
            "A.swift",
            "class Box {\n    private var value: Int = 1\n    func check(_ f: Int) {}\n}\n",
        ),
        ("B.swift", "extension Box {\n    func check() {}\n}\n"),
        ("C.swift", "func use(box: Box) {\n    box.value\n    box.check()\n}\n"),
    ];
    check(
        &swift,
        "C.swift",
        "
        3 calls ~A.swift:check@3
        ! accesses_field A.swift:value
        ",
    );
    let ruby = "class Base\n  def run\n    encode(1)\n  end\n\n  def self.encode(data); end\n\n  def encode(data)\n  end\n\n  def self.all\n    encode(2)\n  end\nend\n";
    check(&[("base.rb", ruby)], "base.rb", "3 calls encode@8\n12 calls encode@6");
    let required = [
        ("lib/web/logger.rb", "class Logger; end\n"),
        ("lib/tool.rb", "class Tool; end\n"),
        ("spec/a_spec.rb", "require 'logger'\nrequire 'tool'\nrequire 'web/logger'\n"),
    ];
    check(
        &required,
        "spec/a_spec.rb",
        "2 imports lib/tool.rb\n3 imports lib/web/logger.rb\n! 1 imports",
    );
    let c = [("a.c", "char buf[10];\n"), ("b.h", "#define FILL(n) copy(buf, n)\n")];
    check(&c, "b.h", "1 references ~a.c:buf@1");
    let scala = [
        (
            "package.scala",
            "package object lists {\n  type Monoid[A] = kernel.Monoid[A]\n  val Monoid = kernel.Monoid\n}\n",
        ),
        ("Use.scala", "package lists\n\nobject Use {\n  def one: Monoid[Int] = Monoid[Int]\n}\n"),
    ];
    check(
        &scala,
        "Use.scala",
        "
        4 type_hint_of package.scala:Monoid@2
        4 accesses_field package.scala:Monoid@3
        ! calls package.scala:Monoid@2
        ",
    );
}

#[test]
fn packages_show_what_their_language_lets_them() {
    let scala = [
        ("build.sbt", "lazy val lists = project\n"),
        ("core/Instances.scala", "package lists\n\ntrait ShowInstances\n"),
        ("core/instances/Show.scala", "package lists.instances\n\ntrait ShowInstances\n"),
        (
            "core/package.scala",
            "package lists\n\npackage object instances {\n  object show extends ShowInstances\n  def go = lists.instances.show\n}\n",
        ),
    ];
    check(
        &scala,
        "core/package.scala",
        "
        4 implements core/instances/Show.scala:ShowInstances@3
        ! build.sbt
        ",
    );
    let kotlin = [
        (
            "core/src/Debug.kt",
            "package jobs\n\ninternal fun assert(value: Boolean) {}\nfun start() {}\n",
        ),
        ("core/test/A.kt", "package jobs\n\nfun a() {\n    assert(true)\n}\n"),
        (
            "extra/test/B.kt",
            "package more\n\nimport jobs.*\n\nfun b() {\n    assert(true)\n    start()\n}\n",
        ),
    ];
    check(&kotlin, "core/test/A.kt", "4 calls core/src/Debug.kt:assert@3");
    check(&kotlin, "extra/test/B.kt", "7 calls core/src/Debug.kt:start@4\n! assert@3");
    let ruby = "class Base\n  def self.option(x); end\n  def option; end\nend\n\nclass Own < Base\n  option :a\n  def go\n    option\n  end\nend\n";
    check(&[("a.rb", ruby)], "a.rb", "7 calls option@2\n9 calls option@3");
}

#[test]
fn what_a_call_is_given_is_not_what_it_makes() {
    let text = "class Schema {\n  array() { return this }\n}\nfunction object(shape: any): Schema { return new Schema() }\nconst A = object({\n  get array() {\n    return A.array()\n  },\n})\n";
    check(&[("a.ts", text)], "a.ts", "7 calls array@2");
}
