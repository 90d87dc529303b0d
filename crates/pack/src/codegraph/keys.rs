//! Keys of entities: `src/models/user.rs-models-User`, and the other spellings that are in use.

use crate::resolve;
use contextd_snapshot::Snapshot;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Folders that hold sources and are no module themselves.
const ROOTS: &[&str] =
    &["src", "lib", "main", "app", "source", "java", "kotlin", "scala", "python"];

/// Keys of a snapshot's symbols, made file by file when asked for.
pub struct Keys<'s> {
    snapshot: &'s Snapshot,
    files: RefCell<BTreeMap<u32, Vec<String>>>,
}

impl<'s> Keys<'s> {
    pub fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, files: RefCell::default() }
    }

    /// Returns the key of a symbol; same-named siblings are told apart by ordinals.
    pub fn key(&self, symbol: u32) -> String {
        let file = self.snapshot.file_of(symbol);
        let mut files = self.files.borrow_mut();
        let keys = files.entry(file).or_insert_with(|| keys_of_file(self.snapshot, file));
        keys.get(symbol.saturating_sub(self.snapshot.symbols_of_file(file).start) as usize)
            .cloned()
            .unwrap_or_default()
    }

    /// Finds the symbol that a key, another spelling of it, a symbolId or a name means.
    pub fn find(&self, text: &str) -> Option<u32> {
        let text = text.trim();
        self.by_key(text)
            .or_else(|| self.by_colons(text))
            .or_else(|| self.by_flat_path(text))
            .or_else(|| resolve::symbols(self.snapshot, text).ok()?.first().copied())
    }

    /// The path ends at one of the dashes; the longest that is a file is meant.
    fn by_key(&self, text: &str) -> Option<u32> {
        let mut dashes: Vec<usize> = text.match_indices('-').map(|(at, _)| at).collect();
        dashes.reverse();
        let file = dashes
            .into_iter()
            .find_map(|at| self.snapshot.find_file(text[..at].trim_start_matches("./")))?;
        let plain = text.trim_start_matches("./");
        self.snapshot.symbols_of_file(file).find(|&symbol| self.key(symbol) == plain)
    }

    /// `rust:fn:main:src_main_rs:1-50` and `rust:fn:main:__src_main_rs:T1706284800`.
    fn by_colons(&self, text: &str) -> Option<u32> {
        let parts: Vec<&str> = text.split(':').collect();
        let [_, _, name, path, place] = parts.as_slice() else { return None };
        let line: Option<u32> = place.split('-').next().and_then(|first| first.parse().ok());
        self.named_in(name, path, line)
    }

    /// `src_main_rs-main-fn-1a2b3c4d`.
    fn by_flat_path(&self, text: &str) -> Option<u32> {
        let mut parts = text.rsplitn(4, '-');
        let (hash, _kind, name, path) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_hash = hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash { self.named_in(name, path, None) } else { None }
    }

    /// Finds a symbol by name in a file whose path was flattened; of several, the one nearest to the line.
    fn named_in(&self, name: &str, path: &str, line: Option<u32>) -> Option<u32> {
        let wanted = path.trim_matches('_');
        let snapshot = self.snapshot;
        let mut found = snapshot.symbols_named(name);
        found.retain(|&symbol| flat(snapshot.symbol(symbol).path()).trim_matches('_') == wanted);
        found.into_iter().min_by_key(|&symbol| {
            (line.map_or(0, |line| snapshot.symbol(symbol).start_line().abs_diff(line)), symbol)
        })
    }
}

fn flat(path: &str) -> String {
    path.replace(['/', '\\', '.'], "_")
}

fn keys_of_file(snapshot: &Snapshot, file: u32) -> Vec<String> {
    let path = snapshot.file(file).path();
    let module = module_path(path).pop().unwrap_or_default();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    snapshot
        .symbols_of_file(file)
        .map(|symbol| {
            let symbol = snapshot.symbol(symbol);
            let key = if symbol.parent().is_none() {
                format!("{path}-{module}")
            } else {
                format!("{path}-{module}-{}", symbol.qualified())
            };
            let count = seen.entry(key.clone()).or_insert(0);
            *count += 1;
            if *count > 1 { format!("{key}~{count}") } else { key }
        })
        .collect()
}

/// Returns the modules of a path: the folders below the folder of sources, else the file's own name.
pub fn module_path(path: &str) -> Vec<String> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folders: Vec<&str> = folders.split('/').filter(|folder| !folder.is_empty()).collect();
    let below = folders.iter().rposition(|folder| ROOTS.contains(folder)).map_or(0, |at| at + 1);
    let modules: Vec<String> = folders[below..].iter().map(|folder| (*folder).to_owned()).collect();
    let stem = name.split('.').next().unwrap_or(name);
    if modules.is_empty() { vec![stem.to_owned()] } else { modules }
}

#[cfg(test)]
mod tests {
    use super::{flat, module_path};

    #[test]
    fn modules_follow_the_folders() {
        for (path, modules) in [
            ("src/models/user.rs", vec!["models"]),
            ("src/database.rs", vec!["database"]),
            ("crates/a/src/b/c/d.rs", vec!["b", "c"]),
            ("setup.py", vec!["setup"]),
            ("shop/cart.py", vec!["shop"]),
        ] {
            assert_eq!(module_path(path), modules, "{path}");
        }
        assert_eq!(flat("src/main.rs"), "src_main_rs");
    }
}
