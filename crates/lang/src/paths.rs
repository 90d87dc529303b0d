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
    let lower = path.to_ascii_lowercase();
    ["mock", "fake", "stub"].iter().any(|word| lower.rsplit('/').take(2).any(|part| part.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
