//! Why a pack cannot be made.

/// One refusal, with its stable code and remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    #[error("{message}")]
    BudgetExceeded { message: String },
    #[error("{message}")]
    NotSupported { message: String, remedy: String },
    #[error("{message}")]
    ContractVersion { message: String },
    #[error("{message}")]
    Request { message: String, remedy: String },
    /// The index is another one than the request names.
    #[error("{message}")]
    Changed { message: String, remedy: String },
    #[error("{message}")]
    NotFound { message: String, suggestions: Vec<String> },
}

impl PackError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            PackError::BudgetExceeded { .. } => "POC_E_BUDGET_EXCEEDED",
            PackError::NotSupported { .. } => "POC_E_NOT_SUPPORTED",
            PackError::ContractVersion { .. } => "POC_E_CONTRACT_VERSION",
            PackError::Request { .. } => "CTX_E_REQUEST",
            PackError::Changed { .. } => "CTX_E_INDEX_CHANGED",
            PackError::NotFound { .. } => "CTX_E_NOT_FOUND",
        }
    }

    /// Returns what to do next, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            PackError::BudgetExceeded { .. } => {
                "Ask for less, or use strictness `warn` to have the budget clamped.".to_owned()
            }
            PackError::ContractVersion { .. } => "Use formatVersion 1.".to_owned(),
            PackError::NotSupported { remedy, .. }
            | PackError::Request { remedy, .. }
            | PackError::Changed { remedy, .. } => remedy.clone(),
            PackError::NotFound { suggestions, .. } if suggestions.is_empty() => {
                "Look for the name with `contextd search`.".to_owned()
            }
            PackError::NotFound { suggestions, .. } => {
                format!("Did you mean: {}?", suggestions.join(", "))
            }
        }
    }
}
