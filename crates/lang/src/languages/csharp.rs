//! CSharp.

use super::Hooks;

pub struct CSharp;

impl Hooks for CSharp {}
