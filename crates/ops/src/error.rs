//! Why an operation was refused.

use contextd_engine::EngineError;
use contextd_pack::PackError;

/// A refusal with its stable code and what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpError {
    pub code: &'static str,
    pub message: String,
    pub remedy: String,
}

impl OpError {
    /// Returns an error about what was asked.
    pub fn request(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { code: "CTX_E_REQUEST", message: message.into(), remedy: remedy.into() }
    }

    /// Returns an error about something that is not there.
    pub fn not_found(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { code: "CTX_E_NOT_FOUND", message: message.into(), remedy: remedy.into() }
    }

    /// True when the answer is "no such thing" rather than a failure.
    pub fn is_not_found(&self) -> bool {
        self.code == "CTX_E_NOT_FOUND"
    }
}

impl std::fmt::Display for OpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OpError {}

impl From<EngineError> for OpError {
    fn from(error: EngineError) -> Self {
        let mut message = error.to_string();
        if let EngineError::Config { problems, .. } = &error {
            problems.iter().for_each(|problem| {
                message.push_str(&format!("\n  {problem}\n    {}", problem.remedy))
            });
        }
        Self { code: error.code(), message, remedy: error.remedy() }
    }
}

impl From<PackError> for OpError {
    fn from(error: PackError) -> Self {
        Self { code: error.code(), message: error.to_string(), remedy: error.remedy() }
    }
}

impl From<contextd_store::StoreError> for OpError {
    fn from(error: contextd_store::StoreError) -> Self {
        EngineError::from(error).into()
    }
}
