//! Closed sets of kinds, each with its wire name and its numbers in one table.

/// Declares an enum stored as one byte, with a name for each variant.
macro_rules! byte_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $wire:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// Returns the name used on the wire.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $wire),+ }
            }

            /// Returns the kind with that wire name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($wire => Some($name::$variant),)+ _ => None }
            }

            /// Returns the kind stored as `byte`; an unknown byte reads as the first kind.
            pub fn from_byte(byte: u8) -> Self {
                *Self::ALL.get(byte as usize).unwrap_or(&Self::ALL[0])
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

byte_enum! {
    /// What a symbol is. `File` is the file's own node, always the first symbol of its facts.
    SymbolKind {
        File = "file",
        Module = "module",
        Namespace = "namespace",
        Class = "class",
        Struct = "struct",
        Enum = "enum",
        Union = "union",
        Interface = "interface",
        Trait = "trait",
        /// A block of members for a type defined elsewhere (Rust `impl`, Swift extension).
        Extension = "extension",
        TypeAlias = "type",
        Object = "object",
        Function = "function",
        Method = "method",
        Constructor = "constructor",
        Property = "property",
        Field = "field",
        Variant = "variant",
        Variable = "variable",
        Constant = "constant",
        Macro = "macro",
        Section = "section",
        Key = "key",
        Table = "table",
        Statement = "statement",
        Selector = "selector",
        Element = "element",
        Resource = "resource",
        Message = "message",
        Service = "service",
        Rpc = "rpc",
        Stage = "stage",
        Target = "target",
    }
}

impl SymbolKind {
    /// True for kinds that hold members: classes, structs, traits and their like.
    pub fn is_type(self) -> bool {
        use SymbolKind::*;
        matches!(
            self,
            Class
                | Struct
                | Enum
                | Union
                | Interface
                | Trait
                | TypeAlias
                | Object
                | Extension
                | Message
                | Service
        )
    }

    /// True for kinds that run: functions, methods, constructors, macros.
    pub fn is_callable(self) -> bool {
        use SymbolKind::*;
        matches!(self, Function | Method | Constructor | Macro | Rpc)
    }

    /// True for symbols of programming languages, as opposed to documents and data.
    pub fn is_code(self) -> bool {
        use SymbolKind::*;
        !matches!(
            self,
            File | Section
                | Key
                | Table
                | Statement
                | Selector
                | Element
                | Resource
                | Stage
                | Target
        )
    }
}

byte_enum! {
    /// Who may use a symbol.
    Visibility {
        Unknown = "unknown",
        Public = "public",
        Protected = "protected",
        Internal = "internal",
        Private = "private",
    }
}

byte_enum! {
    /// What a reference in the source does with the name it mentions.
    RefKind {
        /// Any other mention of an identifier.
        Name = "name",
        Call = "call",
        /// A constructor call: `new X`, `X { .. }`, or a call of something known to be a type.
        Construct = "construct",
        /// A type in a signature, annotation, cast or generic argument.
        Type = "type",
        /// Member read or written: `a.b` that is not called.
        Field = "field",
        /// Member written to.
        Write = "write",
        /// Decorator or annotation applied to the owner.
        Decorate = "decorate",
        /// Exception thrown, raised or caught-and-declared.
        Throw = "throw",
        /// Environment variable read; the name is the variable.
        Env = "env",
        /// Process started; the name is the program where the source shows it.
        Process = "process",
        /// HTTP route handled; the name is the pattern, the qualifier the method.
        Route = "route",
        /// Macro invoked.
        Macro = "macro",
    }
}

byte_enum! {
    /// What an edge of the graph means; weights are those of the walk.
    EdgeKind {
        Calls = "calls",
        References = "references",
        Imports = "imports",
        Exports = "exports",
        Extends = "extends",
        Implements = "implements",
        Overrides = "overrides",
        Contains = "contains",
        MemberOf = "member_of",
        Tests = "tests",
        TypeHintOf = "type_hint_of",
        AccessesField = "accesses_field",
        Decorates = "decorates",
        Throws = "throws",
        Documents = "documents",
        HandlesRoute = "handles_route",
        ReadsEnv = "reads_env",
        ExecutesProcess = "executes_process",
        CoTestedWith = "co_tested_with",
        OwnedBy = "owned_by",
        Dataflow = "dataflow",
        PartOf = "part_of",
        TouchesEntity = "touches_entity",
        Uses = "uses",
        DependsOn = "depends_on",
        TouchesCode = "touches_code",
        Produces = "produces",
        Consumes = "consumes",
    }
}

impl EdgeKind {
    /// Returns how much probability the walk sends along an edge of this kind.
    pub const fn walk_weight(self) -> f32 {
        use EdgeKind::*;
        match self {
            Calls => 1.0,
            Implements | Overrides | Contains => 0.8,
            Extends | HandlesRoute => 0.7,
            Tests | MemberOf | AccessesField => 0.6,
            Imports | DependsOn | CoTestedWith | TypeHintOf | ExecutesProcess | Exports => 0.5,
            References | Throws | ReadsEnv => 0.4,
            Decorates | Dataflow | PartOf | TouchesEntity | Uses | TouchesCode | Produces
            | Consumes => 0.3,
            Documents => 0.2,
            OwnedBy => 0.0,
        }
    }

    /// True for edges that restate the nesting of the source.
    pub const fn is_structural(self) -> bool {
        matches!(self, EdgeKind::Contains | EdgeKind::MemberOf)
    }
}

byte_enum! {
    /// What stands outside of the repository's code and is named by it.
    OutsideKind {
        Env = "env",
        Process = "process",
        Route = "route",
        Owner = "owner",
    }
}

byte_enum! {
    /// How an edge came to be known.
    Provenance {
        AstInferred = "ast_inferred",
        AstResolved = "ast_resolved",
        LspResolved = "lsp_resolved",
        OtelTrace = "otel_trace",
        ScipResolved = "scip_resolved",
        RuntimeObserved = "runtime_observed",
        Structural = "structural",
        Declared = "declared",
    }
}

byte_enum! {
    /// What kind of text a chunk holds.
    ChunkKind {
        Paragraph = "PARAGRAPH",
        CodeFunction = "CODE_FUNCTION",
        CodeClass = "CODE_CLASS",
        CodeBlock = "CODE_BLOCK",
        YamlBlock = "YAML_BLOCK",
        SqlStatement = "SQL_STATEMENT",
        MarkdownSection = "MARKDOWN_SECTION",
        Docstring = "DOCSTRING",
        Comment = "COMMENT",
    }
}
