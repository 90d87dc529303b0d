//! Swift.

use super::Hooks;

pub struct Swift;

impl Hooks for Swift {}
