//! A crate uses only crates that the table allows it.

use super::Report;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Where the table is, for who has to change it.
const TABLE: &str = "ALLOWED in xtask/src/tidy/crates.rs";

/// Each crate with all crates of the workspace that it may use outside of its tests.
const ALLOWED: &[(&str, &str)] = &[
    ("model", ""),
    ("scan", "model"),
    ("lang", "model"),
    ("history", "model"),
    ("knowledge", "model"),
    ("embed", "model"),
    ("tokens", ""),
    ("link", "model lang"),
    ("snapshot", "model lang"),
    ("store", "model"),
    ("retrieve", "model lang history knowledge embed snapshot"),
    ("pack", "model lang history tokens snapshot retrieve"),
    ("engine", "model scan lang history knowledge link snapshot store retrieve pack"),
    ("ops", "model scan lang history knowledge snapshot store retrieve pack engine"),
    ("render", "pack ops"),
    ("server", "model lang pack engine ops render"),
    ("cli", "model scan lang snapshot store retrieve pack engine ops render server"),
    ("testkit", "model engine"),
];

pub fn check(root: &Path, report: &mut Report) {
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
    report.errors.extend(violations(ALLOWED, &manifests));
}

/// Returns the workspace's crates that a manifest names outside of its tests, on any system.
fn dependencies(manifest: &str) -> Result<BTreeSet<String>, String> {
    let table: toml::Table =
        manifest.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let systems = table
        .get("target")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flat_map(toml::Table::values)
        .filter_map(toml::Value::as_table);
    let sections = std::iter::once(&table).chain(systems).flat_map(|table| {
        ["dependencies", "build-dependencies"]
            .into_iter()
            .filter_map(|section| table.get(section)?.as_table())
    });
    Ok(sections
        .flatten()
        .filter_map(|(name, says)| {
            // A dependency may go by another name than its package.
            let package = says.get("package").and_then(toml::Value::as_str).unwrap_or(name);
            package.strip_prefix("contextd-")
        })
        .map(str::to_owned)
        .collect())
}

fn violations(
    table: &[(&str, &str)],
    manifests: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (name, used) in manifests {
        let Some((_, allowed)) = table.iter().find(|(own, _)| own == name) else {
            found.push(format!("crates/{name}: {TABLE} has no row for it"));
            continue;
        };
        for other in used.iter().filter(|other| !allowed.split(' ').any(|own| own == *other)) {
            let all = if allowed.is_empty() { "no other crate" } else { allowed };
            found.push(format!(
                "crates/{name}/Cargo.toml: {name} → {other} is not allowed; {TABLE} allows {name}: {all}"
            ));
        }
    }
    let gone = table.iter().filter(|(name, _)| !manifests.contains_key(*name));
    found.extend(gone.map(|(name, _)| format!("crates/{name} is gone, but not its row: {TABLE}")));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &[(&str, &str)] = &[("model", ""), ("lang", "model"), ("link", "lang")];

    /// What is wrong when a crate has this manifest, and others use nothing.
    fn wrong(name: &str, manifest: &str) -> Vec<String> {
        let mut manifests: BTreeMap<String, BTreeSet<String>> =
            SMALL.iter().map(|(name, _)| ((*name).to_owned(), BTreeSet::new())).collect();
        manifests.insert(name.to_owned(), dependencies(manifest).unwrap());
        violations(SMALL, &manifests)
    }

    #[test]
    fn only_what_the_table_allows_is_used() {
        for (name, uses) in [("lang", "model"), ("link", "lang")] {
            let manifest = format!("[dependencies]\ncontextd-{uses}.workspace = true\n");
            assert!(wrong(name, &manifest).is_empty(), "{name} uses {uses}");
        }
        for (name, uses) in [
            ("model", "lang"),
            ("lang", "link"),
            ("link", "link"),
            // What lang may use is not link's by that.
            ("link", "model"),
            ("link", "unknown"),
        ] {
            let manifest = format!("[dependencies]\ncontextd-{uses}.workspace = true\n");
            let wrong = wrong(name, &manifest);
            assert_eq!(wrong.len(), 1, "{name} must not use {uses}");
            assert!(wrong[0].contains(&format!("{name} → {uses}")) && wrong[0].contains(TABLE));
        }
    }

    #[test]
    fn dependencies_are_found_wherever_a_manifest_names_them() {
        for manifest in [
            "[build-dependencies]\ncontextd-lang.workspace = true\n",
            "[target.'cfg(unix)'.dependencies]\ncontextd-lang.workspace = true\n",
            "[dependencies]\nother = { package = \"contextd-lang\", path = \"../lang\" }\n",
        ] {
            assert_eq!(wrong("model", manifest).len(), 1, "{manifest}");
        }
        let tests = "[dev-dependencies]\ncontextd-lang.workspace = true\n";
        assert!(wrong("model", tests).is_empty());
    }

    #[test]
    fn table_and_folder_name_the_same_crates() {
        assert_eq!(wrong("unknown", "").len(), 1);
        assert_eq!(violations(SMALL, &BTreeMap::new()).len(), SMALL.len());
    }
}
