//! Java.

use super::Hooks;

pub struct Java;

impl Hooks for Java {}
