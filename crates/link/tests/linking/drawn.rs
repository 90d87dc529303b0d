//! What drawn edges, read by hand, showed to be wrong: one small repository for each cause.

use super::ambiguity::check as at;
use super::check;

#[test]
fn php_traits_are_members_before_what_is_inherited_or_promised() {
    check(
        &[
            (
                "src/Processes.php",
                "<?php\nnamespace app;\ninterface Processes { public function push($x); public function pop(); }\n",
            ),
            (
                "src/Pushing.php",
                "<?php\nnamespace app;\ntrait Pushing { public function push($x) {} public function reset() {} }\n",
            ),
            (
                "src/Base.php",
                "<?php\nnamespace app;\nabstract class Base implements Processes { public function reset() {} public function pop() {} }\n",
            ),
            (
                "src/Filter.php",
                "<?php\nnamespace app;\nclass Filter extends Base implements Processes { use Pushing; }\n",
            ),
            (
                "src/Use.php",
                "<?php\nnamespace app;\nfunction go(Filter $f) { $f->push(1); $f->reset(); $f->pop(); }\n",
            ),
        ],
        "
        src/Use.php:go calls src/Pushing.php:Pushing.push
        src/Use.php:go calls src/Pushing.php:Pushing.reset
        src/Use.php:go calls src/Base.php:Base.pop
        ! src/Use.php:go calls src/Processes.php
        ",
    );
}

#[test]
fn rust_crates_of_the_toolchain_are_not_the_repositorys() {
    let fixture = [
        ("Cargo.toml", "[package]\nname = \"tool\"\n"),
        ("src/lib.rs", "use std::Path;\nuse core::Cell;\npub fn go(p: Path) {}\n"),
        ("tests/mock/std/Cargo.toml", "[package]\nname = \"std\"\n"),
        ("tests/mock/std/src/lib.rs", "pub struct Path;\n"),
        ("libs/core/Cargo.toml", "[package]\nname = \"core\"\n"),
        ("libs/core/src/lib.rs", "pub struct Cell;\n"),
        (
            "app/Cargo.toml",
            "[package]\nname = \"app\"\n[dependencies]\ncore = { path = \"../libs/core\" }\n",
        ),
        ("app/src/lib.rs", "use core::Cell;\n"),
    ];
    check(
        &fixture,
        "
        app/src/lib.rs imports libs/core/src/lib.rs
        app/src/lib.rs imports libs/core/src/lib.rs:Cell
        ! src/lib.rs imports tests
        ! src/lib.rs:go type_hint_of tests
        ",
    );
    let found = super::edges(&super::facts(&fixture));
    assert!(!found.iter().any(|edge| edge.starts_with("src/lib.rs imports libs")), "{found:#?}");
}

#[test]
fn go_methods_satisfy_by_the_types_they_take() {
    check(
        &[
            ("go.mod", "module example.com/web\n"),
            (
                "tls/match.go",
                "package tls\n\ntype Hello struct{}\ntype Matcher interface {\n\tMatch(*Hello) bool\n}\ntype Caller interface {\n\tCall(func(a int) bool, string) error\n}\n",
            ),
            (
                "web/query.go",
                "package web\n\ntype Request struct{}\ntype Asker interface {\n\tMatch(*Request) bool\n}\ntype Query struct{}\n\nfunc (Query) Match(r *Request) bool { return true }\nfunc (Query) Call(f func(a int) bool, s string) error { return nil }\n",
            ),
        ],
        "
        web/query.go:Query implements web/query.go:Asker
        web/query.go:Query implements tls/match.go:Caller
        ! web/query.go:Query implements tls/match.go:Matcher
        ",
    );
}

#[test]
fn go_imports_never_lead_to_tests() {
    check(
        &[
            ("go.mod", "module example.com/web\n"),
            ("pool/a_test.go", "package pool\n\nfunc helper() {}\n"),
            ("pool/pool.go", "package pool\n\nfunc New() {}\n"),
            (
                "cmd/main.go",
                "package main\n\nimport \"example.com/web/pool\"\n\nfunc main() { pool.New() }\n",
            ),
        ],
        "
        cmd/main.go imports pool/pool.go
        ! cmd/main.go imports pool/a_test.go
        ",
    );
}

#[test]
fn ruby_readers_and_writers_are_two_methods() {
    at(
        &[(
            "lib/a.rb",
            "class A\n  attr_writer :docs\n  attr_reader :name\n  attr_accessor :both\n  def docs\n    @docs\n  end\n  def read\n    docs.sort\n  end\n  def write\n    self.docs = name\n  end\n  def name=(text)\n  end\n  def rename\n    self.name = 1\n    self.both = 2\n  end\n  def field\n    @docs\n  end\nend\n",
        )],
        "lib/a.rb",
        "
        9 calls docs@5
        12 accesses_field docs=@2
        12 accesses_field name@3
        17 calls name=@14
        18 accesses_field both@4
        21 accesses_field docs=@2
        ! 9 accesses_field
        ! 21 calls
        ",
    );
}

#[test]
fn ruby_variables_hold_what_a_method_returned() {
    at(
        &[(
            "lib/b.rb",
            "class B\n  def fixture_site\n    Site.new\n  end\n  def setup\n    @site = fixture_site\n    one = fixture_site\n    one.go\n  end\n  def use\n    @site.posts\n  end\nend\n",
        )],
        "lib/b.rb",
        "
        6 calls fixture_site@2
        ! 8 calls fixture_site
        ! 11 calls
        ",
    );
}

#[test]
fn ruby_requires_load_files_and_no_scripts() {
    check(
        &[
            ("exe/site", "#!/usr/bin/env ruby\nrequire 'site'\n"),
            ("lib/site.rb", "module Site\nend\n"),
            ("rake/profile.rake", "require \"site\"\n"),
        ],
        "
        rake/profile.rake imports lib/site.rb
        exe/site imports lib/site.rb
        ! imports exe/site
        ",
    );
}

#[test]
fn shipped_code_of_a_module_about_tests_tests_nothing() {
    check(
        &[
            ("connect/api/src/main/java/Connector.java", "package c;\npublic class Connector { public void validate() {} }\n"),
            ("connect/test-plugins/src/main/java/MockConnector.java", "package c;\npublic class MockConnector { Connector c = new Connector(); void go() { c.validate(); } }\n"),
            ("connect/api/src/test/java/ConnectorTest.java", "package c;\npublic class ConnectorTest { void go() { new Connector().validate(); } }\n"),
        ],
        "
        connect/api/src/test/java/ConnectorTest.java:ConnectorTest.go tests connect/api/src/main/java/Connector.java:Connector.validate
        connect/test-plugins/src/main/java/MockConnector.java:MockConnector.go calls connect/api/src/main/java/Connector.java:Connector.validate
        ! MockConnector.go tests
        ",
    );
}

#[test]
fn kotlin_overloads_take_what_a_call_gives() {
    let old = "package app\n\nfun Scope.promise(context: Job, start: Int = 0, block: () -> Unit): Int = 1\n\nfun make(first: Int, second: Int) = 1\n";
    let new = "package app\n\nclass Scope\nclass Job\n\nfun Scope.promise(context: Any = 1, start: Int = 0, block: () -> Unit): Int = 2\n\nfun make(first: Int) = 2\nfun all(vararg xs: Int) = 3\nfun all(one: Int) = 4\n";
    let user = "package app\n\nfun go(s: Scope, xs: IntArray) {\n    s.promise { }\n    make(1)\n    all(*xs)\n}\nfun more() {\n    all(1, 2, 3)\n}\nfun one() {\n    all(1)\n}\n";
    at(
        &[("core/js/src/Old.kt", old), ("core/web/src/New.kt", new), ("core/js/test/Use.kt", user)],
        "core/js/test/Use.kt",
        "
        4 calls core/web/src/New.kt:promise@6
        5 calls core/web/src/New.kt:make@8
        6 calls core/web/src/New.kt:all@9
        9 calls core/web/src/New.kt:all@9
        12 calls core/web/src/New.kt:all@10
        ",
    );
}

#[test]
fn kotlin_lowered_overloads_lose() {
    let java = "package app\n\n@Suppress(\"INVISIBLE\")\n@kotlin.internal.LowPriorityInOverloadResolution\nfun <T> runAll(context: Any = 1, block: () -> T): T = runAll(context, block)\n";
    let all = "package app\n\nfun <T> runAll(context: Any = 1, block: () -> T): T = block()\n";
    at(
        &[
            ("core/jvm/src/Builders.kt", java),
            ("core/concurrent/src/Builders.kt", all),
            (
                "core/jvm/test/Use.kt",
                "package use\n\nimport app.*\n\nfun main() = runAll<Unit> {\n}\n",
            ),
        ],
        "core/jvm/test/Use.kt",
        "
        5 calls core/concurrent/src/Builders.kt:runAll@3
        ! core/jvm/src/Builders.kt:runAll
        ",
    );
}

#[test]
fn kotlin_shared_sources_see_no_platform() {
    let files = [
        (
            "utils/common/src/TestBase.kt",
            "package testing\n\nexpect class TestBase\nfun check(x: Int) {}\n",
        ),
        (
            "utils/jvm/src/Executor.kt",
            "package testing\n\nclass Executor\nfun check(x: String) {}\n",
        ),
        ("utils/js/src/Loop.kt", "package testing\n\nclass Loop\n"),
        (
            "core/common/test/A.kt",
            "package app\n\nimport testing.*\n\nfun a(e: Executor) {\n    check(1)\n}\n",
        ),
        (
            "core/jvm/test/B.kt",
            "package app\n\nimport testing.*\n\nfun b(e: Executor) {\n    check(1)\n}\n",
        ),
    ];
    at(
        &files,
        "core/common/test/A.kt",
        "
        3 imports utils/common/src/TestBase.kt
        6 calls utils/common/src/TestBase.kt:check@4
        ! Executor
        ",
    );
    at(
        &files,
        "core/jvm/test/B.kt",
        "
        3 imports utils/jvm/src/Executor.kt
        5 type_hint_of utils/jvm/src/Executor.kt:Executor@3
        6 calls ~utils/jvm/src/Executor.kt:check@4
        ",
    );
}

#[test]
fn typescript_spread_arguments_need_a_rest_parameter() {
    let store = "export default function apply(): number\nexport default function apply(a: string): number\nexport default function apply(a: string, b: string): number\nexport default function apply(...all: string[]): number\nexport default function apply(...all: string[]): number { return 1 }\n";
    at(
        &[
            ("src/apply.ts", store),
            (
                "src/use.ts",
                "import apply from './apply'\nfunction f(xs: string[]) {\n  apply(...xs)\n}\nfunction g() {\n  apply('a')\n}\n",
            ),
        ],
        "src/use.ts",
        "
        3 calls src/apply.ts:apply@4
        6 calls src/apply.ts:apply@2
        ",
    );
}

#[test]
fn csharp_types_are_told_apart_by_their_type_arguments() {
    let response = "namespace App;\n\npublic class Response\n{\n    public void Plain() {}\n}\n\npublic class Response<T> : Response\n{\n    public T Data() { return default; }\n}\n\npublic class Ok<T> : Response<T> {}\n\npublic class Ok : Response {}\n";
    let user = "namespace App;\n\npublic class Use\n{\n    public Response<int> One(Response<int> a)\n    {\n        a.Data();\n        return null;\n    }\n    public Response Two(Response b)\n    {\n        b.Plain();\n        return b;\n    }\n    public void Both(Response b, Response<int> c) {}\n    public void Made() {\n        var ok = new Ok<string>();\n        ok.Data();\n    }\n    public void Bare() {\n        var ok = new Ok();\n        ok.Plain();\n    }\n}\n";
    let files = [("src/Response.cs", response), ("src/Use.cs", user)];
    at(
        &files,
        "src/Use.cs",
        "
        5 type_hint_of src/Response.cs:Response@8
        7 calls src/Response.cs:Data@10
        10 type_hint_of src/Response.cs:Response@3
        12 calls src/Response.cs:Plain@5
        15 type_hint_of src/Response.cs:Response@3
        15 type_hint_of src/Response.cs:Response@8
        17 calls src/Response.cs:Ok@13
        18 calls src/Response.cs:Data@10
        21 calls src/Response.cs:Ok@15
        22 calls src/Response.cs:Plain@5
        ! 10 type_hint_of src/Response.cs:Response@8
        ",
    );
    at(
        &files,
        "src/Response.cs",
        "
        8 extends Response@3
        13 extends Response@8
        15 extends Response@3
        ! 13 extends Response@3
        ",
    );
}

#[test]
fn csharp_overloads_that_give_nothing_cannot_be_kept() {
    let text = "public class Tests\n{\n    private void Given(Config c) {}\n    private Config Given(params Route[] routes) { return null; }\n    public void Kept(Route r) {\n        var c = Given(r);\n    }\n    public void Lost(Route r) {\n        Given(r);\n    }\n}\n";
    at(
        &[("Tests.cs", text)],
        "Tests.cs",
        "
        6 calls Given@4
        9 calls ~Given@3
        ",
    );
}

#[test]
fn javascript_functions_without_a_name_are_scopes() {
    let bundle = "(function (window) {\n  var document = window.document;\n  function setup() {\n    return document.body;\n  }\n  (function () {\n    var document = other();\n    var String = require('./string');\n    function inner() {\n      return document.head;\n    }\n  })();\n  function teardown() {\n    return document.tail;\n  }\n})(window);\nfunction last() {\n  return String(document);\n}\nfunction Timer() {}\nrun(function (Timer) {\n  class Clock {\n    go() { return Timer.now }\n  }\n});\nfunction tick() { return Timer }\nconst hash = load()\nhash({}, function (hash) {\n  keep(hash)\n})\n";
    at(
        &[("lib/bundle.js", bundle)],
        "lib/bundle.js",
        "
        4 references document@2
        10 references document@7
        14 references document@2
        26 references Timer@20
        28 references hash@27
        ! 18 references
        ! 14 references document@7
        ! 23 references Timer
        ",
    );
}

#[test]
fn cpp_announced_classes_are_no_variables_and_specializations_no_templates() {
    at(
        &[
            (
                "a.h",
                "namespace app {\ntemplate <typename T>\nclass APP_MUST_USE Result;\nclass APP_API Plain;\nclass Local;\n\ntemplate <typename T>\nstruct Holder {\n  Result<T>* self;\n};\n\ntemplate <class T, class E = void>\nstruct Maker;\ntemplate <>\nstruct Maker<int> { int x; };\ntemplate <>\nstruct Maker<char> { int x; };\n\nstruct User {\n  Maker<int> one;\n};\n}\n",
            ),
            (
                "b.h",
                "#include \"a.h\"\nnamespace app {\ntemplate <typename T>\nclass Result { T t; };\n}\n",
            ),
        ],
        "a.h",
        "
        9 type_hint_of b.h:Result@4
        20 type_hint_of ~Maker@15
        ! Plain
        ! Result@3
        ",
    );
}

#[test]
fn cpp_tests_named_after_a_class_are_no_members_of_it() {
    let tests = "#include \"status.h\"\n\nclass Fixture { int Make(); };\nstatic Status Make() { return Status(); }\n\nTEST(Status, Ignores) { Make(); }\nTEST_F(Fixture, Makes) { Make(); }\n";
    at(
        &[
            ("status.h", "class Status {\n public:\n  void Make(int x) {}\n};\n"),
            ("status_test.cc", tests),
        ],
        "status_test.cc",
        "
        6 calls Make@4
        7 calls Make@3
        ! status.h:Make
        ",
    );
}
