//! What makes content text, and how text is decoded.

use contextd_model::config::{BinaryDetection, Config};

/// How the bytes of a file became text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// Told by its byte order mark.
    Utf16Le,
    /// Told by its byte order mark.
    Utf16Be,
}

/// Bytes at the start of a file that the threshold looks at.
const HEAD: usize = 8 * 1024;

/// Extensions of formats that are never text, asked only when the configuration says so.
const BINARY_EXTENSIONS: &[&str] = &[
    "7z", "a", "avi", "bin", "bmp", "bz2", "class", "dat", "db", "dll", "dmg", "doc", "docx",
    "dylib", "eot", "exe", "flac", "gif", "gz", "ico", "img", "iso", "jar", "jpeg", "jpg", "lib",
    "mkv", "mov", "mp3", "mp4", "o", "obj", "odt", "ogg", "otf", "pdf", "png", "ppt", "pptx",
    "pyc", "pyd", "rar", "so", "sqlite", "tar", "tgz", "tif", "tiff", "ttf", "war", "wasm", "wav",
    "webm", "webp", "whl", "woff", "woff2", "xls", "xlsx", "xz", "zip", "zst",
];

/// First bytes of formats that are never text, asked only when the configuration says so.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x7fELF", "an ELF program"),
    (b"MZ\x90\x00", "a Windows program"),
    (b"\xca\xfe\xba\xbe", "a class file or universal binary"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"\x00asm", "a WebAssembly module"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
];

/// The tests of the configuration that come before the one on content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BinaryTests {
    extension: bool,
    magic: bool,
    threshold: u32,
}

impl BinaryTests {
    pub fn new(config: &Config) -> Self {
        let detection = config.indexing.binary_detection;
        Self {
            extension: matches!(detection, BinaryDetection::Extension | BinaryDetection::All),
            magic: matches!(detection, BinaryDetection::Mime | BinaryDetection::All),
            threshold: config.indexing.binary_threshold,
        }
    }

    /// Says why a file with this extension (lower case, no dot) is binary.
    pub fn by_extension(&self, extension: &str) -> Option<String> {
        let listed = self.extension && BINARY_EXTENSIONS.binary_search(&extension).is_ok();
        listed.then(|| format!("files that end in .{extension} are binary"))
    }

    /// Turns bytes into text, or says why they are none.
    pub fn decode(&self, bytes: Vec<u8>) -> Result<(String, Encoding), String> {
        if let Some(why) = self.by_head(&bytes) {
            return Err(why);
        }
        let (text, encoding) = match bytes.as_slice() {
            [0xff, 0xfe, rest @ ..] => (utf16(rest, u16::from_le_bytes)?, Encoding::Utf16Le),
            [0xfe, 0xff, rest @ ..] => (utf16(rest, u16::from_be_bytes)?, Encoding::Utf16Be),
            _ => (utf8(bytes)?, Encoding::Utf8),
        };
        match memchr::memchr(0, text.as_bytes()) {
            Some(at) => Err(format!("NUL at byte {at}")),
            None => Ok((text, encoding)),
        }
    }

    fn by_head(&self, bytes: &[u8]) -> Option<String> {
        if self.magic
            && let Some((_, what)) = MAGIC.iter().find(|(start, _)| bytes.starts_with(start))
        {
            return Some(format!("starts like {what}"));
        }
        let head = &bytes[..bytes.len().min(HEAD)];
        if self.threshold >= 100 || head.is_empty() {
            return None;
        }
        let other = head.iter().filter(|byte| !byte.is_ascii()).count();
        let percent = other * 100 / head.len();
        (percent > self.threshold as usize)
            .then(|| format!("{percent} % of its first bytes are not ASCII"))
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String, String> {
    // Asked first because it is the usual mark of binary files and cheaper to find.
    if let Some(at) = memchr::memchr(0, &bytes[..bytes.len().min(HEAD)]) {
        return Err(format!("NUL at byte {at}"));
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("no valid UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let (pairs, []) = bytes.as_chunks::<2>() else {
        return Err("UTF-16 with half a character at its end".to_owned());
    };
    let units = pairs.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|error| {
        format!("no valid UTF-16: lone surrogate {:#06x}", error.unpaired_surrogate())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(bytes: &[u8]) -> Result<(String, Encoding), String> {
        BinaryTests::new(&Config::default()).decode(bytes.to_vec())
    }

    #[test]
    fn text_is_what_has_no_nul_and_reads_as_unicode() {
        let check = |bytes: &[u8], expected: Option<(&str, Encoding)>| {
            let found = decode(bytes).ok();
            assert_eq!(
                found,
                expected.map(|(text, encoding)| (text.to_owned(), encoding)),
                "{bytes:?}"
            );
        };
        check(b"", Some(("", Encoding::Utf8)));
        check("\u{feff}a\r\n".as_bytes(), Some(("\u{feff}a\r\n", Encoding::Utf8)));
        check("漢字だけ".as_bytes(), Some(("漢字だけ", Encoding::Utf8)));
        check(b"a\0b", None);
        check(b"caf\xe9", None);
        check(b"\xff\xfeh\0i\0", Some(("hi", Encoding::Utf16Le)));
        check(b"\xfe\xff\0h\0i", Some(("hi", Encoding::Utf16Be)));
        check(b"\xff\xfeh\0i", None);
        check(b"\xff\xfe\x00\xd8", None);
        check(b"\xff\xfe\0\0h\0\0\0", None);
        check(b"%PDF-1.4 text", Some(("%PDF-1.4 text", Encoding::Utf8)));
    }

    #[test]
    fn a_nul_far_behind_the_head_is_found() {
        let mut bytes = vec![b'a'; 20_000];
        bytes.push(0);
        assert_eq!(decode(&bytes).unwrap_err(), "NUL at byte 20000");
    }

    #[test]
    fn the_seeds_tests_are_settings() {
        let mut config = Config::default();
        config.indexing.binary_detection = BinaryDetection::All;
        config.indexing.binary_threshold = 30;
        let tests = BinaryTests::new(&config);
        assert!(tests.by_extension("png").is_some());
        assert!(tests.by_extension("rs").is_none());
        assert!(tests.decode(b"%PDF-1.4 text".to_vec()).is_err());
        assert!(tests.decode("漢字だけ".as_bytes().to_vec()).is_err());
        assert!(tests.decode(b"plain".to_vec()).is_ok());
    }

    #[test]
    fn the_extensions_are_sorted() {
        assert!(BINARY_EXTENSIONS.is_sorted());
    }

    proptest! {
        #[test]
        fn utf16_round_trips(text in "[^\0]*") {
            let mut bytes = vec![0xff, 0xfe];
            bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
            prop_assert_eq!(decode(&bytes), Ok((text, Encoding::Utf16Le)));
        }

        #[test]
        fn decoded_text_has_no_nul(bytes in any::<Vec<u8>>()) {
            if let Ok((text, _)) = decode(&bytes) {
                prop_assert!(!text.contains('\0'));
            }
        }
    }
}
