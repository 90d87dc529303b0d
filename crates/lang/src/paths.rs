//! What a path says of a file by the conventions of many languages: test, vendored, documentation.

/// True for paths that hold tests by common convention.
pub fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(is_test_folder) || is_test_file(name)
}

fn is_test_folder(folder: &str) -> bool {
    const NAMES: [&str; 22] = [
        "test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "test_data", "fixtures", "__fixtures__", "__mocks__", "mocks", "e2e", "testutil", "testutils", "testhelper", "testhelpers",
        "androidTest", "unittest", "unittests", "benches", "benchmarks",
    ];
    let words = || folder.split(['-', '_', '.']);
    let about_tests = words().count() > 1 && words().any(|word| matches!(word, "test" | "tests" | "testing" | "testsuite" | "testutil" | "testutils" | "mock" | "mocks"));
    about_tests || NAMES.contains(&folder) || folder.ends_with("_test") || folder.ends_with("_tests") || folder.ends_with("-tests") || folder.ends_with("-test") || folder.ends_with(".Tests") || folder.ends_with(".UnitTests") || folder.ends_with("Tests")
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
        || ["Test", "Tests", "TestCase", "Spec", "IT"].iter().any(|end| stem.strip_suffix(end).is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())))
        || matches!(stem, "conftest" | "test" | "tests" | "test_helper" | "spec_helper")
        || stem.starts_with("Test") && stem[4..].starts_with(|c: char| c.is_ascii_uppercase())
}

/// True for code that others wrote and that is carried along.
pub fn is_vendored(path: &str) -> bool {
    path.split('/').any(|folder| matches!(folder, "vendor" | "vendored" | "third_party" | "third-party" | "thirdparty" | "node_modules" | "bower_components" | "Godeps" | "external" | "extern" | "Pods"))
}

/// True for built or minified files.
pub fn is_built(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.split('/').any(|folder| matches!(folder, "dist" | "_dist")) || name.contains(".min.") || name.contains(".bundle.")
}

/// True for documentation, examples and samples.
pub fn is_documentation(path: &str) -> bool {
    path.split('/').any(|folder| matches!(folder, "doc" | "docs" | "documentation" | "example" | "examples" | "samples" | "sample" | "demo" | "demos" | "tutorial" | "tutorials" | "website" | "site" | "_docs"))
}

/// True for stand-ins used by tests.
pub fn is_mock(path: &str) -> bool {
    let holds = |part: &str, word: &str| part.as_bytes().windows(4).any(|four| four.eq_ignore_ascii_case(word.as_bytes()));
    path.rsplit('/').take(2).any(|part| ["mock", "fake", "stub"].iter().any(|word| holds(part, word)))
}

/// Systems that code is ported to, as folders and files are named after them.
const PORTS: [&str; 20] = ["win", "win32", "win64", "windows", "winrt", "wince", "msvc", "mingw", "cygwin", "nt", "aix", "sunos", "solaris", "hpux", "irix", "os390", "zos", "ibmi", "haiku", "vms"];
/// What the same code is named after where most of its readers run it.
const COMMON: [&str; 3] = ["unix", "posix", "linux"];

/// True for the name of a system that code is ported to.
pub fn is_port(word: &str) -> bool {
    PORTS.contains(&word)
}

/// Returns the paths at which the common twin of a port would lie: `src/win/tcp.c` → `src/unix/tcp.c` …
pub fn common_twins(path: &str) -> Vec<String> {
    let ends = |byte: u8| matches!(byte, b'/' | b'-' | b'_' | b'.');
    let (mut twins, mut start) = (Vec::new(), 0);
    for (at, byte) in path.bytes().enumerate() {
        if ends(byte) {
            if is_port(&path[start..at]) {
                twins.extend(COMMON.iter().map(|common| format!("{}{common}{}", &path[..start], &path[at..])));
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

    #[test]
    fn ports_have_twins() {
        assert_eq!(common_twins("src/win/tcp.c"), ["src/unix/tcp.c", "src/posix/tcp.c", "src/linux/tcp.c"]);
        assert_eq!(common_twins("pkg/mount_windows.go")[2], "pkg/mount_linux.go");
        assert!(common_twins("src/window/wind.c").is_empty());
    }

    #[test]
    fn test_paths() {
        for path in ["tests/a.py", "src/a_test.go", "a.spec.ts", "FooTest.java", "pkg/testdata/x", "test_a.py", "src/TestFoo.java", "Ocelot.UnitTests/a.cs"] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/latest.py", "contest.go", "src/attestation/a.ts", "protest.rb", "src/testament.rs"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
