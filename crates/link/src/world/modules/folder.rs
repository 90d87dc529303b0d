//! Go's modules: an import path ends in the path of a folder, below a module path that no indexed
//! file need show. Which part is the module path is learned from the imports themselves.

use super::packages::Packages;
use crate::LinkFile;
use crate::key;
use crate::policy::{self, Modules as Style};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Where module paths begin: a prefix of import paths and the folder it stands for.
#[derive(Default)]
pub struct Roots {
    prefixes: Vec<(String, String)>,
    /// How many rows import each path, by its key.
    imports: FxHashMap<u64, u32>,
    /// Folders that modules may begin in.
    folders: Vec<String>,
}

impl Roots {
    /// Every import votes for the pairs of prefix and root that would make it a folder here.
    pub fn build(files: &[LinkFile<'_>], packages: &Packages) -> Self {
        let mut roots: Vec<&str> = files
            .iter()
            .filter(|file| super::basename(file.path) == "go.mod")
            .map(|file| super::folder_of(file.path))
            .collect();
        if !roots.contains(&"") {
            roots.push("");
        }
        let mut imports: FxHashMap<&str, u32> = FxHashMap::default();
        for file in
            files.iter().filter(|file| policy::of(file.view.language).modules == Style::Folder)
        {
            for row in file.view.imports {
                *imports.entry(file.view.str(row.module)).or_default() += 1;
            }
        }
        let mut votes: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        let mut sorted_counts: Vec<(&str, u32)> = imports.into_iter().collect();
        sorted_counts.sort_unstable();
        for (import, _) in &sorted_counts {
            for &root in &roots {
                vote(import, root, packages, &mut votes);
            }
        }
        let folders = roots.iter().map(|root| (*root).to_owned()).collect();
        let mut prefixes = Vec::new();
        for root in roots {
            let best = votes.iter().filter(|((at, _), _)| *at == root).max_by_key(
                |((_, prefix), count)| (prefix.contains('.'), **count, std::cmp::Reverse(*prefix)),
            );
            if let Some(((_, prefix), _)) = best {
                prefixes.push(((*prefix).to_owned(), root.to_owned()));
            }
        }
        // The longest prefix is tried first, so that a nested module is found before its parent.
        prefixes
            .sort_by(|left, right| right.0.len().cmp(&left.0.len()).then_with(|| left.cmp(right)));
        let imports =
            sorted_counts.into_iter().map(|(import, count)| (key::name(import), count)).collect();
        Self { prefixes, imports, folders }
    }

    /// True when modules begin where they did though other rows import a path by now: `more` or fewer of them.
    pub fn is_untouched_by(&self, import: &str, more: i64, packages: &Packages) -> bool {
        let before = i64::from(self.imports.get(&key::name(import)).copied().unwrap_or(0));
        let is_as_common = before > 0 && before + more > 0;
        is_as_common || {
            let mut votes = BTreeMap::new();
            self.folders.iter().for_each(|root| vote(import, root, packages, &mut votes));
            votes.is_empty()
        }
    }

    /// True when modules begin in the same places.
    pub fn are(&self, other: &Roots) -> bool {
        self.prefixes == other.prefixes
    }

    pub fn resolve(&self, import: &str, packages: &Packages) -> Option<u32> {
        let below = |prefix: &str, root: &str| {
            let rest = import.strip_prefix(prefix)?;
            let rest = if rest.is_empty() { "" } else { rest.strip_prefix('/')? };
            let folder = [root, rest]
                .iter()
                .filter(|part| !part.is_empty())
                .copied()
                .collect::<Vec<_>>()
                .join("/");
            packages.in_folder(&folder)
        };
        self.prefixes
            .iter()
            .find_map(|(prefix, root)| below(prefix, root))
            .or_else(|| packages.ending(import))
    }
}

fn vote<'a>(
    import: &'a str,
    root: &'a str,
    packages: &Packages,
    votes: &mut BTreeMap<(&'a str, &'a str), u32>,
) {
    let mut at = import.len();
    loop {
        let (prefix, rest) = (&import[..at], import[at..].trim_start_matches('/'));
        let folder = [root, rest]
            .iter()
            .filter(|part| !part.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join("/");
        // The root itself as a package would let any import vote.
        if !rest.is_empty() && packages.in_folder(&folder).is_some() {
            *votes.entry((root, prefix)).or_default() += 1 + rest.matches('/').count() as u32;
        }
        match prefix.rfind('/') {
            Some(slash) => at = slash,
            None => return,
        }
    }
}
