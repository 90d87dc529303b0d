//! A folder to build trees in, and the two lists that must be equal.

use contextd_model::Problem;
use contextd_model::config::{self, Config};
use contextd_scan::Scanner;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

pub struct Sandbox {
    _folder: TempDir,
    pub root: PathBuf,
}

impl Sandbox {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("root");
        fs::create_dir(&root).unwrap();
        Self { _folder: folder, root }
    }

    /// A sandbox that is a git repository.
    pub fn git() -> Self {
        let sandbox = Self::new();
        sandbox.run_git(&["init", "-q"]);
        sandbox
    }

    pub fn path(&self, rel: &str) -> PathBuf {
        self.root.join(rel)
    }

    pub fn write(&self, rel: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(rel);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub fn files(&self, rels: &[&str]) -> &Self {
        for rel in rels {
            self.write(rel, format!("{rel}\n"));
        }
        self
    }

    pub fn run_git(&self, arguments: &[&str]) -> Vec<u8> {
        git(&self.root, arguments)
    }

    pub fn scanner(&self) -> Scanner {
        self.configured("").0
    }

    pub fn configured(&self, text: &str) -> (Scanner, Vec<Problem>) {
        scanner(&self.root, text)
    }

    pub fn listed(&self, text: &str) -> Vec<String> {
        self.configured(text).0.list_indexable().0
    }
}

pub fn scanner(root: &Path, text: &str) -> (Scanner, Vec<Problem>) {
    let (config, problems): (Config, _) = config::parse(text, &|_| None);
    assert_eq!(problems, [], "{text}");
    Scanner::with_home(root, &config, None).unwrap()
}

pub fn git(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// What git lists in `folder`: tracked and untracked, not ignored, existing regular files.
pub fn git_files(folder: &Path) -> Vec<String> {
    let out = git(folder, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let names = out.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let mut files: Vec<String> = names
        .filter_map(|name| std::str::from_utf8(name).ok())
        .filter(|name| is_reached_without_links(folder, name))
        .map(str::to_owned)
        .collect();
    files.sort();
    files.dedup();
    files
}

fn is_reached_without_links(folder: &Path, name: &str) -> bool {
    let mut path = folder.to_path_buf();
    let parts: Vec<&str> = name.split('/').collect();
    parts.iter().enumerate().all(|(at, part)| {
        path.push(part);
        let last = at + 1 == parts.len();
        path.symlink_metadata().is_ok_and(
            |found| {
                if last { found.is_file() } else { found.is_dir() }
            },
        )
    })
}

pub fn scanned(scanner: &Scanner) -> Vec<String> {
    scanner.scan().files.into_iter().map(|file| file.rel).collect()
}
