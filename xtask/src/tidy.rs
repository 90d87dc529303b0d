//! Rules of the workspace that no compiler checks.

mod crates;
mod languages;
mod texts;

use std::path::Path;
use std::process::Command;

/// What is wrong, and what could be better.
#[derive(Debug, Default)]
pub struct Report {
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
}

/// Checks the workspace at `root`.
pub fn check(root: &Path) -> Report {
    let mut report = Report::default();
    crates::check(root, &mut report);
    match tracked(root) {
        Ok(files) => {
            languages::check(&files, &mut report);
            texts::check(root, &files, &mut report);
        }
        Err(why) => report.errors.push(format!("git cannot list the files: {why}")),
    }
    report
}

/// Returns the paths that git tracks and that exist.
fn tracked(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let paths = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(paths
        .split('\0')
        .filter(|path| !path.is_empty() && root.join(path).is_file())
        .map(str::to_owned)
        .collect())
}
