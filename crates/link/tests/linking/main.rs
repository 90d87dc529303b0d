//! Small repositories through real extraction: files in, edges out, one to a line.

mod ambiguity;
mod chains;
mod changes;
mod drawn;
mod languages;
mod properties;
mod reaching;

use contextd_link::{LinkFile, LinkOptions, Links, link};
use contextd_model::facts::FileFacts;
use contextd_model::{EdgeKind, SymbolKind};

/// Facts of fixture files, sorted by path.
pub fn facts(files: &[(&str, &str)]) -> Vec<(String, FileFacts)> {
    let mut facts: Vec<_> = files
        .iter()
        .map(|(path, text)| {
            (
                (*path).to_owned(),
                contextd_lang::extract(
                    text,
                    contextd_lang::detect(path, text),
                    &Default::default(),
                ),
            )
        })
        .collect();
    facts.sort_by(|left, right| left.0.cmp(&right.0));
    facts
}

pub fn linked(facts: &[(String, FileFacts)]) -> Links {
    let files: Vec<LinkFile<'_>> =
        facts.iter().map(|(path, facts)| LinkFile { path, view: facts.view() }).collect();
    link(&files, &LinkOptions::default())
}

/// Writes the edges that are not nesting: `a.py:f calls b.py:g`, with the confidence when guessed.
pub fn edges(facts: &[(String, FileFacts)]) -> Vec<String> {
    let links = linked(facts);
    let names: Vec<String> = facts
        .iter()
        .flat_map(|(path, facts)| {
            facts.symbols.iter().map(move |row| {
                if row.kind() == SymbolKind::File {
                    path.clone()
                } else {
                    format!("{path}:{}", facts.str(row.qualified))
                }
            })
        })
        .collect();
    let mut lines = Vec::new();
    for source in 0..names.len() {
        for edge in &links.edges[links.offsets[source] as usize..links.offsets[source + 1] as usize]
        {
            if matches!(edge.kind(), EdgeKind::Contains) {
                continue;
            }
            let guess =
                if edge.is_known() { String::new() } else { format!(" ~{}", edge.confidence) };
            lines.push(format!(
                "{} {} {}{guess}",
                names[source],
                edge.kind(),
                names[edge.target as usize]
            ));
        }
    }
    lines
}

/// Checks that each expected edge is there, and that no edge of the forbidden form is (`! ` in front).
#[track_caller]
fn check(files: &[(&str, &str)], expected: &str) {
    check_lines(&edges(&facts(files)), expected);
}

#[track_caller]
fn check_lines(found: &[String], expected: &str) {
    for line in expected.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.strip_prefix("! ") {
            Some(unwanted) => assert!(
                !found.iter().any(|edge| edge.contains(unwanted)),
                "unwanted `{unwanted}` in\n{}",
                found.join("\n")
            ),
            None => assert!(
                found.iter().any(|edge| edge == line),
                "no `{line}` in\n{}",
                found.join("\n")
            ),
        }
    }
}

#[test]
fn python_packages_imports_and_inheritance() {
    check(
        &[
            ("src/app/__init__.py", "from .core import App as App\nfrom . import tools\n"),
            (
                "src/app/core.py",
                "from .base import Base\n\nclass App(Base):\n    def __init__(self, store: 'Store'):\n        self.store = store\n        self.log = Logger()\n\n    def run(self):\n        super().run()\n        self.store.save()\n        self.log.write('x')\n        return self.helper()\n\n    def helper(self) -> 'Store':\n        raise Failure()\n\nclass Store:\n    def save(self): pass\n\nclass Logger:\n    def write(self, text): pass\n\nclass Failure(Exception): pass\n",
            ),
            ("src/app/base.py", "class Base:\n    def run(self): pass\n    def stop(self): pass\n"),
            (
                "src/app/tools.py",
                "import app.core\nfrom app import App\n\ndef make() -> App:\n    return App(None)\n\ndef use():\n    it = make()\n    it.stop()\n    app.core.Store().save()\n    it.helper().save()\n",
            ),
            (
                "tests/test_app.py",
                "from app import App, tools\n\ndef test_run():\n    App(None).run()\n    tools.use()\n    len([])\n",
            ),
        ],
        "
        src/app/core.py:App extends src/app/base.py:Base
        src/app/core.py:App.run overrides src/app/base.py:Base.run
        src/app/core.py:App.run calls src/app/base.py:Base.run
        src/app/core.py:App.run calls src/app/core.py:Store.save
        src/app/core.py:App.run calls src/app/core.py:Logger.write
        src/app/core.py:App.run calls src/app/core.py:App.helper
        src/app/core.py:App.helper throws src/app/core.py:Failure
        src/app/core.py:App.__init__ type_hint_of src/app/core.py:Store
        src/app/tools.py:make calls src/app/core.py:App.__init__
        src/app/tools.py:use calls src/app/tools.py:make
        src/app/tools.py:use calls src/app/base.py:Base.stop
        src/app/tools.py:use calls src/app/core.py:Store.save
        src/app/__init__.py exports src/app/core.py:App
        src/app/__init__.py exports src/app/tools.py
        tests/test_app.py:test_run tests src/app/core.py:App.run
        tests/test_app.py:test_run tests src/app/tools.py:use
        ! len
        ",
    );
}

#[test]
fn python_unknown_receivers_are_guessed_and_builtins_are_not() {
    check(
        &[
            (
                "a.py",
                "class Pool:\n    def acquire_slot(self): pass\n    def get(self): pass\n\nclass Print:\n    pass\n",
            ),
            (
                "b.py",
                "import json\n\ndef f(x):\n    x.acquire_slot()\n    x.get()\n    json.acquire_slot()\n    print(x)\n    Pool()\n",
            ),
        ],
        "
        b.py:f calls a.py:Pool.acquire_slot ~60
        b.py:f calls a.py:Pool.get ~30
        ! b.py:f calls a.py:Print
        ! b.py:f calls a.py:Pool.__init__
        ! b.py:f references a.py:Pool
        ",
    );
}

#[test]
fn decorators_and_nested_functions() {
    check(
        &[(
            "m.py",
            "def deco(kind):\n    return lambda f: f\n\nclass Kind: pass\n\ndef outer():\n    @deco(Kind)\n    def inner(): pass\n    inner()\n",
        )],
        "
        m.py:outer.inner decorates m.py:deco
        m.py:outer.inner references m.py:Kind
        m.py:outer calls m.py:outer.inner
        ! m.py:outer references m.py:Kind
        ",
    );
}

#[test]
fn typescript_modules_types_and_reexports() {
    check(
        &[
            (
                "src/index.ts",
                "export * from './shapes.js'\nexport { default as area } from './area'\nexport * as tools from './tools'\n",
            ),
            (
                "src/shapes.ts",
                "export interface Shape { size(): number }\nexport class Square implements Shape {\n  constructor(private side: Side) {}\n  size(): number { return this.side.length() }\n}\nexport class Side { length(): number { return 1 } }\nexport type Pair = { left: Square; right: Side }\n",
            ),
            (
                "src/area.ts",
                "import type { Shape } from './shapes'\nexport default function area(shape: Shape) { return shape.size() }\n",
            ),
            (
                "src/tools/index.ts",
                "import { Square } from '..'\nimport * as all from '../index'\nexport const twice = (square: Square) => square.size() + all.area(square)\nexport function pick({ left, right }: Pair) { return left.size() + right.length() }\nimport { Pair } from '../shapes'\n",
            ),
            (
                "src/use.ts",
                "import { tools, area, Square } from './index'\nfunction go(square: Square | undefined) {\n  tools.twice(new Square(null))\n  area(square)\n  const size = square.size()\n  const text = 'a'.size()\n}\n",
            ),
        ],
        "
        src/shapes.ts:Square implements src/shapes.ts:Shape
        src/shapes.ts:Square.size overrides src/shapes.ts:Shape.size
        src/shapes.ts:Square.size calls src/shapes.ts:Side.length
        src/area.ts:area calls src/shapes.ts:Shape.size
        src/area.ts:area type_hint_of src/shapes.ts:Shape
        src/tools/index.ts:twice calls src/shapes.ts:Square.size
        src/tools/index.ts:twice calls src/area.ts:area
        src/tools/index.ts:pick calls src/shapes.ts:Square.size
        src/tools/index.ts:pick calls src/shapes.ts:Side.length
        src/use.ts:go calls src/tools/index.ts:twice
        src/use.ts:go calls src/area.ts:area
        src/use.ts:go calls src/shapes.ts:Square.constructor
        src/use.ts:go calls src/shapes.ts:Square.size
        src/index.ts exports src/area.ts:area
        src/use.ts imports src/index.ts
        ",
    );
}

#[test]
fn javascript_commonjs_and_workspaces() {
    check(
        &[
            ("packages/core/package.json", "{ \"name\": \"core\" }\n"),
            (
                "packages/core/src/index.js",
                "const helper = require('./helper')\nclass Core { start() { helper(); helper.other() } }\nmodule.exports = { Core }\n",
            ),
            (
                "packages/core/src/helper.js",
                "function helper() {}\nhelper.other = function () {}\nmodule.exports = helper\n",
            ),
            (
                "packages/app/main.js",
                "const { Core } = require('core')\nimport fs from 'fs'\nconst run = () => { const core = new Core(); core.start(); fs.start() }\n",
            ),
        ],
        "
        packages/core/src/index.js:Core.start calls packages/core/src/helper.js:helper
        packages/app/main.js:run calls packages/core/src/index.js:Core
        packages/app/main.js:run calls packages/core/src/index.js:Core.start
        ",
    );
}

#[test]
fn go_packages_receivers_embedding_and_interfaces() {
    check(
        &[
            ("go.mod", "module example.com/shop\n"),
            (
                "store/store.go",
                "package store\n\ntype Base struct{}\n\nfunc (b *Base) Close() error { return nil }\n\ntype Store struct {\n\t*Base\n\titems []*Item\n}\n\ntype Item struct{ Name string }\n\nfunc (i *Item) Price(tax int) int { return tax }\n\nfunc New() (*Store, error) { return &Store{}, nil }\n",
            ),
            (
                "store/more.go",
                "package store\n\ntype Priced interface {\n\tPrice(tax int) int\n}\n\nfunc (s *Store) Sum() int {\n\ts.Close()\n\tfor range s.items {\n\t}\n\treturn s.items[0].Price(1)\n}\n",
            ),
            (
                "cmd/main.go",
                "package main\n\nimport (\n\t\"fmt\"\n\t\"example.com/shop/store\"\n)\n\nfunc main() {\n\ts, err := store.New()\n\tfmt.Println(s.Sum(), err)\n\tSum()\n}\n",
            ),
        ],
        "
        store/store.go:Base.Close member_of store/store.go:Base
        store/store.go:Store extends store/store.go:Base
        store/store.go:Item implements store/more.go:Priced
        store/store.go:Item.Price overrides store/more.go:Priced.Price
        store/more.go:Store.Sum calls store/store.go:Base.Close
        store/more.go:Store.Sum calls store/store.go:Item.Price
        store/store.go:New calls store/store.go:Store
        cmd/main.go:main calls store/store.go:New
        cmd/main.go:main calls store/more.go:Store.Sum
        cmd/main.go imports store/more.go
        ",
    );
}
