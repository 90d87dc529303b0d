//! Named signals of a candidate, as they are computed; an explanation is these numbers, not a guess.

/// Names of the signals, in the order of [`Signals`].
pub const NAMES: [&str; COUNT] = [
    "bm",
    "ppr",
    "git_file",
    "nlen",
    "type_body",
    "ncov",
    "prose",
    "lines",
    "filesum",
    "filebody",
    "is_type",
    "is_function",
    "exact",
    "public",
    "in_degree",
    "local",
    "owner_bm",
    "child_bm",
    "qcov",
    "is_method",
    "is_data",
    "blocks",
    "stem",
    "near_out",
    "near_in",
    "fused",
    "blast",
    "confidence",
    "recency",
    "distance",
    "authority",
    "authority_other",
    "hub",
];

/// Returns what a term of a score stands for, in a few words; empty for one that is not known.
pub fn about(name: &str) -> &'static str {
    match name {
        "bm" => "the task's words in its name, scope, path, doc comment and signature",
        "ppr" => "how much a walk from the best matches along calls and uses comes by",
        "git_file" => "commits whose messages sound like the task touched its file",
        "nlen" => "words in its name",
        "type_body" => "the task's words in the type it belongs to",
        "ncov" => "share of its name's words that the task has",
        "prose" => "documents about the task name it",
        "lines" => "its length",
        "filesum" => "how well the other symbols of its file match",
        "filebody" => "the task's words in its file",
        "is_type" => "it is a type",
        "is_function" => "it is a function",
        "exact" => "the task names it letter by letter",
        "public" => "it can be used from outside",
        "in_degree" => "how many use it",
        "local" => "it lies inside a function",
        "owner_bm" => "how well what holds it matches",
        "child_bm" => "how well its members match",
        "qcov" => "share of the task's words that its name has",
        "is_method" => "it is a method",
        "is_data" => "it is a field, a constant or a variable",
        "blocks" => "the best 40 lines of its file match",
        "stem" => "the task's words in its file's name",
        "near_out" => "what it uses scores well",
        "near_in" => "what uses it scores well",
        "fused" => "its places in the lists that are fused",
        "blast" => "how many call it",
        "confidence" => "how sure its edges are",
        "recency" => "how lately its file changed",
        "distance" => "how near it is to the matches",
        "authority" => "matches lean on it, and it is one",
        "authority_other" => "matches lean on it, and it is none",
        "hub" => "it leans on many matches",
        "declared" => "the task means a declared part that it belongs to",
        "learned_feedback" => "it was useful for requests like this one",
        "learned_kind" => "symbols of its kind were useful",
        "learned_vocabulary" => "words of the task led to it before",
        "session" => "it came up in this session",
        _ => "",
    }
}

/// Number of signals.
pub const COUNT: usize = 33;

/// Values of one candidate.
pub type Signals = [f32; COUNT];

/// Positions by name, for the code that computes them.
pub mod at {
    pub const BM: usize = 0;
    pub const PPR: usize = 1;
    pub const GIT_FILE: usize = 2;
    pub const NLEN: usize = 3;
    pub const TYPE_BODY: usize = 4;
    pub const NCOV: usize = 5;
    pub const PROSE: usize = 6;
    pub const LINES: usize = 7;
    pub const FILESUM: usize = 8;
    pub const FILEBODY: usize = 9;
    pub const IS_TYPE: usize = 10;
    pub const IS_FUNCTION: usize = 11;
    pub const EXACT: usize = 12;
    pub const PUBLIC: usize = 13;
    pub const IN_DEGREE: usize = 14;
    pub const LOCAL: usize = 15;
    pub const OWNER_BM: usize = 16;
    pub const CHILD_BM: usize = 17;
    pub const QCOV: usize = 18;
    pub const IS_METHOD: usize = 19;
    pub const IS_DATA: usize = 20;
    pub const BLOCKS: usize = 21;
    pub const STEM: usize = 22;
    /// Set after a first scoring, see [`crate::near`].
    pub const NEAR_OUT: usize = 23;
    pub const NEAR_IN: usize = 24;
    /// Set where weights ask for a fusion of lists, see [`crate::fusion`].
    pub const FUSED: usize = 25;
    /// Set where weights ask for structure, see [`crate::structure`].
    pub const BLAST: usize = 26;
    pub const CONFIDENCE: usize = 27;
    pub const RECENCY: usize = 28;
    pub const DISTANCE: usize = 29;
    pub const AUTHORITY: usize = 30;
    pub const AUTHORITY_OTHER: usize = 31;
    pub const HUB: usize = 32;
    /// Signals of [`crate::structure`].
    pub const STRUCTURE: [usize; 7] =
        [BLAST, CONFIDENCE, RECENCY, DISTANCE, AUTHORITY, AUTHORITY_OTHER, HUB];
    /// Signals that are divided by their greatest value among the candidates.
    pub const SCALED: [usize; 10] =
        [BM, PPR, GIT_FILE, TYPE_BODY, PROSE, FILESUM, FILEBODY, OWNER_BM, CHILD_BM, BLOCKS];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_is_told_in_words() {
        let others = crate::learned::LEARNED_NAMES.iter().chain([&crate::declared::DECLARED]);
        NAMES.iter().chain(others).for_each(|name| assert!(!about(name).is_empty(), "{name}"));
    }
}
