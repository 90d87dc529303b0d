//! A crate uses only crates to its left, in the order that ARCHITECTURE.md draws.

use super::Report;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Crates that are not product code and may use all of it.
const BESIDE: &[&str] = &["testkit"];

pub fn check(root: &Path, report: &mut Report) {
    let Ok(architecture) = fs::read_to_string(root.join("ARCHITECTURE.md")) else {
        report.errors.push("ARCHITECTURE.md cannot be read".to_owned());
        return;
    };
    let ranks = ranks(&architecture);
    let Ok(folders) = fs::read_dir(root.join("crates")) else {
        report.errors.push("crates/ cannot be read".to_owned());
        return;
    };
    let mut manifests: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in folders.flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        if let Ok(text) = fs::read_to_string(folder.path().join("Cargo.toml")) {
            match dependencies(&text) {
                Ok(used) => drop(manifests.insert(name, used)),
                Err(why) => report.errors.push(format!("crates/{name}/Cargo.toml: {why}")),
            }
        }
    }
    report.errors.extend(violations(&ranks, &manifests));
}

/// Reads the drawing: the chain from left to right, and the crates that stand beside its start.
fn ranks(architecture: &str) -> BTreeMap<String, usize> {
    let mut ranks = BTreeMap::new();
    let block = architecture
        .split("## Crates")
        .nth(1)
        .and_then(|text| text.split("```").nth(1))
        .unwrap_or("");
    for line in block.lines() {
        let parts: Vec<&str> = line.split('→').collect();
        for (at, part) in parts.iter().enumerate() {
            // Of two at the end, the left one may start the right one.
            let names: Vec<&str> = part.split('|').map(str::trim).collect();
            for (before, name) in names.iter().rev().enumerate() {
                if !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase()) {
                    ranks.entry((*name).to_owned()).or_insert(at + before);
                }
            }
        }
        let words = line
            .split(|c: char| !c.is_ascii_lowercase())
            .filter(|word| !word.is_empty() && *word != "beside");
        for word in words {
            ranks.entry(word.to_owned()).or_insert(1);
        }
    }
    ranks
}

/// Returns the workspace's crates that a manifest names outside of its tests.
fn dependencies(manifest: &str) -> Result<BTreeSet<String>, String> {
    let table: toml::Table =
        manifest.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let sections = ["dependencies", "build-dependencies"]
        .into_iter()
        .filter_map(|section| table.get(section)?.as_table());
    Ok(sections
        .flat_map(|section| section.keys())
        .filter_map(|name| name.strip_prefix("contextd-"))
        .map(str::to_owned)
        .collect())
}

fn violations(
    ranks: &BTreeMap<String, usize>,
    manifests: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (name, used) in manifests.iter().filter(|(name, _)| !BESIDE.contains(&name.as_str())) {
        let Some(rank) = ranks.get(name) else {
            found.push(format!("crates/{name}: ARCHITECTURE.md does not draw it"));
            continue;
        };
        for other in used {
            match ranks.get(other) {
                Some(left) if left < rank => {}
                _ => found.push(format!("crates/{name}/Cargo.toml: {name} must not use {other}, which is not to its left in ARCHITECTURE.md")),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWING: &str = "## Crates\n```\nmodel → scan ──┐\nmodel → lang → link → cli | server\n   history (beside lang) ──↗  store ──↗\n```\n";

    fn check(name: &str, uses: &str) -> usize {
        let manifest = format!(
            "[dependencies]\ncontextd-{uses}.workspace = true\n[dev-dependencies]\ncontextd-cli.workspace = true\n"
        );
        violations(
            &ranks(DRAWING),
            &BTreeMap::from([(name.to_owned(), dependencies(&manifest).unwrap())]),
        )
        .len()
    }

    #[test]
    fn only_crates_to_the_left_are_used() {
        for (name, uses) in [
            ("lang", "model"),
            ("link", "lang"),
            ("link", "history"),
            ("cli", "server"),
            ("server", "link"),
        ] {
            assert_eq!(check(name, uses), 0, "{name} uses {uses}");
        }
        for (name, uses) in [
            ("model", "lang"),
            ("lang", "link"),
            ("lang", "history"),
            ("server", "cli"),
            ("link", "link"),
            ("unknown", "model"),
            ("link", "unknown"),
        ] {
            assert_eq!(check(name, uses), 1, "{name} must not use {uses}");
        }
    }
}
