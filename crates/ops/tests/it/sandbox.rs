//! A git repository with fixed names and times, indexed and asked.

use contextd_engine::{Engine, EngineOptions, RefreshOptions, Silent};
use contextd_ops::{Answer, Context, OpError, find};
use contextd_pack::{ContextItem, ContextPack};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

pub struct Sandbox {
    _folder: tempfile::TempDir,
    pub root: PathBuf,
    clock: std::cell::Cell<u64>,
}

impl Sandbox {
    pub fn bare_folder() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("a folder that exists").join("work");
        std::fs::create_dir(&root).expect("a new folder");
        Self { _folder: folder, root, clock: std::cell::Cell::new(1_700_000_000) }
    }

    pub fn new() -> Self {
        let sandbox = Self::bare_folder();
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox
    }

    /// A shop with a test and a document, committed.
    pub fn shop() -> Self {
        let sandbox = Self::new();
        sandbox
            .write("shop/cart.py", "class Cart:\n    def __init__(self):\n        self.lines = []\n\n    def total(self):\n        return sum(self.lines)\n\n    def clear(self):\n        self.lines = []\n")
            .write("shop/pay.py", "from shop.cart import Cart\n\n\ndef charge(cart: Cart):\n    amount = cart.total()\n    return sign(amount)\n\n\ndef sign(amount):\n    return str(amount)\n\n\ndef refund(receipt):\n    return receipt\n")
            .write("tests/test_pay.py", "import pytest\nfrom shop.cart import Cart\nfrom shop.pay import charge, refund\n\n\n@pytest.fixture\ndef cart():\n    return Cart()\n\n\ndef test_charge(cart):\n    assert charge(cart)\n\n\ndef test_refund():\n    assert refund(1)\n")
            .write("docs/pay.md", "# Payments\n\nMoney is taken with `charge` and given back with `refund`.\n")
            .write("CODEOWNERS", "*.py @shop\ndocs/ @writers\n");
        sandbox.commit("Begin the shop");
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, text).expect("a file");
        self
    }

    /// Replaces a part of a file.
    pub fn edit(&self, name: &str, from: &str, to: &str) -> &Self {
        let text = std::fs::read_to_string(self.path(name)).expect("a file");
        assert!(text.contains(from), "{name} has no {from}");
        self.write(name, &text.replace(from, to))
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.root, arguments)
    }

    pub fn git_in(&self, folder: &Path, arguments: &[&str]) -> String {
        let time = format!("{} +0000", self.clock.get());
        let output = Command::new("git")
            .current_dir(folder)
            .args(["-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .envs([
                ("GIT_AUTHOR_NAME", "Ann"),
                ("GIT_AUTHOR_EMAIL", "ann@example.org"),
                ("GIT_COMMITTER_NAME", "Ann"),
                ("GIT_COMMITTER_EMAIL", "ann@example.org"),
            ])
            .envs([
                ("GIT_AUTHOR_DATE", time.as_str()),
                ("GIT_COMMITTER_DATE", time.as_str()),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_CONFIG_SYSTEM", "/dev/null"),
            ])
            .output()
            .expect("the git program");
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits everything, one minute after the commit before.
    pub fn commit(&self, message: &str) -> String {
        self.clock.set(self.clock.get() + 60);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    pub fn ask(&self, operation: &str, input: Value) -> Result<Answer, OpError> {
        ask_at(&self.root, operation, input)
    }

    pub fn pr(&self, input: Value) -> ContextPack {
        match self.ask("context_for_pr", input) {
            Ok(Answer::Pack(pack)) => *pack,
            other => panic!("no pack: {other:?}"),
        }
    }

    pub fn refused(&self, operation: &str, input: Value) -> OpError {
        match self.ask(operation, input) {
            Err(error) => error,
            Ok(answer) => panic!("answered: {answer:?}"),
        }
    }
}

/// Indexes a folder and runs an operation on it.
pub fn ask_at(root: &Path, operation: &str, input: Value) -> Result<Answer, OpError> {
    let engine = Engine::open(root, &EngineOptions::default(), &|_| None).expect("an engine");
    let options = RefreshOptions {
        now: 1_700_000_000_000,
        wait: Duration::from_secs(60),
        ..RefreshOptions::default()
    };
    engine.refresh(&options, &Silent).expect("an index");
    let context =
        Context::new(Arc::new(engine), || 0, |pack, _| serde_json::to_string(pack).ok(), false);
    let found = find(operation).expect("an operation");
    let answer = (found.run)(&context, input)?;
    contextd_testkit::schemas::check(
        contextd_ops::answer_names(found.name),
        &contextd_ops::schema_named,
        &answer.to_json(),
    );
    Ok(answer)
}

/// Changed symbols of a pack: `rule name`, in order.
pub fn changed(pack: &ContextPack) -> Vec<String> {
    let mut found: Vec<String> = pack
        .items()
        .filter_map(|item| {
            Some(format!("{} {}", item.why.rule.strip_prefix("changed:")?, item.name))
        })
        .collect();
    found.sort();
    found
}

pub fn section<'p>(pack: &'p ContextPack, name: &str) -> Vec<&'p ContextItem> {
    pack.sections
        .iter()
        .filter(|section| section.kind == name)
        .flat_map(|section| section.items.iter().map(|item| &**item))
        .collect()
}

pub fn names(items: &[&ContextItem]) -> Vec<String> {
    items.iter().map(|item| item.name.clone()).collect()
}
