//! Every language shows by cases what it yields.

use super::Report;
use std::collections::BTreeSet;

const LANGUAGES: &str = "crates/lang/src/languages/";

pub fn check(files: &[String], report: &mut Report) {
    let with = |ending: &'static str| -> BTreeSet<&str> {
        files
            .iter()
            .filter_map(|path| path.strip_prefix(LANGUAGES))
            .filter(|path| path.contains(ending))
            .filter_map(|path| path.split('/').next())
            .collect()
    };
    let tables = with("/language.toml");
    let cases = with("/cases/");
    if tables.is_empty() {
        report.errors.push(format!("{LANGUAGES} has no language"));
    }
    for language in tables.difference(&cases) {
        report.errors.push(format!("{LANGUAGES}{language}: there are no cases"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_without_cases_is_found() {
        let files = |names: &[&str]| {
            names.iter().map(|name| format!("{LANGUAGES}{name}")).collect::<Vec<_>>()
        };
        let mut report = Report::default();
        check(&files(&["rust/language.toml", "rust/cases/a.md"]), &mut report);
        assert!(report.errors.is_empty());
        check(&files(&["rust/language.toml", "go/cases/a.md"]), &mut report);
        assert_eq!(report.errors.len(), 1);
    }
}
