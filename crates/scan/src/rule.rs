//! The rules that decide about a file, and their verdicts.

use std::fmt;

/// Declares the rules in the order in which they are asked.
macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal),+ $(,)?) => {
        /// One reason why a file is not indexed, in the order of the filter pipeline.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $($(#[doc = $doc])+ $variant),+ }

        impl Rule {
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),+];

            /// Returns the stable name, as printed by `check-file`.
            pub const fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name),+ }
            }

            /// Returns what the rule is about, as one sentence.
            pub const fn about(self) -> &'static str {
                match self { $(Rule::$variant => concat!($($doc),+).trim_ascii()),+ }
            }
        }
    };
}

rules! {
    /// The name is not valid UTF-8.
    InvalidName = "invalid_name",
    /// The path climbs with `..` or names nothing.
    Traversal = "traversal",
    /// The path does not lie under the root.
    OutsideRoot = "outside_root",
    /// There is no such file.
    NotFound = "not_found",
    /// The path lies outside the configured watch paths.
    WatchPaths = "watch_paths",
    /// The path belongs to none of the configured projects.
    Projects = "projects",
    /// The path is git's own folder.
    GitFolder = "git_folder",
    /// The path is the folder of the index itself.
    IndexFolder = "index_folder",
    /// A pattern of the configuration excludes it.
    IgnorePatterns = "ignore_patterns",
    /// A `.contextignore` file excludes it.
    ContextIgnore = "contextignore",
    /// The `.dockerignore` file excludes it.
    DockerIgnore = "dockerignore",
    /// Outside git, hidden folders are left out.
    Hidden = "hidden",
    /// Git ignores it, and does not track it.
    GitIgnore = "gitignore",
    /// It lies in another repository or a submodule.
    NestedRepository = "nested_repository",
    /// The name marks it as private.
    PrivateName = "private_name",
    /// The extension is not among the allowed ones.
    ExtensionNotAllowed = "extension_not_allowed",
    /// The extension is blocked.
    ExtensionBlocked = "extension_blocked",
    /// The file is a symbolic link, and links are not followed.
    Symlink = "symlink",
    /// The link leads out of the root, in a circle, or through too many links.
    SymlinkEscape = "symlink_escape",
    /// It is a folder, a pipe, a socket or a device.
    NotRegular = "not_regular",
    /// The file is larger than the limit.
    TooLarge = "too_large",
    /// The content is not text.
    Binary = "binary",
    /// The system refuses to read it.
    Unreadable = "unreadable",
    /// The file kept changing while it was read.
    Changing = "changing",
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A rule that said no, and the particulars.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    pub rule: Rule,
    /// What exactly made the rule apply, such as the pattern and its line.
    pub detail: String,
}

impl Reason {
    pub(crate) fn new(rule: Rule, detail: impl Into<String>) -> Self {
        Self { rule, detail: detail.into() }
    }
}

/// Whether a file is indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Included,
    Excluded { rule: Rule, detail: String },
}

impl From<Reason> for Verdict {
    fn from(reason: Reason) -> Self {
        Verdict::Excluded { rule: reason.rule, detail: reason.detail }
    }
}

/// The verdict on one path with its explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Path relative to the root where it has one, else as given.
    pub rel: String,
    pub verdict: Verdict,
    /// What decided, as one sentence.
    pub explanation: String,
}

impl Check {
    /// True when the file is indexed.
    pub fn included(&self) -> bool {
        self.verdict == Verdict::Included
    }
}

/// A path that a scan left out. A folder stands for everything below it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rejected {
    /// Path relative to the root; bytes that are not UTF-8 are replaced.
    pub rel: String,
    pub rule: Rule,
    pub detail: String,
}
