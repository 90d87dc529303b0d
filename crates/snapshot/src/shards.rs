//! Which files are frozen together.

use contextd_model::ContentHash;

/// Files in a shard, about.
const SHARD_FILES: usize = 256;

/// Returns the number of shards for that many files: a power of two, so that most files stay with
/// their neighbours when it changes, at about 256 files each. Depends on nothing else.
pub fn shard_count(files: usize) -> u32 {
    files.div_ceil(SHARD_FILES).max(1).next_power_of_two() as u32
}

/// Returns the shard of a path: low bits of the BLAKE3 hash of its bytes. `shard_count` is a power
/// of two.
pub fn shard_of(path: &str, shard_count: u32) -> u32 {
    ContentHash::of(path.as_bytes()).short() as u32 & (shard_count.max(1) - 1)
}

/// Returns the key of a segment: a hash of everything its bytes depend on.
///
/// `extractor` names the extractor's version and every setting that shapes facts. Files are in path
/// order: path, hash of the original bytes, language.
pub fn segment_key<'a>(extractor: &str, files: impl IntoIterator<Item = (&'a str, ContentHash, u8)>) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"segment\0");
    hasher.update(&crate::FORMAT_VERSION.to_le_bytes());
    put_text(&mut hasher, extractor);
    for (path, hash, language) in files {
        put_text(&mut hasher, path);
        hasher.update(&hash.0);
        hasher.update(&[language]);
    }
    ContentHash(*hasher.finalize().as_bytes())
}

/// Adds a text with its length, so that neighbours cannot run into each other.
pub(crate) fn put_text(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_what_they_always_were() {
        let cases = [("src/lib.rs", 8, 7), ("src/lib.rs", 64, 23), ("a/b/c.py", 64, 43), ("größe.go", 16, 6)];
        for (path, count, expected) in cases {
            assert_eq!(shard_of(path, count), expected, "{path} of {count}");
        }
        let counts = [(0, 1), (1, 1), (256, 1), (257, 2), (2_900, 16), (17_000, 128)];
        for (files, expected) in counts {
            assert_eq!(shard_count(files), expected, "{files} files");
        }
    }

    #[test]
    fn doubling_the_shards_splits_each_in_two() {
        for number in 0..500 {
            let path = format!("src/file{number}.rs");
            assert_eq!(shard_of(&path, 16) & 7, shard_of(&path, 8));
        }
    }

    #[test]
    fn keys_tell_inputs_apart() {
        let hash = ContentHash::of(b"x");
        let key = |extractor: &str, path: &str, language| segment_key(extractor, [(path, hash, language)]);
        assert_eq!(key("1", "a", 0), key("1", "a", 0));
        assert_ne!(key("1", "a", 0), key("2", "a", 0));
        assert_ne!(key("1", "a", 0), key("1", "b", 0));
        assert_ne!(key("1", "a", 0), key("1", "a", 1));
        assert_ne!(key("1a", "", 0), key("1", "a", 0));
    }
}
