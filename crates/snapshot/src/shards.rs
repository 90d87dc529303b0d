//! Which files are frozen together.

use contextd_model::ContentHash;

/// Fewest and most files in a shard, about.
const SHARD_FILES: (usize, usize) = (64, 512);

/// Returns the number of shards for that many files, a power of two. Depends on nothing else.
///
/// A shard has about four times the square root of all files, between 64 and 512: one edited file
/// rewrites one shard, so small repositories have small shards; a query looks into every shard and
/// each has a dictionary of its own, so large ones do not have many.
pub fn shard_count(files: usize) -> u32 {
    let size = (4 * files.isqrt()).clamp(SHARD_FILES.0, SHARD_FILES.1);
    let wanted = files.div_ceil(size).max(1);
    let above = wanted.next_power_of_two();
    let nearest = if above * 2 > wanted * 3 { above / 2 } else { above };
    nearest as u32
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
pub fn segment_key<'a>(
    extractor: &str,
    files: impl IntoIterator<Item = (&'a str, ContentHash, u8)>,
) -> ContentHash {
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
        let paths = [("src/lib.rs", 8), ("src/lib.rs", 64), ("a/b/c.py", 64), ("größe.go", 16)];
        assert_eq!(paths.map(|(path, count)| shard_of(path, count)), [3, 35, 33, 11]);
        let counts = [
            (0, 1),
            (1, 1),
            (90, 2),
            (241, 4),
            (1_000, 8),
            (5_400, 16),
            (17_000, 32),
            (30_000, 64),
            (200_000, 512),
        ];
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
        let key = |extractor: &str, path: &str, language| {
            segment_key(extractor, [(path, hash, language)])
        };
        assert_eq!(key("1", "a", 0), key("1", "a", 0));
        assert_ne!(key("1", "a", 0), key("2", "a", 0));
        assert_ne!(key("1", "a", 0), key("1", "b", 0));
        assert_ne!(key("1", "a", 0), key("1", "a", 1));
        assert_ne!(key("1a", "", 0), key("1", "a", 0));
    }
}
