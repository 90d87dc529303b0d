//! Runs `src/languages/*/cases/*.md`: a heading, the code in a fence with its file name, and the
//! facts it must yield in a fence `facts`. `BLESS=1 cargo test -p contextd-lang --test cases` writes
//! the facts that are found; read the diff before committing it.

use contextd_lang::dump::dump;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[test]
fn every_case_yields_its_facts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
    let mut files = case_files(&root);
    files.sort();
    assert!(!files.is_empty(), "no case files under {}", root.display());
    let mut failures = String::new();
    for file in files {
        let before = std::fs::read_to_string(&file).expect("case file is readable");
        let after = rewrite(&before);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &after).expect("case file is writable");
        } else if before != after {
            let _ = writeln!(failures, "{}:\n{}", file.display(), difference(&before, &after));
        }
    }
    assert!(failures.is_empty(), "{failures}\nbless with BLESS=1 after reading");
}

/// Broken source is data: whatever is cut off or out, extraction ends, repeats itself and keeps the
/// order of rows that others rely on.
#[test]
fn cut_source_yields_sound_facts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
    for file in case_files(&root) {
        let text = std::fs::read_to_string(&file).expect("case file is readable");
        for (name, code) in codes(&text) {
            for at in (0..code.len()).step_by(61).filter(|&at| code.is_char_boundary(at)) {
                check_sound(&name, &code[..at]);
                let resume = (at + 17..code.len())
                    .find(|&at| code.is_char_boundary(at))
                    .unwrap_or(code.len());
                check_sound(&name, &format!("{}{}", &code[..at], &code[resume..]));
            }
        }
    }
}

/// A scanner that looks for the end of a line, or of a word, must find the end of the text.
#[test]
fn texts_may_end_anywhere() {
    let ends = [
        "@A",
        "@A(1) fun b() = 1",
        "@a.b",
        "\"",
        "\"\"\"",
        "'",
        "`",
        "$",
        "${",
        "/*",
        "/**",
        "//",
        "#",
        "#if",
        "<",
        "<<A",
        "<<~A",
        "%w(",
        "%(",
        "r#\"",
        "R\"(",
        "@\"",
        "\\",
        "{",
        "(",
        "[[",
        "<!--",
        "<a",
        "---",
        "?",
        "!",
        ":",
        "->",
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
    for file in case_files(&root) {
        let text = std::fs::read_to_string(&file).expect("case file is readable");
        for (name, code) in codes(&text).into_iter().take(1) {
            let begin = code.match_indices('\n').nth(8).map_or(code.len(), |(at, _)| at);
            for end in ends {
                check_sound(&name, &format!("{}\n{end}", &code[..begin]));
                check_sound(&name, end);
            }
        }
    }
}

fn check_sound(name: &str, code: &str) {
    let extract =
        || contextd_lang::extract(code, contextd_lang::detect(name, code), &Default::default());
    let facts = extract();
    assert_eq!(facts, extract(), "{name}: the same text gave other facts\n{code}");
    for (index, row) in facts.symbols.iter().enumerate().skip(1) {
        let (start, end) = (row.start as usize, row.end as usize);
        assert!(
            (row.parent as usize) < index,
            "{name}: row {index} stands before its parent\n{code}"
        );
        assert!(
            start <= end && code.is_char_boundary(start) && code.is_char_boundary(end),
            "{name}: row {index} spans {start}..{end}\n{code}"
        );
    }
}

/// Returns the code fences of a case file with their file names.
fn codes(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("````").filter(|name| !name.is_empty()) else {
            continue;
        };
        let code: String = lines
            .by_ref()
            .take_while(|line| *line != "````")
            .map(|line| format!("{line}\n"))
            .collect();
        if name != "facts" {
            found.push((name.to_owned(), code));
        }
    }
    found
}

fn case_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for language in std::fs::read_dir(root).expect("languages folder").flatten() {
        let Ok(cases) = std::fs::read_dir(language.path().join("cases")) else { continue };
        found.extend(
            cases
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "md")),
        );
    }
    found
}

/// Returns the file with each `facts` fence filled in from the code fence before it. Fences are of
/// four backticks, so that code may hold fences of three.
fn rewrite(text: &str) -> String {
    let mut out = String::new();
    let mut code = String::new();
    let mut name = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        match line.strip_prefix("````") {
            Some("facts") => {
                lines.by_ref().find(|line| *line == "````");
                let _ = writeln!(out, "````facts\n{}\n````", facts(&name, &code));
            }
            Some(file) if !file.is_empty() => {
                name = file.to_owned();
                code = lines
                    .by_ref()
                    .take_while(|line| *line != "````")
                    .map(|line| format!("{line}\n"))
                    .collect();
                let _ = write!(out, "{line}\n{code}````\n");
            }
            _ => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out
}

fn facts(name: &str, code: &str) -> String {
    dump(&contextd_lang::extract(code, contextd_lang::detect(name, code), &Default::default()))
}

fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let mut out = String::new();
    for line in old.iter().filter(|line| !new.contains(line)) {
        let _ = writeln!(out, "  - {line}");
    }
    for line in new.iter().filter(|line| !old.contains(line)) {
        let _ = writeln!(out, "  + {line}");
    }
    out
}
