//! What one client has asked so far.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Calls that are remembered.
const LAST: usize = 50;

/// Counts calls and remembers the last ones.
pub struct Session {
    /// Under this name answers learn from each other.
    pub id: String,
    calls: Mutex<(u64, u64, VecDeque<Value>)>,
}

impl Session {
    /// Begins a session.
    pub fn new(now: i64) -> Self {
        Self { id: contextd_ops::new_session(now), calls: Mutex::default() }
    }

    /// Notes a call and how it went.
    pub fn note(&self, tool: &str, took: Duration, good: bool) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.0 += 1;
        calls.1 += u64::from(!good);
        if calls.2.len() == LAST {
            calls.2.pop_front();
        }
        calls.2.push_back(json!({"tool": tool, "ms": took.as_millis() as u64, "ok": good}));
    }

    /// Returns the session as JSON.
    pub fn value(&self) -> Value {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        json!({"session": self.id, "calls": calls.0, "refused": calls.1, "last": calls.2})
    }
}
