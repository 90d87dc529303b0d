//! Closed sets of words that requests are written with.

/// Declares a closed set of words of a request, with its default.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $wire:literal),+ $(,)? } default $default:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $wire)] $variant),+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// Returns the word used on the wire.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $wire),+ }
            }

            /// Returns the variant with that word.
            pub fn by_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.name() == name)
            }
        }

        impl Default for $name {
            fn default() -> Self { $name::$default }
        }
    };
}

words! {
    /// Which texts seeds are taken from.
    SeedMode { Code = "code", Prose = "prose", Mixed = "mixed" } default Mixed
}
words! {
    /// Which evidence ranks the seeds: words alone, or words, graph and history.
    SeedProvider { Sparse = "sparse", Fts = "fts", Ann = "ann", Hybrid = "hybrid" } default Hybrid
}
words! {
    /// What the context is for.
    Intent { Answer = "answer", Summarize = "summarize", Refactor = "refactor", Debug = "debug", Impact = "impact", Contract = "contract" } default Answer
}
words! {
    /// Edges as seed 001 groups them.
    EdgeType { Call = "call", Usage = "usage", Import = "import", Export = "export", Dataflow = "dataflow" } default Call
}
words! {
    /// Where an edge is followed: out leads to callees, in to callers.
    Direction { Out = "out", In = "in", Both = "both" } default Both
}
words! {
    /// What supports an edge.
    EvidenceKind { Callsite = "callsite", Identifier = "identifier", ImportStmt = "importStmt", Span = "span", Tooling = "tooling" } default Span
}
words! {
    /// First key of the order of items.
    Primary { SeedScore = "seedScore", GraphDistance = "graphDistance", GraphEvidence = "graphEvidence", HybridScore = "hybridScore" } default HybridScore
}
words! {
    /// A key that tells equal items apart.
    TieBreaker { SymbolId = "symbolId", ChunkUid = "chunkUid", FileRelPath = "fileRelPath", StartLine = "startLine" } default FileRelPath
}
words! {
    /// What is done about what does not fit.
    Strictness { Strict = "strict", Warn = "warn", Loose = "loose" } default Warn
}
words! {
    /// How a pack is put together.
    Layout { Sections = "sections", Map = "map" } default Sections
}
words! {
    /// Which ranking finds the seeds; `auto` goes by the shape of the query.
    Ranking { Auto = "auto", Task = "task", Search = "search" } default Auto
}
