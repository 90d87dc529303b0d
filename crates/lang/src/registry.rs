//! The table of languages: one line each.

use crate::languages::{self, Hooks};
use crate::rules::{Rules, Source};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use tree_sitter::Language as Grammar;

/// Number of a language in [`ALL`]; stable within one extractor version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LanguageId(pub u8);

/// Text in no known language: paragraphs only.
pub const TEXT: LanguageId = LanguageId(0);

/// One language: its names, grammar and rules.
pub struct Language {
    pub name: &'static str,
    /// True for languages with references, imports and inheritance.
    pub full: bool,
    pub(crate) grammar: Option<fn() -> Grammar>,
    pub(crate) table: &'static str,
    pub(crate) hooks: &'static dyn Hooks,
}

impl LanguageId {
    pub fn get(self) -> &'static Language {
        languages::ALL.get(self.0 as usize).unwrap_or(&languages::ALL[0])
    }

    pub fn name(self) -> &'static str {
        self.get().name
    }

    /// True for languages of programs, as opposed to documents and data.
    pub fn is_program(self) -> bool {
        self.get().full
            || matches!(
                self.name(),
                "bash" | "lua" | "elixir" | "haskell" | "zig" | "sql" | "protobuf"
            )
    }

    pub fn by_name(name: &str) -> Option<LanguageId> {
        languages::ALL
            .iter()
            .position(|language| language.name == name)
            .map(|at| LanguageId(at as u8))
    }

    pub fn all() -> impl Iterator<Item = LanguageId> {
        (0..languages::ALL.len()).map(|at| LanguageId(at as u8))
    }

    /// Returns the rules, compiled on first use.
    ///
    /// # Panics
    /// When the language's own table does not fit its grammar, which `tests::tables_compile` rules out.
    pub(crate) fn rules(self) -> &'static Rules {
        static COMPILED: [OnceLock<Rules>; 64] = [const { OnceLock::new() }; 64];
        COMPILED[self.0 as usize].get_or_init(|| {
            let language = self.get();
            let grammar = language.grammar.map(|grammar| grammar());
            let rules = source(language).and_then(|source| match &grammar {
                Some(grammar) => Rules::compile(&source, grammar),
                None => Err("no grammar".to_owned()),
            });
            rules.unwrap_or_else(|error| panic!("language.toml of {}: {error}", language.name))
        })
    }
}

fn source(language: &Language) -> Result<Source, String> {
    toml::from_str(language.table).map_err(|error| error.to_string())
}

struct Detection {
    extensions: BTreeMap<String, LanguageId>,
    filenames: BTreeMap<String, LanguageId>,
    interpreters: BTreeMap<String, LanguageId>,
}

fn detection() -> &'static Detection {
    static TABLE: OnceLock<Detection> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Detection {
            extensions: BTreeMap::new(),
            filenames: BTreeMap::new(),
            interpreters: BTreeMap::new(),
        };
        for id in LanguageId::all() {
            let Ok(told) = toml::from_str::<ToldBy>(told_by(id.get().table)) else { continue };
            table.extensions.extend(told.extensions.into_iter().map(|name| (name, id)));
            table.filenames.extend(told.filenames.into_iter().map(|name| (name, id)));
            table.interpreters.extend(told.interpreters.into_iter().map(|name| (name, id)));
        }
        table
    })
}

/// What tells a language's files, see [`Source`].
#[derive(Deserialize, Default, Debug, PartialEq, Eq)]
#[serde(default)]
struct ToldBy {
    extensions: Vec<String>,
    filenames: Vec<String>,
    interpreters: Vec<String>,
}

/// Returns the first lines of a language's table, which tell its files: every run needs those of all languages, and the
/// rest only of the languages that it meets.
fn told_by(table: &str) -> &str {
    let is_one = |line: &&str| {
        ["extensions =", "filenames =", "interpreters ="].iter().any(|key| line.starts_with(key))
    };
    let length = table.split_inclusive('\n').take_while(is_one).map(str::len).sum();
    &table[..length]
}

/// Returns the language of a file by its name, else by its `#!` line, else [`TEXT`].
pub fn detect(path: &str, text: &str) -> LanguageId {
    let table = detection();
    let name = path.rsplit('/').next().unwrap_or(path);
    if let Some(&id) = table
        .filenames
        .get(name)
        .or_else(|| table.filenames.get(name.split('.').next().unwrap_or(name)))
    {
        return id;
    }
    // `a.blade.php` first asks for `blade.php`, then for `php`.
    let mut rest = name;
    while let Some((_, extension)) = rest.split_once('.') {
        if let Some(&id) = table
            .extensions
            .get(extension)
            .or_else(|| table.extensions.get(&extension.to_ascii_lowercase()))
        {
            return languages::refine(id, text);
        }
        rest = extension;
    }
    interpreter(text).and_then(|program| table.interpreters.get(program).copied()).unwrap_or(TEXT)
}

fn interpreter(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    let program = if program == "env" {
        words.find(|word| !word.starts_with('-') && !word.contains('='))?
    } else {
        program
    };
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_compile() {
        for id in LanguageId::all().filter(|id| id.get().grammar.is_some()) {
            id.rules();
        }
    }

    #[test]
    fn the_first_lines_of_a_table_tell_the_files() {
        for language in languages::ALL.iter().filter(|language| !language.table.is_empty()) {
            let whole: ToldBy = toml::from_str(language.table).unwrap();
            assert_eq!(
                toml::from_str::<ToldBy>(told_by(language.table)).unwrap(),
                whole,
                "{}",
                language.name
            );
            assert_ne!(whole, ToldBy::default(), "{}", language.name);
        }
    }

    #[test]
    fn files_are_told_by_name_and_first_line() {
        assert_eq!(detect("a/b.py", "").name(), "python");
        assert_eq!(detect("a/b.PY", "").name(), "python");
        assert_eq!(detect("a/run", "#!/usr/bin/env -S python3 -u\n").name(), "python");
        assert_eq!(detect("a/notes.unknown", "hello").name(), "text");
        assert_eq!(detect("LICENSE", "hello").name(), "text");
    }
}
