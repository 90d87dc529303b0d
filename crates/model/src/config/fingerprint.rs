//! Hashes of the parts of a configuration that change what is indexed.

use super::{Config, DEFAULT_IGNORE_PATTERNS};
use crate::ContentHash;
use std::fmt::Debug;

/// One hash for each part that can be re-evaluated by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprints {
    /// Which files belong, and to which projects.
    pub scan: ContentHash,
    /// How files are cut into chunks.
    pub chunking: ContentHash,
    /// What is redacted.
    pub secrets: ContentHash,
    /// Which vectors chunks get.
    pub embedding: ContentHash,
}

impl Fingerprints {
    /// Returns one hash over all parts.
    pub fn all(&self) -> ContentHash {
        let parts = [self.scan, self.chunking, self.secrets, self.embedding];
        ContentHash::of(&parts.map(|part| part.0).concat())
    }
}

impl Config {
    /// Returns the hashes of the parts that affect the index. The folder's place, times and the
    /// number of workers have no part in them.
    pub fn fingerprint(&self) -> Fingerprints {
        Fingerprints {
            scan: self.scan_fingerprint(),
            chunking: hash(&[
                ("default", &self.chunking.default),
                ("languages", &self.chunking.languages),
            ]),
            secrets: hash(&[
                ("scrub_secrets", &self.security.scrub_secrets),
                ("secret_patterns", &self.security.secret_patterns),
            ]),
            embedding: hash(&[
                ("model", &self.embedding.model),
                ("dimension", &self.embedding.dimension),
                ("normalize", &self.embedding.normalize),
                ("endpoint", &self.embedding.endpoint),
            ]),
        }
    }

    fn scan_fingerprint(&self) -> ContentHash {
        let (watcher, indexing) = (&self.watcher, &self.indexing);
        hash(&[
            ("watch_paths", &self.watch_paths()),
            ("ignore_patterns", &watcher.ignore_patterns),
            ("default_patterns", &DEFAULT_IGNORE_PATTERNS),
            ("ignore_case", &watcher.ignore_case),
            ("use_gitignore", &watcher.use_gitignore),
            ("use_contextignore", &watcher.use_contextignore),
            ("use_dockerignore", &self.use_dockerignore()),
            ("allowed_extensions", &indexing.allowed_extensions),
            ("blocked_extensions", &indexing.blocked_extensions),
            ("max_bytes", &self.max_file_bytes()),
            ("size_exceptions", &indexing.size_exceptions),
            ("follow_symlinks", &indexing.follow_symlinks),
            ("max_symlink_depth", &indexing.max_symlink_depth),
            ("binary_detection", &indexing.binary_detection),
            ("binary_threshold", &indexing.binary_threshold),
            ("private_patterns", &self.security.private_patterns),
            ("projects", &self.projects),
        ])
    }
}

/// Hashes names with values; the debug form escapes texts, so no two lists read alike.
fn hash(parts: &[(&str, &dyn Debug)]) -> ContentHash {
    let mut text = String::new();
    for (name, value) in parts {
        text.push_str(&format!("{name}={value:?}\n"));
    }
    ContentHash::of(text.as_bytes())
}
