//! Named signals of a candidate, as they are computed; an explanation is these numbers, not a guess.

/// Declares the signals: position, name, what each stands for in a few words.
macro_rules! signals {
    ($($position:ident = $name:literal: $about:literal;)+) => {
        /// Names of the signals, in the order of [`Signals`].
        pub const NAMES: [&str; COUNT] = [$($name),+];

        /// Number of signals.
        pub const COUNT: usize = [$($name),+].len();

        /// What each signal stands for.
        const ABOUT: [&str; COUNT] = [$($about),+];

        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named like signals")]
        enum Position { $($position),+ }

        /// Positions by name, for the code that computes them.
        pub mod at {
            use super::Position;
            $(pub const $position: usize = Position::$position as usize;)+
            /// Signals of [`crate::structure`].
            pub const STRUCTURE: [usize; 7] =
                [BLAST, CONFIDENCE, RECENCY, DISTANCE, AUTHORITY, AUTHORITY_OTHER, HUB];
            /// Signals that are divided by their greatest value among the candidates.
            pub const SCALED: [usize; 10] =
                [BM, PPR, GIT_FILE, TYPE_BODY, PROSE, FILESUM, FILEBODY, OWNER_BM, CHILD_BM, BLOCKS];
            /// Signals with the place of their share of the greatest value among the candidates.
            pub const RELATIVE: [(usize, usize); 22] = [(TITLE_WINDOW, TITLE_WINDOW_REL), (BODY_WINDOW, BODY_WINDOW_REL), (NAMES_WINDOW, NAMES_WINDOW_REL), (WRITTEN_WINDOW, WRITTEN_WINDOW_REL), (GUESSED_WINDOW, GUESSED_WINDOW_REL), (WINDOW, WINDOW_REL), (TITLE_FILE, TITLE_FILE_REL), (BODY_FILE, BODY_FILE_REL), (NAMES_FILE, NAMES_FILE_REL), (WRITTEN_FILE, WRITTEN_FILE_REL), (GUESSED_FILE, GUESSED_FILE_REL), (TITLE_BLOCK, TITLE_BLOCK_REL), (BODY_BLOCK, BODY_BLOCK_REL), (NAMES_BLOCK, NAMES_BLOCK_REL), (GUESSED_BLOCK, GUESSED_BLOCK_REL), (FILE_SCORE, FILE_SCORE_REL), (TITLE_NAME, TITLE_NAME_REL), (NAMES_NAME, NAMES_NAME_REL), (TITLE_PATH, TITLE_PATH_REL), (NAMES_PATH, NAMES_PATH_REL), (TITLE_DEFINED, TITLE_DEFINED_REL), (NAMES_DEFINED, NAMES_DEFINED_REL)];
        }
    };
}

signals! {
    BM = "bm": "the task's words in its name, scope, path, doc comment and signature";
    PPR = "ppr": "how much a walk from the best matches along calls and uses comes by";
    GIT_FILE = "git_file": "commits whose messages sound like the task touched its file";
    NLEN = "nlen": "words in its name";
    TYPE_BODY = "type_body": "the task's words in the type it belongs to";
    NCOV = "ncov": "share of its name's words that the task has";
    PROSE = "prose": "documents about the task name it";
    LINES = "lines": "its length";
    FILESUM = "filesum": "how well the other symbols of its file match";
    FILEBODY = "filebody": "the task's words in its file";
    IS_TYPE = "is_type": "it is a type";
    IS_FUNCTION = "is_function": "it is a function";
    EXACT = "exact": "the task names it letter by letter";
    PUBLIC = "public": "it can be used from outside";
    IN_DEGREE = "in_degree": "how many use it";
    LOCAL = "local": "it lies inside a function";
    OWNER_BM = "owner_bm": "how well what holds it matches";
    CHILD_BM = "child_bm": "how well its members match";
    QCOV = "qcov": "share of the task's words that its name has";
    IS_METHOD = "is_method": "it is a method";
    IS_DATA = "is_data": "it is a field, a constant or a variable";
    BLOCKS = "blocks": "the best 40 lines of its file match";
    STEM = "stem": "the task's words in its file's name";
    NEAR_OUT = "near_out": "what it uses scores well";
    NEAR_IN = "near_in": "what uses it scores well";
    FUSED = "fused": "its places in the lists that are fused";
    BLAST = "blast": "how many call it";
    CONFIDENCE = "confidence": "how sure its edges are";
    RECENCY = "recency": "how lately its file changed";
    DISTANCE = "distance": "how near it is to the matches";
    AUTHORITY = "authority": "matches lean on it, and it is one";
    AUTHORITY_OTHER = "authority_other": "matches lean on it, and it is none";
    HUB = "hub": "it leans on many matches";
    BASE = "base": "the weighted sum of the signals above";
    TITLE_WINDOW = "title_window": "the title's words in its best 40 lines";
    BODY_WINDOW = "body_window": "the description's words in its best 40 lines";
    NAMES_WINDOW = "names_window": "the guessed names' words in its best 40 lines";
    WRITTEN_WINDOW = "written_window": "identifiers of the request, as written, in its best 40 lines";
    GUESSED_WINDOW = "guessed_window": "guessed identifiers, as written, in its best 40 lines";
    WINDOW = "window": "the words of request and guesses together in its best 40 lines";
    WINDOW_SHARE = "window_share": "share of the words, by rarity, that its best 40 lines have";
    WINDOW_RANK = "window_rank": "how many places of its file match better";
    TITLE_NAME = "title_name": "the title's words in its name";
    BODY_NAME = "body_name": "the description's words in its name";
    NAMES_NAME = "names_name": "the guessed names' words in its name";
    GUESS_EXACT = "guess_exact": "a guess is its name";
    GUESS_COUNT = "guess_count": "how many symbols have the guessed name";
    GUESS_SCOPE = "guess_scope": "a guess is the name of what holds it";
    GUESS_LIKE = "guess_like": "its name is like a guess";
    GUESS_STEM = "guess_stem": "its file's name is like a guess";
    TITLE_FILE = "title_file": "the title's words in its file";
    BODY_FILE = "body_file": "the description's words in its file";
    NAMES_FILE = "names_file": "the guessed names' words in its file";
    WRITTEN_FILE = "written_file": "identifiers of the request, as written, in its file";
    GUESSED_FILE = "guessed_file": "guessed identifiers, as written, in its file";
    TITLE_BLOCK = "title_block": "the title's words in the best 40 lines of its file";
    BODY_BLOCK = "body_block": "the description's words in the best 40 lines of its file";
    NAMES_BLOCK = "names_block": "the guessed names' words in the best 40 lines of its file";
    GUESSED_BLOCK = "guessed_block": "guessed identifiers in the best 40 lines of its file";
    TITLE_PATH = "title_path": "the title's words in its path";
    NAMES_PATH = "names_path": "the guessed names' words in its path";
    TITLE_DEFINED = "title_defined": "the title's words in names that its file defines";
    NAMES_DEFINED = "names_defined": "the guessed names' words in names that its file defines";
    TITLE_COVER = "title_cover": "share of the title's words that its file has";
    BODY_COVER = "body_cover": "share of the description's words that its file has";
    NAMES_COVER = "names_cover": "share of the guessed names' words that its file has";
    WRITTEN_COVER = "written_cover": "share of the request's identifiers that its file has as written";
    GUESSED_COVER = "guessed_cover": "share of the guessed identifiers that its file has as written";
    EXACT_FILE = "exact_file": "guessed names that its file defines";
    ACTIVITY = "activity": "how much its file was worked on";
    GOOD_OUT = "good_out": "what it uses matches words and guesses";
    GOOD_IN = "good_in": "what uses it matches words and guesses";
    FILE_SCORE = "file_score": "the best blocks of its file together";
    FILE_RANK = "file_rank": "how many files match better";
    FILE_GAP = "file_gap": "how far its file is behind the best one";
    PATH_WRITTEN = "path_written": "the request or a guess names its file's path";
    WINDOW_PART = "window_part": "how many windows of the same function match better";
    IS_PIECE = "is_piece": "it is code outside of functions";
    IS_TEST = "is_test": "it is test code";
    IS_ASIDE = "is_aside": "it is documentation, an example or a mock";
    IS_FOREIGN = "is_foreign": "it is generated, vendored or built";
    IS_CODE = "is_code": "it is a definition of a programming language";
    DECLARED_ONLY = "declared_only": "it is declared here and defined elsewhere";
    DEPTH = "depth": "how deep it is nested";
    FILE_LINES = "file_lines": "the length of its file";
    QUERY_WORDS = "query_words": "how many words the request has";
    QUERY_NAMES = "query_names": "how many guesses came with the request";
    HAS_BODY = "has_body": "the request has a title and a text";
    TITLE_WINDOW_REL = "title_window_rel": "the same as title_window, as a share of the best candidate's";
    BODY_WINDOW_REL = "body_window_rel": "the same as body_window, as a share of the best candidate's";
    NAMES_WINDOW_REL = "names_window_rel": "the same as names_window, as a share of the best candidate's";
    WRITTEN_WINDOW_REL = "written_window_rel": "the same as written_window, as a share of the best candidate's";
    GUESSED_WINDOW_REL = "guessed_window_rel": "the same as guessed_window, as a share of the best candidate's";
    WINDOW_REL = "window_rel": "the same as window, as a share of the best candidate's";
    TITLE_FILE_REL = "title_file_rel": "the same as title_file, as a share of the best candidate's";
    BODY_FILE_REL = "body_file_rel": "the same as body_file, as a share of the best candidate's";
    NAMES_FILE_REL = "names_file_rel": "the same as names_file, as a share of the best candidate's";
    WRITTEN_FILE_REL = "written_file_rel": "the same as written_file, as a share of the best candidate's";
    GUESSED_FILE_REL = "guessed_file_rel": "the same as guessed_file, as a share of the best candidate's";
    TITLE_BLOCK_REL = "title_block_rel": "the same as title_block, as a share of the best candidate's";
    BODY_BLOCK_REL = "body_block_rel": "the same as body_block, as a share of the best candidate's";
    NAMES_BLOCK_REL = "names_block_rel": "the same as names_block, as a share of the best candidate's";
    GUESSED_BLOCK_REL = "guessed_block_rel": "the same as guessed_block, as a share of the best candidate's";
    FILE_SCORE_REL = "file_score_rel": "the same as file_score, as a share of the best candidate's";
    TITLE_NAME_REL = "title_name_rel": "the same as title_name, as a share of the best candidate's";
    NAMES_NAME_REL = "names_name_rel": "the same as names_name, as a share of the best candidate's";
    TITLE_PATH_REL = "title_path_rel": "the same as title_path, as a share of the best candidate's";
    NAMES_PATH_REL = "names_path_rel": "the same as names_path, as a share of the best candidate's";
    TITLE_DEFINED_REL = "title_defined_rel": "the same as title_defined, as a share of the best candidate's";
    NAMES_DEFINED_REL = "names_defined_rel": "the same as names_defined, as a share of the best candidate's";
}

/// Values of one candidate.
pub type Signals = [f32; COUNT];

/// What a term that is no signal stands for.
const OTHERS: [(&str, &str); 5] = [
    ("declared", "the task means a declared part that it belongs to"),
    ("learned_feedback", "it was useful for requests like this one"),
    ("learned_kind", "symbols of its kind were useful"),
    ("learned_vocabulary", "words of the task led to it before"),
    ("session", "it came up in this session"),
];

/// Returns what a term of a score stands for, in a few words; empty for one that is not known.
pub fn about(name: &str) -> &'static str {
    let signal = NAMES.iter().position(|other| *other == name).map(|at| ABOUT[at]);
    let other = || OTHERS.iter().find(|(other, _)| *other == name).map(|(_, about)| *about);
    signal.or_else(other).unwrap_or("")
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
