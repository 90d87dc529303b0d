//! Choosing what fits: the summary always, the rest by value, texts where room is left; the rendered
//! bytes decide.

use super::items::Offer;
use crate::error::OpError;
use contextd_pack::budget::BudgetsResolved;
use contextd_pack::ids::{Versions, pack_id, pack_root};
use contextd_pack::pack::{ContextSection, Excerpt, PackStats, SeedEntry};
use contextd_pack::request::Strictness;
use contextd_pack::{ContextItem, ContextPack, PackError, PackRequest, Section};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a pack is written with.
pub struct Frame<'a> {
    pub request: &'a PackRequest,
    pub budgets: BudgetsResolved,
    pub versions: Versions,
    /// Writes a pack in the requested format; `None` when there is no such format.
    pub render: &'a dyn Fn(&ContextPack) -> Option<String>,
}

/// Share of the budget that the summary may take, in percent.
const SUMMARY: u64 = 50;
/// Share that short forms may take before texts are considered.
const SHORT: f64 = 0.6;

/// What became of an offer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    Not,
    Short,
    Text,
}

/// Returns the pack of a change: `summary` writes one of at most so many tokens, `offers` are the rest.
pub fn fit(
    frame: &Frame<'_>,
    summary: &dyn Fn(usize) -> Offer,
    offers: &[Offer],
) -> Result<ContextPack, OpError> {
    let limit = frame.budgets.max_total_tokens;
    let mut share = limit * SUMMARY / 100;
    loop {
        let summary = summary(share as usize);
        let empty = frame.assemble(&summary, offers, &vec![Chosen::Not; offers.len()]);
        let used = frame.measure(&empty)?;
        if frame.is_within(used) {
            return frame.fullest(&summary, offers, used);
        }
        if share < 40 {
            let message =
                format!("the summary of the change takes {} tokens, the budget is {limit}", used.0);
            if frame.request.strictness == Strictness::Strict {
                return Err(PackError::BudgetExceeded { message }.into());
            }
            return Err(OpError {
                code: "POC_E_BUDGET_EXCEEDED",
                message,
                remedy: "Ask for a larger budget.".to_owned(),
            });
        }
        share /= 2;
    }
}

impl Frame<'_> {
    fn fullest(
        &self,
        summary: &Offer,
        offers: &[Offer],
        empty: (u64, u64),
    ) -> Result<ContextPack, OpError> {
        let tokenizer = self.budgets.tokenizer;
        let room = self.budgets.max_total_tokens.saturating_sub(empty.0) as f64;
        let mut chosen = vec![Chosen::Not; offers.len()];
        let overhead = self.overhead(summary, offers, empty)?;
        let short: Vec<f64> = offers
            .iter()
            .map(|offer| overhead + tokenizer.count(&offer.item.title) as f64)
            .collect();
        let (mut spent, mut count) = (0.0, 0);
        let mut sections: BTreeMap<Section, u64> = BTreeMap::new();
        for (at, offer) in offers.iter().enumerate() {
            let in_section = sections.entry(offer.section).or_default();
            if spent + short[at] <= room * SHORT
                && count + 1 < self.budgets.max_items
                && *in_section < self.budgets.max_items_per_section.max(60)
            {
                chosen[at] = Chosen::Short;
                spent += short[at];
                count += 1;
                *in_section += 1;
            }
        }
        for (at, offer) in offers.iter().enumerate().filter(|(_, offer)| !offer.text.is_empty()) {
            let more = tokenizer.count(&offer.text) as f64 * 1.1;
            if chosen[at] == Chosen::Short && spent + more <= room {
                chosen[at] = Chosen::Text;
                spent += more;
            }
        }
        self.shrink(summary, offers, chosen)
    }

    /// Drops the least valuable, texts first, until the rendered bytes fit.
    fn shrink(
        &self,
        summary: &Offer,
        offers: &[Offer],
        mut chosen: Vec<Chosen>,
    ) -> Result<ContextPack, OpError> {
        loop {
            let mut pack = self.assemble(summary, offers, &chosen);
            let used = self.measure(&pack)?;
            if self.is_within(used) {
                pack.stats.tokens = used.0;
                return Ok(pack);
            }
            let over = (used.0.saturating_sub(self.budgets.max_total_tokens) as f64)
                .max(used.1.saturating_sub(self.budgets.max_total_chars) as f64 / 4.0)
                .max(1.0);
            let mut saved = 0.0;
            for wanted in [Chosen::Text, Chosen::Short] {
                for at in
                    (0..offers.len()).rev().filter(|&at| chosen[at] == wanted).collect::<Vec<_>>()
                {
                    if saved >= over {
                        break;
                    }
                    let text = if wanted == Chosen::Text {
                        &offers[at].text
                    } else {
                        &offers[at].item.title
                    };
                    saved += self.budgets.tokenizer.count(text) as f64 + 4.0;
                    chosen[at] = if wanted == Chosen::Text { Chosen::Short } else { Chosen::Not };
                }
            }
        }
    }

    /// Tokens of an item beside its text.
    fn overhead(
        &self,
        summary: &Offer,
        offers: &[Offer],
        empty: (u64, u64),
    ) -> Result<f64, OpError> {
        let Some(first) = offers.first() else { return Ok(0.0) };
        let mut chosen = vec![Chosen::Not; offers.len()];
        chosen[0] = Chosen::Short;
        let one = self.measure(&self.assemble(summary, offers, &chosen))?;
        Ok((one.0.saturating_sub(empty.0) as f64
            - self.budgets.tokenizer.count(&first.item.title) as f64)
            .max(4.0))
    }

    fn is_within(&self, (tokens, chars): (u64, u64)) -> bool {
        tokens <= self.budgets.max_total_tokens && chars <= self.budgets.max_total_chars
    }

    /// Returns tokens and characters of the rendered pack; the count itself may take a few digits more.
    fn measure(&self, pack: &ContextPack) -> Result<(u64, u64), OpError> {
        let format = &self.request.format;
        let rendered = (self.render)(pack).ok_or_else(|| {
            OpError::request(
                format!("a pack cannot be written as `{format}`"),
                "Use json, markdown, xml, text, gcf, gcb or hits.",
            )
        })?;
        Ok((
            self.budgets.tokenizer.count(&rendered) as u64 + 8,
            rendered.chars().count() as u64 + 8,
        ))
    }

    fn assemble(&self, summary: &Offer, offers: &[Offer], chosen: &[Chosen]) -> ContextPack {
        let mut sections: BTreeMap<Section, Vec<ContextItem>> =
            BTreeMap::from([(Section::Seeds, vec![summary.item.clone()])]);
        for (offer, chosen) in offers.iter().zip(chosen) {
            let mut item = offer.item.clone();
            match chosen {
                Chosen::Not => continue,
                Chosen::Short => {}
                Chosen::Text => {
                    item.excerpt = Excerpt {
                        text: offer.text.clone(),
                        detail: "body".to_owned(),
                        truncated: false,
                        truncation: None,
                        redacted: false,
                        lines: Vec::new(),
                    }
                }
            }
            sections.entry(offer.section).or_default().push(item);
        }
        let left = chosen.iter().filter(|chosen| **chosen == Chosen::Not).count() as u32;
        let sections: Vec<ContextSection> = sections
            .into_iter()
            .map(|(section, items)| ContextSection {
                kind: section.name().to_owned(),
                items: items.into_iter().map(Arc::new).collect(),
            })
            .collect();
        let uids: Vec<String> = sections
            .iter()
            .flat_map(|section| section.items.iter().map(|item| item.chunk_uid.clone()))
            .collect();
        let seeds = sections
            .iter()
            .filter(|section| section.kind == "seeds")
            .flat_map(|section| &section.items)
            .map(|item| SeedEntry {
                chunk_uid: item.chunk_uid.clone(),
                score: item.scores.seed_score,
            })
            .collect();
        let stats = PackStats {
            items: uids.len() as u32,
            sections: sections
                .iter()
                .map(|section| (section.kind.clone(), section.items.len() as u32))
                .collect(),
            dropped: if left > 0 {
                BTreeMap::from([("budget".to_owned(), left)])
            } else {
                BTreeMap::new()
            },
            candidates: offers.len() as u32 + 1,
            max_hop: sections
                .iter()
                .flat_map(|section| &section.items)
                .map(|item| item.scores.graph_distance)
                .max()
                .unwrap_or(0),
            ..PackStats::default()
        };
        ContextPack {
            format_version: 1,
            schema: "ContextPack".to_owned(),
            schema_version: "1.0.0".to_owned(),
            index_signature: self.versions.index_signature.clone(),
            pack_id: pack_id(&self.versions, self.request),
            pack_root: pack_root(&self.request.query, &uids),
            created_at: None,
            request: self.request.echoed(),
            budgets: self.budgets.clone(),
            seeds,
            sections,
            layout: String::new(),
            edges: Vec::new(),
            explain: None,
            notes: Vec::new(),
            learned_state: Default::default(),
            stats,
            held_packs: Default::default(),
        }
    }
}
