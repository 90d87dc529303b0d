//! The invariants of the index, held against folders on disk.

mod asking;
mod calm;
mod determinism;
mod early;
mod edges;
mod hostile;
mod incremental;
mod killed;
mod ledger;
mod places;
mod readers;
mod rebuilding;
mod reuse;
mod secrets;
mod status;
mod support;
mod watching;
