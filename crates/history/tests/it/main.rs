//! Repositories made with the `git` program, read with this crate.

mod changes;
mod history;
mod mining;
mod patches;
mod sandbox;
mod symbols;
