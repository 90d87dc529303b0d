//! Counting tokens.

use crate::pieces;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    #[default]
    #[serde(alias = "o200k_base")]
    O200k,
    #[serde(alias = "cl100k_base")]
    Cl100k,
    /// A quarter of the characters: quick, and off by 15 % on average.
    Estimate,
}

impl Tokenizer {
    pub const ALL: &'static [Tokenizer] =
        &[Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate];

    /// Returns the name used in requests and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Tokenizer::O200k => "o200k",
            Tokenizer::Cl100k => "cl100k",
            Tokenizer::Estimate => "estimate",
        }
    }

    /// Returns the tokenizer of that name.
    pub fn by_name(name: &str) -> Option<Tokenizer> {
        Self::ALL
            .iter()
            .copied()
            .find(|tokenizer| tokenizer.name() == name.trim_end_matches("_base"))
    }

    /// Returns the number of tokens of a text.
    pub fn count(self, text: &str) -> usize {
        match self {
            Tokenizer::O200k => pieces::count(0, text, |text| contextd_tokens::O200K.count(text)),
            Tokenizer::Cl100k => pieces::count(1, text, |text| contextd_tokens::CL100K.count(text)),
            Tokenizer::Estimate => text.chars().count().div_ceil(4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_published_vocabularies() {
        assert_eq!(Tokenizer::O200k.count("hello world"), 2);
        assert_eq!(Tokenizer::Cl100k.count("hello world"), 2);
        assert_eq!(Tokenizer::Estimate.count("hello world"), 3);
        assert_eq!(Tokenizer::by_name("cl100k_base"), Some(Tokenizer::Cl100k));
    }
}
