//! Rust.

use super::Hooks;

pub struct Rust;

impl Hooks for Rust {}
