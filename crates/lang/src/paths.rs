//! What a path says of a file by the conventions of many languages: test, vendored, documentation.

/// True for paths that hold tests by common convention. Below `src/main` nothing does, whatever its
/// module is called, unless the whole module lies among the data of tests.
pub fn is_test(path: &str) -> bool {
    if let Some(module) = module_of_main(path) {
        return module.split('/').any(is_named_for_tests);
    }
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(is_test_folder) || is_test_file(name)
}

/// Returns the folder of the module whose shipped code a path is part of: what stands before `src/main`.
fn module_of_main(path: &str) -> Option<&str> {
    let at = path.find("src/main/")?;
    let module = &path[..at];
    (module.is_empty() || module.ends_with('/')).then_some(module)
}

fn is_test_folder(folder: &str) -> bool {
    let words = || folder.split(['-', '_', '.']);
    let about_tests = words().count() > 1
        && words().any(|word| {
            matches!(
                word,
                "test"
                    | "tests"
                    | "testing"
                    | "testsuite"
                    | "testutil"
                    | "testutils"
                    | "mock"
                    | "mocks"
            )
        });
    about_tests
        || is_named_for_tests(folder)
        || folder.ends_with("_test")
        || folder.ends_with("_tests")
        || folder.ends_with("-tests")
        || folder.ends_with("-test")
        || folder.ends_with(".Tests")
        || folder.ends_with(".UnitTests")
        || folder.ends_with("Tests")
}

fn is_named_for_tests(folder: &str) -> bool {
    const NAMES: [&str; 22] = [
        "test",
        "tests",
        "testing",
        "__tests__",
        "spec",
        "specs",
        "testdata",
        "test_data",
        "fixtures",
        "__fixtures__",
        "__mocks__",
        "mocks",
        "e2e",
        "testutil",
        "testutils",
        "testhelper",
        "testhelpers",
        "androidTest",
        "unittest",
        "unittests",
        "benches",
        "benchmarks",
    ];
    NAMES.contains(&folder)
}

fn is_test_file(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let inner = stem.rsplit_once('.').map_or("", |(_, inner)| inner);
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || stem.ends_with("_unittest")
        || matches!(inner, "test" | "tests" | "spec" | "e2e" | "bench")
        || ["Test", "Tests", "TestCase", "Spec", "IT"].iter().any(|end| {
            stem.strip_suffix(end).is_some_and(|rest| {
                rest.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            })
        })
        || matches!(stem, "conftest" | "test" | "tests" | "test_helper" | "spec_helper")
        || stem.starts_with("Test") && stem[4..].starts_with(|c: char| c.is_ascii_uppercase())
}

/// True for code that others wrote and that is carried along.
pub fn is_vendored(path: &str) -> bool {
    path.split('/').any(|folder| {
        matches!(
            folder,
            "vendor"
                | "vendored"
                | "third_party"
                | "third-party"
                | "thirdparty"
                | "node_modules"
                | "bower_components"
                | "Godeps"
                | "external"
                | "extern"
                | "Pods"
        )
    })
}

/// True for built or minified files.
pub fn is_built(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.split('/').any(|folder| matches!(folder, "dist" | "_dist"))
        || name.contains(".min.")
        || name.contains(".bundle.")
}

/// True for documentation, examples and samples.
pub fn is_documentation(path: &str) -> bool {
    path.split('/').any(|folder| {
        matches!(
            folder,
            "doc"
                | "docs"
                | "documentation"
                | "example"
                | "examples"
                | "samples"
                | "sample"
                | "demo"
                | "demos"
                | "tutorial"
                | "tutorials"
                | "website"
                | "site"
                | "_docs"
        )
    })
}

/// True for stand-ins used by tests.
pub fn is_mock(path: &str) -> bool {
    let holds = |part: &str, word: &str| {
        part.as_bytes().windows(4).any(|four| four.eq_ignore_ascii_case(word.as_bytes()))
    };
    path.rsplit('/')
        .take(2)
        .any(|part| ["mock", "fake", "stub"].iter().any(|word| holds(part, word)))
}

/// What a path says of a file, all at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nature {
    pub test: bool,
    pub documentation: bool,
    pub mock: bool,
    pub vendored: bool,
    pub built: bool,
}

impl Nature {
    /// Asks a path everything; one look at its letters tells which questions are worth asking.
    pub fn of(path: &str) -> Nature {
        let hints = hints(path);
        let hinted = |kind: u8| hints & kind != 0;
        Nature {
            test: (hinted(hint::TEST) || path.ends_with("IT")) && is_test(path),
            documentation: hinted(hint::DOCUMENTATION) && is_documentation(path),
            mock: hinted(hint::MOCK) && is_mock(path),
            vendored: hinted(hint::VENDORED) && is_vendored(path),
            built: hinted(hint::BUILT) && is_built(path),
        }
    }
}

mod hint {
    pub const TEST: u8 = 1;
    pub const DOCUMENTATION: u8 = 1 << 1;
    pub const MOCK: u8 = 1 << 2;
    pub const VENDORED: u8 = 1 << 3;
    pub const BUILT: u8 = 1 << 4;
}

/// Letters that a name begins with or holds, in small ones, and what they hint at: every name that one of the questions
/// knows has some of them.
const HINTS: [([u8; 4], u8); 24] = [
    (*b"test", hint::TEST),
    (*b"spec", hint::TEST),
    (*b"fixt", hint::TEST),
    (*b"benc", hint::TEST),
    (*b"e2e/", hint::TEST),
    (*b"e2e.", hint::TEST),
    (*b"mock", hint::TEST | hint::MOCK),
    (*b"fake", hint::MOCK),
    (*b"stub", hint::MOCK),
    (*b"exam", hint::DOCUMENTATION),
    (*b"samp", hint::DOCUMENTATION),
    (*b"demo", hint::DOCUMENTATION),
    (*b"tuto", hint::DOCUMENTATION),
    (*b"site", hint::DOCUMENTATION),
    (*b"vend", hint::VENDORED),
    (*b"thir", hint::VENDORED),
    (*b"node", hint::VENDORED),
    (*b"bowe", hint::VENDORED),
    (*b"gode", hint::VENDORED),
    (*b"exte", hint::VENDORED),
    (*b"pods", hint::VENDORED),
    (*b"dist", hint::BUILT),
    (*b".min", hint::BUILT),
    (*b".bun", hint::BUILT),
];

/// Slot of four letters; others may share it, which asks a question in vain and nothing else.
const fn slot(letters: u32) -> usize {
    (letters.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

/// Hints by slot.
static SLOTS: [u8; 1 << 12] = {
    let mut slots = [0; 1 << 12];
    let mut at = 0;
    while at < HINTS.len() {
        slots[slot(u32::from_le_bytes(HINTS[at].0))] |= HINTS[at].1;
        at += 1;
    }
    slots
};

/// Returns what the path may be.
fn hints(path: &str) -> u8 {
    const DOC: u32 = u32::from_le_bytes(*b"doc\0");
    const INTEGRATION_FILE: u32 = u32::from_le_bytes(*b"it.\0");
    let (mut hints, mut window) = (0, 0u32);
    for byte in path.bytes().chain([0, 0, 0]) {
        // Capitals become small; nothing else becomes a letter, a dot or a slash that was none.
        window = window >> 8 | u32::from(byte | 0x20) << 24;
        hints |= SLOTS[slot(window)];
        let three = window & 0x00ff_ffff;
        hints |= if three == DOC { hint::DOCUMENTATION } else { 0 };
        hints |= if three == INTEGRATION_FILE { hint::TEST } else { 0 };
    }
    hints
}

/// What the same code is named after where most of its readers run it.
const COMMON: [&str; 3] = ["unix", "posix", "linux"];

/// True for the name of a system that code is ported to, as folders and files are named after them.
pub fn is_port(word: &str) -> bool {
    matches!(
        word,
        "win"
            | "win32"
            | "win64"
            | "windows"
            | "winrt"
            | "wince"
            | "msvc"
            | "mingw"
            | "cygwin"
            | "nt"
            | "aix"
            | "sunos"
            | "solaris"
            | "hpux"
            | "irix"
            | "os390"
            | "zos"
            | "ibmi"
            | "haiku"
            | "vms"
    )
}

/// Returns the paths at which the common twin of a port would lie: `src/win/tcp.c` → `src/unix/tcp.c` …
pub fn common_twins(path: &str) -> Vec<String> {
    let ends = |byte: u8| matches!(byte, b'/' | b'-' | b'_' | b'.');
    let (mut twins, mut start) = (Vec::new(), 0);
    for (at, byte) in path.bytes().enumerate() {
        if ends(byte) {
            if is_port(&path[start..at]) {
                twins.extend(
                    COMMON
                        .iter()
                        .map(|common| format!("{}{common}{}", &path[..start], &path[at..])),
                );
            }
            start = at + 1;
        }
    }
    twins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins() {
        assert!(is_mock("pkg/FakeClock.go") && is_mock("a/Stubs/x.py") && is_mock("mock.rs"));
        assert!(!is_mock("mocks/deep/er/x.py") && !is_mock("a/moc/k.py"));
    }

    /// Pieces of paths that the questions know, and others.
    const PIECES: [&str; 66] = [
        "test",
        "tests",
        "testing",
        "__tests__",
        "spec",
        "specs",
        "testdata",
        "fixtures",
        "__mocks__",
        "e2e",
        "testutil",
        "androidTest",
        "unittest",
        "benches",
        "benchmarks",
        "a_test",
        "b-tests",
        "X.Tests",
        "FooTests",
        "my-mock-x",
        "TestCase",
        "FooIT",
        "BarSpec",
        "conftest",
        "spec_helper",
        "x_unittest",
        "a.e2e.ts",
        "a.bench.js",
        "fooIT.java",
        "vendor",
        "vendored",
        "third_party",
        "third-party",
        "thirdparty",
        "node_modules",
        "bower_components",
        "Godeps",
        "external",
        "extern",
        "Pods",
        "dist",
        "_dist",
        "a.min.js",
        "b.bundle.js",
        "doc",
        "docs",
        "documentation",
        "example",
        "examples",
        "samples",
        "sample",
        "demo",
        "demos",
        "tutorial",
        "tutorials",
        "website",
        "site",
        "_docs",
        "FakeClock",
        "stubs.py",
        "src",
        "main.rs",
        "window",
        "IT",
        "x",
        "é",
    ];

    proptest::proptest! {
        #[test]
        fn asked_at_once_or_one_by_one(pieces in proptest::collection::vec(0..PIECES.len(), 1..6), joint in proptest::sample::select(vec!["/", ".", "_", ""]), upper in proptest::bool::ANY) {
            let text = |joint: &str| pieces.iter().map(|&piece| PIECES[piece]).collect::<Vec<_>>().join(joint);
            for path in [text("/"), text(joint)] {
                let path = if upper { path.to_uppercase() } else { path };
                let one_by_one = Nature { test: is_test(&path), documentation: is_documentation(&path), mock: is_mock(&path), vendored: is_vendored(&path), built: is_built(&path) };
                proptest::prop_assert_eq!(Nature::of(&path), one_by_one, "{}", path);
            }
        }
    }

    #[test]
    fn ports_have_twins() {
        assert_eq!(
            common_twins("src/win/tcp.c"),
            ["src/unix/tcp.c", "src/posix/tcp.c", "src/linux/tcp.c"]
        );
        assert_eq!(common_twins("pkg/mount_windows.go")[2], "pkg/mount_linux.go");
        assert!(common_twins("src/window/wind.c").is_empty());
    }

    #[test]
    fn test_paths() {
        for path in [
            "tests/a.py",
            "src/a_test.go",
            "a.spec.ts",
            "FooTest.java",
            "pkg/testdata/x",
            "test_a.py",
            "src/TestFoo.java",
            "Ocelot.UnitTests/a.cs",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in [
            "src/test/java/FooMock.java",
            "core/test/resources/app/src/main/java/App.java",
            "test-utils/src/test/java/A.java",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in [
            "connect/test-plugins/src/main/java/MockConnector.java",
            "src/main/java/tools/LoadTest.java",
            "test-utils/src/main/java/testing/Driver.java",
            "src/latest.py",
            "contest.go",
            "src/attestation/a.ts",
            "protest.rb",
            "src/testament.rs",
        ] {
            assert!(!is_test(path), "{path}");
        }
    }
}
