//! Scala.

use super::Hooks;

pub struct Scala;

impl Hooks for Scala {}
