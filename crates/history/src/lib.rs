//! Git as a source of context: commits with the files they touched, churn, co-change, blame,
//! changed lines and owners.
//!
//! Absent or damaged history is data: every reader of a repository returns what it could read and a
//! list of [`contextd_model::Problem`]s. Nothing here runs a program, reads the user's git
//! configuration or the environment.

mod apply;
mod assemble;
mod blame;
mod branch;
mod changes;
mod codec;
mod commit_files;
mod compare;
mod derive;
mod hunks;
mod identity;
mod labels;
mod load;
mod message;
mod mine;
mod owners;
mod patch;
mod present;
mod query_text;
mod renames;
mod repository;
mod rows;
mod similarity;
mod stored;
mod symbol_touches;
mod touched;
mod view;
mod walk;
mod work_tree;

pub use apply::{PatchedFile, patched_files};
pub use blame::{Blame, blame};
pub use changes::{ChangeSet, FileChange, Hunk, LineRange};
pub use compare::{Range, changed_files};
pub use hunks::line_hunks;
pub use labels::{LineLabels, UNLABELLED};
pub use load::{History, Limits};
pub use mine::{
    MAX_MINED_FILES, MAX_MINED_SOURCES, Mined, MinedTask, MiningRules, SetAside, mine_tasks,
};
pub use owners::{Owners, owners};
pub use patch::parse_patch;
pub use query_text::query_text;
pub use repository::Repository;
pub use rows::{
    ChangeKind, CommitId, CommitRow, FileRow, PartnerRow, TouchRow, commit_flag, file_flag,
};
pub use stored::StoredHistory;
pub use symbol_touches::{Outline, SymbolTouch, TouchQuery};
pub use view::{Churn, CommitView, HistoryView};
