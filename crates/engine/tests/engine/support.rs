//! Folders with sources of several languages, and what every test asks of them.

use contextd_engine::{Engine, EngineOptions, RefreshOptions, Refreshed, Silent};
use contextd_snapshot::{SnapshotName, current};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A small project in several languages whose files refer to each other.
pub const FIXTURE: &[(&str, &str)] = &[
    (
        "README.md",
        "# Shop\n\nThe shop keeps a `Basket` of items.\n\n## Paying\n\nSee `total` in basket.py.\n",
    ),
    ("shop/__init__.py", "from .basket import Basket\n"),
    (
        "shop/basket.py",
        "import os\nfrom .items import Item, price_of\n\n\nclass Basket:\n    \"\"\"Holds items.\"\"\"\n\n    def __init__(self):\n        self.items = []\n\n    def add(self, item: Item):\n        self.items.append(item)\n\n    def total(self):\n        return sum(price_of(item) for item in self.items)\n",
    ),
    (
        "shop/items.py",
        "class Item:\n    def __init__(self, name):\n        self.name = name\n\n\ndef price_of(item: Item) -> int:\n    return len(item.name)\n",
    ),
    (
        "tests/test_basket.py",
        "from shop import Basket\nfrom shop.items import Item\n\n\ndef test_total():\n    basket = Basket()\n    basket.add(Item('pear'))\n    assert basket.total() == 4\n",
    ),
    (
        "web/cart.ts",
        "import { format } from './money';\n\nexport class Cart {\n  lines: string[] = [];\n  show(): string {\n    return format(this.lines.length);\n  }\n}\n",
    ),
    (
        "web/money.ts",
        "export function format(cents: number): string {\n  return (cents / 100).toFixed(2);\n}\n",
    ),
    (
        "srv/main.go",
        "package main\n\nimport \"example.com/shop/srv/store\"\n\nfunc main() {\n\tstore.Open().Close()\n}\n",
    ),
    (
        "srv/store/store.go",
        "package store\n\ntype Closer interface {\n\tClose() error\n}\n\ntype Store struct{}\n\nfunc Open() *Store { return &Store{} }\n\nfunc (s *Store) Close() error { return nil }\n",
    ),
    ("srv/go.mod", "module example.com/shop/srv\n"),
    (
        "core/src/lib.rs",
        "mod rate;\n\npub use rate::Rate;\n\npub fn apply(rate: &Rate, cents: u64) -> u64 {\n    rate.of(cents)\n}\n",
    ),
    (
        "core/src/rate.rs",
        "pub struct Rate(pub u64);\n\nimpl Rate {\n    pub fn of(&self, cents: u64) -> u64 {\n        cents * self.0 / 100\n    }\n}\n",
    ),
    (
        "jvm/Till.java",
        "package jvm;\n\npublic class Till extends Desk {\n    @Override\n    public int open() { return super.open() + 1; }\n}\n",
    ),
    (
        "jvm/Desk.java",
        "package jvm;\n\npublic class Desk {\n    public int open() { return 0; }\n}\n",
    ),
    ("deploy.yaml", "service:\n  name: shop\n  replicas: 2\n"),
    ("run.sh", "#!/bin/sh\nstart() {\n  echo start\n}\nstart\n"),
];

/// Contents that edits choose from: other bodies, other interfaces, other bases, broken and empty files.
pub const BODIES: &[&str] = &[
    "",
    "class Item:\n    pass\n\n\ndef price_of(item):\n    return 1\n",
    "class Basket(Item):\n    def total(self):\n        return self.sum()\n\n    def sum(self):\n        return price_of(self)\n",
    "from shop.items import *\n\nvalue = Item('x')\nvalue.missing()\n",
    "package store\n\ntype Store struct{ n int }\n\nfunc Open() *Store { return nil }\n\nfunc (s *Store) Close() error { return nil }\n\nfunc (s *Store) Flush() {}\n",
    "export function format(cents: number, sign: string): string {\n  return sign + cents;\n}\nexport const zero = format(0, '');\n",
    "pub struct Rate(pub u64);\n\npub trait Apply { fn of(&self, cents: u64) -> u64; }\n\nimpl Apply for Rate {\n    fn of(&self, cents: u64) -> u64 { cents }\n}\n",
    "package jvm;\n\npublic class Desk implements Openable {\n    public int open() { return 2; }\n    public int close() { return open(); }\n}\n",
    "# Notes\n\nBasket and Cart are alike.\n",
    "def broken(:\n    ((((\n",
    "\u{feff}line one\r\nline two\r\n",
    "binary \0 here",
];

/// Writes the fixture below `root`.
pub fn plant(root: &Path) {
    for (path, text) in FIXTURE {
        write(&root.join(path), text.as_bytes());
    }
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Opens the engine of a folder as a program of its own would.
pub fn open(root: &Path) -> Engine {
    Engine::open(root, &EngineOptions::default(), &|_| None).unwrap()
}

/// Opens the engine of a folder that may hold that many bytes of texts.
pub fn open_with(root: &Path, max_texts: usize) -> Engine {
    let mut engine = open(root);
    engine.max_texts = max_texts;
    engine
}

/// Returns the time in milliseconds.
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

/// Refreshes with a clock `ahead` of the real one: files then count as old enough to be believed.
pub fn refresh(root: &Path, ahead: i64) -> Refreshed {
    let options = RefreshOptions {
        now: now() + ahead,
        wait: Duration::from_secs(60),
        ..RefreshOptions::default()
    };
    open(root).refresh(&options, &Silent).unwrap()
}

/// Refreshes as if no text could be held, so that files are read shard by shard.
pub fn refresh_by_shards(root: &Path, ahead: i64) -> Refreshed {
    let options = RefreshOptions {
        now: now() + ahead,
        wait: Duration::from_secs(60),
        ..RefreshOptions::default()
    };
    open_with(root, 0).refresh(&options, &Silent).unwrap()
}

/// Returns the published name with the bytes of everything it stands for, by path in the index.
pub fn image(root: &Path) -> (SnapshotName, BTreeMap<String, Vec<u8>>) {
    let index = open(root).places.index;
    let name = current(&index).unwrap().unwrap();
    let snapshot = contextd_snapshot::Snapshot::open_named(&index, name).unwrap();
    snapshot.verify().unwrap();
    let manifest = snapshot.manifest();
    let mut paths: Vec<PathBuf> = manifest
        .segments
        .iter()
        .map(|entry| contextd_snapshot::segment_path(&index, entry.key))
        .collect();
    paths.push(contextd_snapshot::graph_path(&index, manifest.graph));
    paths.push(index.join("snapshots").join(name.0.to_hex()));
    let relative = |path: &Path| path.strip_prefix(&index).unwrap().display().to_string();
    (name, paths.iter().map(|path| (relative(path), fs::read(path).unwrap())).collect())
}

/// Copies a work tree without its index; links stay links, permissions stay as they are.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_name() != ".contextd")
    {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().unwrap();
        if kind.is_symlink() {
            symlink(fs::read_link(&source).unwrap(), &target).unwrap();
        } else if kind.is_dir() {
            copy(&source, &target);
        } else {
            fs::copy(&source, &target).unwrap();
        }
    }
}

/// Says how the snapshot of `root` differs from one built in a copy from nothing, `None` when it does not.
pub fn difference_to_fresh(root: &Path) -> Option<String> {
    let place = tempfile::tempdir().unwrap();
    let fresh = place.path().join("copy");
    copy(root, &fresh);
    refresh(&fresh, 0);
    let (name, files) = image(root);
    let (fresh_name, fresh_files) = image(&fresh);
    if files.keys().ne(fresh_files.keys()) {
        return Some(format!("files {:?} instead of {:?}", files.keys(), fresh_files.keys()));
    }
    let differing: Vec<&String> =
        files.keys().filter(|path| files[*path] != fresh_files[*path]).collect();
    (name != fresh_name || !differing.is_empty())
        .then(|| format!("{name:?} instead of {fresh_name:?}; other bytes in {differing:?}"))
}
