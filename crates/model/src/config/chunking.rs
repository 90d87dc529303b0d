//! Chunk rules by language.

use super::ChunkRules;
use std::collections::BTreeMap;

/// Rules for every language, with those of the seed filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunking {
    /// Rules of languages that have none of their own.
    pub default: ChunkRules,
    /// Rules by language name, in lower case.
    pub languages: BTreeMap<String, ChunkRules>,
}

impl Default for Chunking {
    fn default() -> Self {
        let rules = |max_tokens, overlap_percent| ChunkRules {
            max_tokens,
            overlap_percent,
            ..ChunkRules::default()
        };
        let languages = [
            ("markdown", rules(400, 0)),
            ("python", rules(600, 15)),
            ("kotlin", rules(600, 0)),
            ("typescript", rules(600, 0)),
        ];
        let languages =
            languages.into_iter().map(|(name, rules)| (name.to_owned(), rules)).collect();
        Self { default: ChunkRules::default(), languages }
    }
}

impl Chunking {
    /// Returns the rules of a language; the dialects of TypeScript share its rules unless they have their own.
    pub fn of(&self, language: &str) -> &ChunkRules {
        let related = match language {
            "javascript" | "tsx" | "jsx" => "typescript",
            other => other,
        };
        self.languages
            .get(language)
            .or_else(|| self.languages.get(related))
            .unwrap_or(&self.default)
    }
}

impl ChunkRules {
    /// True when doc comments stay with the code they describe.
    pub fn preserve_docs(&self) -> bool {
        self.preserve_docstrings && self.preserve_kdoc && self.preserve_jsdoc
    }
}
