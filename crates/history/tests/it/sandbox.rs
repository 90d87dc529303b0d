//! A folder with a git repository, driven by the `git` program with fixed names and times.

use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Sandbox {
    _folder: tempfile::TempDir,
    pub root: PathBuf,
    clock: std::cell::Cell<u64>,
}

impl Sandbox {
    /// A folder without a repository.
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

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, text).expect("a file");
        self
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
            .envs([("GIT_AUTHOR_NAME", "Ann"), ("GIT_AUTHOR_EMAIL", "ann@example.org")])
            .envs([("GIT_COMMITTER_NAME", "Ann"), ("GIT_COMMITTER_EMAIL", "ann@example.org")])
            .envs([("GIT_AUTHOR_DATE", time.as_str()), ("GIT_COMMITTER_DATE", time.as_str())])
            .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null")])
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
        self.tick();
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    pub fn tick(&self) {
        self.clock.set(self.clock.get() + 60);
    }

    /// Removes a loose object.
    pub fn lose(&self, revision: &str) {
        let id = self.git(&["rev-parse", revision]);
        let id = id.trim();
        let path = self.path(&format!(".git/objects/{}/{}", &id[..2], &id[2..]));
        std::fs::remove_file(path).expect("a loose object");
    }

    /// Overwrites a loose object with rubbish.
    pub fn corrupt(&self, revision: &str) {
        let id = self.git(&["rev-parse", revision]);
        let id = id.trim();
        self.lose(revision);
        self.write(&format!(".git/objects/{}/{}", &id[..2], &id[2..]), "rubbish");
    }
}
