//! The façade of contextd: index a folder, keep it fresh, hand out its snapshot.
//!
//! [`Engine::open`] reads the configuration of a root and finds its index folder. [`Engine::refresh`]
//! brings the index up to date and publishes a snapshot; [`Engine::snapshot`] opens what is
//! published. Clocks, homes and terminals stay outside: what is needed of them is handed in.

mod ahead;
mod archive;
pub mod artifacts;
mod asking;
mod audit;
mod calm;
mod change;
mod changes;
mod claim;
mod context;
mod doctor;
mod early;
mod engine;
mod error;
mod extraction;
mod freeze;
mod history;
mod jobs;
mod kept_ledger;
mod knowledge;
mod layers;
mod learning;
mod leaving;
mod linking;
mod neighbours;
mod overlay;
mod path_flags;
mod places;
mod progress;
mod reader;
mod records;
mod refresh;
mod scope;
mod sources;
mod status;
mod symbol_history;
mod unchanged;
mod update;
mod watching;

pub use audit::Redacted;
pub use change::{Change, ChangeSource, ChangedFile, ChangedSymbol, SymbolChange, unified};
pub use context::{Caller, WorkTree};
pub use doctor::Checkup;
pub use engine::{Engine, EngineOptions};
pub use error::{EngineError, Result};
pub use jobs::{RebuildOrder, RefreshOrder};
pub use kept_ledger::KeptLedger;
pub use knowledge::{Bound, DocPairs, Knowledge, documents};
pub use learning::{COLD, LearnedState, PackageRoots, Seen, SessionState, SessionView};
pub use places::Places;
pub use progress::{Progress, Silent, Stage};
pub use reader::Reader;
pub use refresh::{RefreshOptions, Refreshed, is_under};
pub use status::{Coverage, Status};
pub use watching::{WatchEnd, WatchNews};
