//! Hashes of packages: what a judgement is anchored to.

use contextd_model::ContentHash;
use contextd_snapshot::Snapshot;
use std::collections::BTreeMap;

/// Hash of every package of a snapshot. A package is a folder with the files that lie directly in it:
/// a change in a file expires what was learned about its neighbours, and nothing else.
pub struct PackageRoots {
    roots: BTreeMap<String, String>,
}

impl PackageRoots {
    /// Hashes the packages of a snapshot; folder, names and contents count, nothing else.
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut files: BTreeMap<&str, Vec<(&str, ContentHash)>> = BTreeMap::new();
        for number in 0..snapshot.file_count() {
            let file = snapshot.file(number);
            files.entry(folder(file.path())).or_default().push((file.path(), file.hash()));
        }
        let hash = |mut files: Vec<(&str, ContentHash)>| {
            files.sort_unstable_by_key(|&(path, _)| path);
            let mut bytes = Vec::new();
            for (path, hash) in files {
                bytes.extend_from_slice(path.as_bytes());
                bytes.push(0);
                bytes.extend_from_slice(&hash.0);
            }
            ContentHash::of(&bytes).to_hex()[..24].to_owned()
        };
        Self {
            roots: files
                .into_iter()
                .map(|(folder, files)| (folder.to_owned(), hash(files)))
                .collect(),
        }
    }

    /// Returns the hash of the package that a file lies in, or nothing when there is no such package.
    pub fn anchor(&self, path: &str) -> &str {
        self.roots.get(folder(path)).map_or("", String::as_str)
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
