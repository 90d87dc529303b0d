//! One folder a language, one line each in [`ALL`].

mod go;
mod python;

use crate::registry::{Language, LanguageId};
use crate::walk::{Flow, Walk};
use contextd_model::Visibility;
use contextd_model::facts::SymbolRow;
use tree_sitter::Node;

/// What a table cannot say about a language. Every method has a default that says nothing.
pub trait Hooks: Sync {
    /// Called for the node kinds that the table lists under `hooks`, before the table applies.
    fn visit<'t>(&self, _node: Node<'t>, _walk: &mut Walk<'t>) -> Flow {
        Flow::Table
    }

    /// Finds the name of a declaration where no field holds it.
    fn name<'t>(&self, _node: Node<'t>, _walk: &Walk<'t>) -> Option<Node<'t>> {
        None
    }

    /// Names the type that a declaration outside of it belongs to (Go receivers).
    fn scope<'t>(&self, _node: Node<'t>, _walk: &Walk<'t>) -> Option<String> {
        None
    }

    /// Finds the docstring in a body.
    fn docstring<'t>(&self, _body: Node<'t>) -> Option<Node<'t>> {
        None
    }

    /// Visibility of a declaration that does not write it.
    fn visibility(&self, _row: &SymbolRow, _walk: &Walk<'_>) -> Option<Visibility> {
        None
    }

    /// True when `text` may stand between a doc comment and its declaration (attributes).
    fn may_stand_between(&self, _text: &str) -> bool {
        false
    }

    /// True when names are any text: headings, keys, selectors.
    fn accepts_any_name(&self) -> bool {
        false
    }
}

/// No hooks: the table says it all.
pub struct Plain;

impl Hooks for Plain {}

/// Every language; the position is its number.
pub static ALL: &[Language] = &[
    Language { name: "text", full: false, grammar: None, table: "", hooks: &Plain },
    Language { name: "go", full: true, grammar: Some(|| tree_sitter_go::LANGUAGE.into()), table: include_str!("languages/go/language.toml"), hooks: &go::Go },
    Language { name: "python", full: true, grammar: Some(|| tree_sitter_python::LANGUAGE.into()), table: include_str!("languages/python/language.toml"), hooks: &python::Python },
];

/// Tells languages apart that share an extension, by what the text says.
pub fn refine(id: LanguageId, _text: &str) -> LanguageId {
    id
}
