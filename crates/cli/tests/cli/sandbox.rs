//! Runs the program in a fixture, away from the user's own settings.

use contextd_testkit::Fixture;
use serde_json::Value;
use std::process::{Command, Output};

pub struct Sandbox {
    pub fixture: Fixture,
    home: tempfile::TempDir,
}

impl Sandbox {
    pub fn shop() -> Self {
        Self { fixture: Fixture::shop(), home: tempfile::tempdir().unwrap() }
    }

    /// Returns the home folder that the program sees.
    pub fn home(&self) -> &std::path::Path {
        self.home.path()
    }

    /// Returns the program, told to work in the fixture.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("contextd"));
        command.args(args).arg("--repo").arg(self.fixture.root()).env("HOME", self.home.path());
        for name in [
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
            "XDG_STATE_HOME",
            "CODEX_HOME",
            "CLAUDE_CONFIG_DIR",
            "COPILOT_HOME",
            "CLINE_DIR",
            "CONTEXTD_API_KEY",
        ] {
            command.env_remove(name);
        }
        // Programs of this machine are none of a test's business.
        command.env("PATH", "");
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Returns what is printed, when the program succeeds.
    pub fn text(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn json(&self, args: &[&str]) -> Value {
        let value = serde_json::from_str(&self.text(args)).unwrap();
        crate::schemas::check(args, &value);
        value
    }
}
