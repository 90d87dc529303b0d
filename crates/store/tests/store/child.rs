//! Runs a part of this test binary as a process of its own.
//!
//! The parts are tests marked as ignored: they do their work only when a parent names a folder.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

const FOLDER: &str = "CONTEXTD_STORE_TEST_FOLDER";
const ARGUMENT: &str = "CONTEXTD_STORE_TEST_ARGUMENT";

/// Starts the test `name` in a new process.
pub fn start(name: &str, folder: &std::path::Path, argument: u64) -> Child {
    Command::new(std::env::current_exe().expect("a test runs from a file"))
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(ARGUMENT, argument.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the test binary starts")
}

/// Returns the folder and argument a parent gave, `None` when the test was started by hand.
pub fn task() -> Option<(PathBuf, u64)> {
    let folder = std::env::var_os(FOLDER)?;
    let argument = std::env::var(ARGUMENT).ok()?.parse().ok()?;
    Some((PathBuf::from(folder), argument))
}
