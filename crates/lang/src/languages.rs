//! One folder a language, one line each in [`ALL`].

mod bash;
mod c;
mod codeowners;
mod csharp;
mod data;
mod ecmascript;
mod elixir;
mod go;
mod haskell;
mod java;
mod kotlin;
mod lua;
mod php;
mod prose;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
mod zig;

use crate::registry::{Language, LanguageId};
use crate::tree::Node;
use crate::walk::{Flow, Walk};
use contextd_model::Visibility;
use contextd_model::facts::SymbolRow;
use std::borrow::Cow;

/// What a table cannot say about a language. Every method has a default that says nothing.
pub trait Hooks: Sync {
    /// Returns what the parser reads instead of `text`, of the same length or with one more end of a
    /// line, where the grammar cannot read the language as it stands (the C preprocessor).
    fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(text)
    }

    /// Extracts facts without a syntax tree, for documents whose structure is lines.
    fn extract(&self, _text: &str) -> Option<contextd_model::FileFacts> {
        None
    }

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

    /// Called when the table has added a symbol; it is open. Adds what the table cannot see.
    fn declared<'t>(&self, _node: Node<'t>, _symbol: u32, _walk: &mut Walk<'t>) {}

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
    Language {
        name: "go",
        full: true,
        grammar: Some(|| tree_sitter_go::LANGUAGE.into()),
        table: include_str!("languages/go/language.toml"),
        hooks: &go::Go,
    },
    Language {
        name: "python",
        full: true,
        grammar: Some(|| tree_sitter_python::LANGUAGE.into()),
        table: include_str!("languages/python/language.toml"),
        hooks: &python::Python,
    },
    Language {
        name: "rust",
        full: true,
        grammar: Some(|| tree_sitter_rust::LANGUAGE.into()),
        table: include_str!("languages/rust/language.toml"),
        hooks: &rust::Rust,
    },
    Language {
        name: "java",
        full: true,
        grammar: Some(|| tree_sitter_java::LANGUAGE.into()),
        table: include_str!("languages/java/language.toml"),
        hooks: &java::Java,
    },
    Language {
        name: "kotlin",
        full: true,
        grammar: Some(|| tree_sitter_kotlin_ng::LANGUAGE.into()),
        table: include_str!("languages/kotlin/language.toml"),
        hooks: &kotlin::Kotlin,
    },
    Language {
        name: "typescript",
        full: true,
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        table: include_str!("languages/typescript/language.toml"),
        hooks: &ecmascript::EcmaScript { typed: true },
    },
    Language {
        name: "tsx",
        full: true,
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TSX.into()),
        table: include_str!("languages/tsx/language.toml"),
        hooks: &ecmascript::EcmaScript { typed: true },
    },
    Language {
        name: "javascript",
        full: true,
        grammar: Some(|| tree_sitter_javascript::LANGUAGE.into()),
        table: include_str!("languages/javascript/language.toml"),
        hooks: &ecmascript::EcmaScript { typed: false },
    },
    Language {
        name: "c",
        full: true,
        grammar: Some(|| tree_sitter_c::LANGUAGE.into()),
        table: include_str!("languages/c/language.toml"),
        hooks: &c::CFamily,
    },
    Language {
        name: "cpp",
        full: true,
        grammar: Some(|| tree_sitter_cpp::LANGUAGE.into()),
        table: include_str!("languages/cpp/language.toml"),
        hooks: &c::CFamily,
    },
    Language {
        name: "csharp",
        full: true,
        grammar: Some(|| tree_sitter_c_sharp::LANGUAGE.into()),
        table: include_str!("languages/csharp/language.toml"),
        hooks: &csharp::CSharp,
    },
    Language {
        name: "ruby",
        full: true,
        grammar: Some(|| tree_sitter_ruby::LANGUAGE.into()),
        table: include_str!("languages/ruby/language.toml"),
        hooks: &ruby::Ruby,
    },
    Language {
        name: "php",
        full: true,
        grammar: Some(|| tree_sitter_php::LANGUAGE_PHP.into()),
        table: include_str!("languages/php/language.toml"),
        hooks: &php::Php,
    },
    Language {
        name: "swift",
        full: true,
        grammar: Some(|| tree_sitter_swift::LANGUAGE.into()),
        table: include_str!("languages/swift/language.toml"),
        hooks: &swift::Swift,
    },
    Language {
        name: "scala",
        full: true,
        grammar: Some(|| tree_sitter_scala::LANGUAGE.into()),
        table: include_str!("languages/scala/language.toml"),
        hooks: &scala::Scala,
    },
    Language {
        name: "bash",
        full: false,
        grammar: Some(|| tree_sitter_bash::LANGUAGE.into()),
        table: include_str!("languages/bash/language.toml"),
        hooks: &bash::Bash,
    },
    Language {
        name: "lua",
        full: false,
        grammar: Some(|| tree_sitter_lua::LANGUAGE.into()),
        table: include_str!("languages/lua/language.toml"),
        hooks: &lua::Lua,
    },
    Language {
        name: "elixir",
        full: false,
        grammar: Some(|| tree_sitter_elixir::LANGUAGE.into()),
        table: include_str!("languages/elixir/language.toml"),
        hooks: &elixir::Elixir,
    },
    Language {
        name: "haskell",
        full: false,
        grammar: Some(|| tree_sitter_haskell::LANGUAGE.into()),
        table: include_str!("languages/haskell/language.toml"),
        hooks: &haskell::Haskell,
    },
    Language {
        name: "zig",
        full: false,
        grammar: Some(|| tree_sitter_zig::LANGUAGE.into()),
        table: include_str!("languages/zig/language.toml"),
        hooks: &zig::Zig,
    },
    Language {
        name: "sql",
        full: false,
        grammar: Some(|| tree_sitter_sequel::LANGUAGE.into()),
        table: include_str!("languages/sql/language.toml"),
        hooks: &data::Data,
    },
    Language {
        name: "yaml",
        full: false,
        grammar: Some(|| tree_sitter_yaml::LANGUAGE.into()),
        table: include_str!("languages/yaml/language.toml"),
        hooks: &data::Data,
    },
    Language {
        name: "toml",
        full: false,
        grammar: Some(|| tree_sitter_toml_ng::LANGUAGE.into()),
        table: include_str!("languages/toml/language.toml"),
        hooks: &data::Data,
    },
    Language {
        name: "json",
        full: false,
        grammar: Some(|| tree_sitter_json::LANGUAGE.into()),
        table: include_str!("languages/json/language.toml"),
        hooks: &data::Data,
    },
    Language {
        name: "markdown",
        full: false,
        grammar: Some(|| tree_sitter_md::LANGUAGE.into()),
        table: include_str!("languages/markdown/language.toml"),
        hooks: &prose::Prose::Markdown,
    },
    Language {
        name: "rst",
        full: false,
        grammar: None,
        table: include_str!("languages/rst/language.toml"),
        hooks: &prose::Prose::Rst,
    },
    Language {
        name: "asciidoc",
        full: false,
        grammar: None,
        table: include_str!("languages/asciidoc/language.toml"),
        hooks: &prose::Prose::Asciidoc,
    },
    Language {
        name: "html",
        full: false,
        grammar: Some(|| tree_sitter_html::LANGUAGE.into()),
        table: include_str!("languages/html/language.toml"),
        hooks: &data::Data,
    },
    Language {
        name: "css",
        full: false,
        grammar: Some(|| tree_sitter_css::LANGUAGE.into()),
        table: include_str!("languages/css/language.toml"),
        hooks: &data::Data,
    },
    Language {
        name: "hcl",
        full: false,
        grammar: Some(|| tree_sitter_hcl::LANGUAGE.into()),
        table: include_str!("languages/hcl/language.toml"),
        hooks: &data::Data,
    },
    Language {
        name: "protobuf",
        full: false,
        grammar: Some(|| tree_sitter_proto::LANGUAGE.into()),
        table: include_str!("languages/protobuf/language.toml"),
        hooks: &Plain,
    },
    Language {
        name: "dockerfile",
        full: false,
        grammar: Some(|| tree_sitter_containerfile::LANGUAGE.into()),
        table: include_str!("languages/dockerfile/language.toml"),
        hooks: &data::Data,
    },
    Language {
        name: "codeowners",
        full: false,
        grammar: None,
        table: include_str!("languages/codeowners/language.toml"),
        hooks: &codeowners::CodeOwners,
    },
];

/// Tells languages apart that share an extension, by what the text says.
pub fn refine(id: LanguageId, text: &str) -> LanguageId {
    match id.name() {
        "c" if c::is_cpp(text) => LanguageId::by_name("cpp").unwrap_or(id),
        _ => id,
    }
}
