//! Kotlin.

use super::Hooks;

pub struct Kotlin;

impl Hooks for Kotlin {}
