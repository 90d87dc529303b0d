//! What drawn edges, read by hand, showed to be wrong: one small repository for each cause.

use super::ambiguity::check as at;
use super::check;

#[test]
fn php_traits_are_members_before_what_is_inherited_or_promised() {
    check(
        &[
            ("src/Processes.php", "<?php\nnamespace app;\ninterface Processes { public function push($x); public function pop(); }\n"),
            ("src/Pushing.php", "<?php\nnamespace app;\ntrait Pushing { public function push($x) {} public function reset() {} }\n"),
            ("src/Base.php", "<?php\nnamespace app;\nabstract class Base implements Processes { public function reset() {} public function pop() {} }\n"),
            ("src/Filter.php", "<?php\nnamespace app;\nclass Filter extends Base implements Processes { use Pushing; }\n"),
            ("src/Use.php", "<?php\nnamespace app;\nfunction go(Filter $f) { $f->push(1); $f->reset(); $f->pop(); }\n"),
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
        ("app/Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\ncore = { path = \"../libs/core\" }\n"),
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
            ("tls/match.go", "package tls\n\ntype Hello struct{}\ntype Matcher interface {\n\tMatch(*Hello) bool\n}\ntype Caller interface {\n\tCall(func(a int) bool, string) error\n}\n"),
            ("web/query.go", "package web\n\ntype Request struct{}\ntype Asker interface {\n\tMatch(*Request) bool\n}\ntype Query struct{}\n\nfunc (Query) Match(r *Request) bool { return true }\nfunc (Query) Call(f func(a int) bool, s string) error { return nil }\n"),
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
            ("cmd/main.go", "package main\n\nimport \"example.com/web/pool\"\n\nfunc main() { pool.New() }\n"),
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
