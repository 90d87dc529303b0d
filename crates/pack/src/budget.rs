//! Limits: defaults, hard caps, and what became of what was asked for.

use crate::error::PackError;
use crate::request::{Budgets, PackRequest, Strictness};
use crate::tokens::Tokenizer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One limit: its name, its default and the cap that no request lifts.
struct Limit {
    name: &'static str,
    default: u64,
    cap: u64,
}

const CHARS: Limit = Limit { name: "maxTotalChars", default: 200_000, cap: 2_000_000 };
const TOKENS: Limit = Limit { name: "maxTotalTokens", default: 6_000, cap: 1_000_000 };
const ITEMS: Limit = Limit { name: "maxItems", default: 80, cap: 250 };
const PER_SECTION: Limit = Limit { name: "maxItemsPerSection", default: 25, cap: 80 };
const BYTES: Limit = Limit { name: "maxBytesPerItem", default: 4_096, cap: 64_000 };
const HOPS: Limit = Limit { name: "maxHops", default: 2, cap: 4 };

/// The limits that a pack keeps.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BudgetsResolved {
    pub max_total_chars: u64,
    pub max_total_tokens: u64,
    pub max_items: u64,
    pub max_items_per_section: u64,
    pub max_bytes_per_item: u64,
    pub max_hops: u64,
    pub tokenizer: Tokenizer,
    /// What was asked for and could not be had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clamped: Vec<Clamp>,
}

/// A limit that was asked for beyond its cap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Clamp {
    pub field: String,
    pub requested: u64,
    pub used: u64,
}

/// Returns the limits as they are asked for, those that are left open at their defaults.
pub fn settled(asked: &Budgets, tokens: u64) -> Budgets {
    Budgets {
        max_total_chars: Some(asked.max_total_chars.unwrap_or(CHARS.default)),
        max_total_tokens: Some(asked.max_total_tokens.unwrap_or(if tokens == 0 {
            TOKENS.default
        } else {
            tokens
        })),
        max_items: Some(asked.max_items.unwrap_or(ITEMS.default)),
        max_items_per_section: Some(asked.max_items_per_section.unwrap_or(PER_SECTION.default)),
        max_bytes_per_item: Some(asked.max_bytes_per_item.unwrap_or(BYTES.default)),
    }
}

/// Returns the limits of a request; `tokens` is the default of the operation.
pub fn resolve(
    request: &PackRequest,
    tokens: u64,
    tokenizer: Tokenizer,
) -> Result<BudgetsResolved, PackError> {
    let mut clamped = Vec::new();
    let asked = settled(&request.budgets, tokens);
    let mut limit = |limit: &Limit, asked: Option<u64>| {
        let requested = asked.unwrap_or(limit.default);
        if requested > limit.cap {
            clamped.push(Clamp { field: limit.name.to_owned(), requested, used: limit.cap });
        }
        requested.min(limit.cap)
    };
    let resolved = BudgetsResolved {
        max_total_chars: limit(&CHARS, asked.max_total_chars),
        max_total_tokens: limit(&TOKENS, asked.max_total_tokens),
        max_items: limit(&ITEMS, asked.max_items),
        max_items_per_section: limit(&PER_SECTION, asked.max_items_per_section),
        max_bytes_per_item: limit(&BYTES, asked.max_bytes_per_item),
        max_hops: limit(&HOPS, Some(u64::from(request.expansion.max_hops))),
        tokenizer,
        clamped: Vec::new(),
    };
    if let Some(clamp) = clamped.first().filter(|_| request.strictness == Strictness::Strict) {
        return Err(PackError::BudgetExceeded {
            message: format!(
                "`{}` is {}, the most is {}",
                clamp.field, clamp.requested, clamp.used
            ),
        });
    }
    Ok(BudgetsResolved { clamped, ..resolved })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(items: u64, strictness: Strictness) -> PackRequest {
        let mut request = PackRequest { strictness, ..PackRequest::default() };
        request.budgets.max_items = Some(items);
        request
    }

    #[test]
    fn caps_hold_exactly_and_one_over_is_clamped_or_refused() {
        let resolve =
            |items, strictness| resolve(&request(items, strictness), 0, Tokenizer::Estimate);
        assert!(resolve(250, Strictness::Strict).unwrap().clamped.is_empty());
        let clamped = resolve(251, Strictness::Warn).unwrap();
        assert_eq!(
            (clamped.max_items, clamped.clamped.len(), clamped.max_total_chars),
            (250, 1, 200_000)
        );
        assert_eq!(resolve(251, Strictness::Loose).unwrap().max_items, 250);
        assert_eq!(resolve(251, Strictness::Strict).unwrap_err().code(), "POC_E_BUDGET_EXCEEDED");
    }
}
