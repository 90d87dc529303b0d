//! What one conversation has seen. Its state moves in counted steps, one a request.

use super::digest;
use crate::reader::Reader;
use contextd_retrieve::learned::{Access, recency};
use contextd_retrieve::{LearnedWeights, Query};
use contextd_store::Session;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Symbols that a session keeps in mind; the longest unseen go first.
const MOST: usize = 1_500;
/// Steps that are kept of each sort of access.
const STEPS: usize = 4;
/// Value of a symbol that was returned and passed over.
const PASSED: f32 = -0.25;

/// One symbol that was returned in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub name: String,
    /// Identity of the text that was sent.
    pub uid: String,
    pub returned: Vec<u64>,
    /// Steps whose request named it after it had been returned.
    pub named: Vec<u64>,
    /// Steps after which its use was reported.
    pub used: Vec<u64>,
}

/// Everything a session has seen, by symbolId.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionState {
    pub seen: BTreeMap<String, Seen>,
}

/// A session at one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionView {
    pub id: String,
    /// Requests answered so far.
    pub step: u64,
    pub state: SessionState,
}

impl SessionView {
    /// Reads a stored session; what cannot be read is an empty one.
    pub fn of(id: &str, stored: Option<&Session>) -> Self {
        let state = stored
            .and_then(|session| serde_json::from_slice(&session.state).ok())
            .unwrap_or_default();
        Self { id: id.to_owned(), step: stored.map_or(0, |session| session.step), state }
    }

    /// Returns the session as it is stored.
    pub fn stored(&self, started_at: i64, now: i64) -> Session {
        Session {
            session_id: self.id.clone(),
            started_at,
            last_seen_at: now,
            step: self.step,
            state: serde_json::to_vec(&self.state).unwrap_or_default(),
        }
    }

    /// Returns the name of this state; the session's own id is no part of it.
    pub fn version(&self) -> String {
        let state = serde_json::to_string(&self.state).unwrap_or_default();
        format!("s{}.{}", self.step, &digest([state.as_str()])[..8])
    }

    /// Returns how present each symbol is, from −1 to 1, in the order of ids.
    pub fn values(&self, reader: &Reader, weights: &LearnedWeights) -> Vec<(u32, f32)> {
        let taken = self.steps_taken_up();
        let number = |id: &str| reader.numbers.of(&reader.snapshot, id);
        self.state
            .seen
            .iter()
            .filter_map(|(id, seen)| {
                Some((number(id)?, seen.value(self.step + 1, &taken, weights)))
            })
            .collect()
    }

    /// Returns the identities of the texts that were sent.
    pub fn known(&self) -> BTreeSet<String> {
        self.state
            .seen
            .values()
            .map(|seen| seen.uid.clone())
            .filter(|uid| !uid.is_empty())
            .collect()
    }

    /// Takes a request and its answer in: one step further.
    ///
    /// What was shown is given by symbolId, name and identity of the text; other ids are left out.
    pub fn answered<'i>(
        &mut self,
        query: &Query,
        items: impl IntoIterator<Item = (&'i str, &'i str, &'i str)>,
    ) {
        self.step += 1;
        let step = self.step;
        for seen in self.state.seen.values_mut().filter(|seen| is_named(query, &seen.name)) {
            push(&mut seen.named, step);
        }
        for (id, name, uid) in
            items.into_iter().filter(|(id, _, _)| id.starts_with("scip-contextd "))
        {
            let seen = self.state.seen.entry(id.to_owned()).or_default();
            (seen.name, seen.uid) = (name.to_owned(), uid.to_owned());
            push(&mut seen.returned, step);
        }
        self.forget_oldest();
    }

    /// Notes that symbols were used; symbols that were never returned are new to the session.
    pub fn used(&mut self, symbols: &[(String, String)]) {
        for (id, name) in symbols {
            let seen = self.state.seen.entry(id.clone()).or_default();
            seen.name.clone_from(name);
            push(&mut seen.used, self.step);
        }
        self.forget_oldest();
    }

    /// Steps of answers of which something was named or used later: only there silence says something.
    fn steps_taken_up(&self) -> BTreeSet<u64> {
        self.state
            .seen
            .values()
            .filter(|seen| !seen.named.is_empty() || !seen.used.is_empty())
            .flat_map(|seen| seen.returned.iter().copied())
            .collect()
    }

    fn forget_oldest(&mut self) {
        let excess = self.state.seen.len().saturating_sub(MOST);
        if excess > 0 {
            let mut order: Vec<(u64, String)> =
                self.state.seen.iter().map(|(id, seen)| (seen.last(), id.clone())).collect();
            order.sort();
            order.iter().take(excess).for_each(|(_, id)| drop(self.state.seen.remove(id)));
        }
    }
}

impl Seen {
    fn last(&self) -> u64 {
        [&self.returned, &self.named, &self.used]
            .into_iter()
            .filter_map(|steps| steps.last().copied())
            .max()
            .unwrap_or(0)
    }

    fn value(&self, step: u64, taken_up: &BTreeSet<u64>, weights: &LearnedWeights) -> f32 {
        let passed = self.named.is_empty()
            && self.used.is_empty()
            && self.returned.iter().any(|step| taken_up.contains(step));
        if passed {
            return PASSED;
        }
        let accesses: Vec<Access> = [(&self.returned, 1.0), (&self.named, 1.0), (&self.used, 1.0)]
            .into_iter()
            .flat_map(|(steps, weight)| steps.iter().map(move |&step| Access { step, weight }))
            .collect();
        recency(&accesses, step, weights)
    }
}

fn push(steps: &mut Vec<u64>, step: u64) {
    if steps.last() != Some(&step) {
        steps.push(step);
        if steps.len() > STEPS {
            steps.remove(0);
        }
    }
}

/// True when a request writes the name as an identifier; a qualifier that it writes must be the name's.
fn is_named(query: &Query, name: &str) -> bool {
    let (scope, last) = name.rsplit_once('.').unwrap_or(("", name));
    let owner = scope.rsplit('.').next().unwrap_or(scope);
    query.identifiers.iter().any(|identifier| {
        identifier.text == last
            && (identifier.qualifier.is_empty() || identifier.qualifier.ends_with(owner))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextd_retrieve::understand;
    use proptest::prelude::*;

    /// Takes in an answer that shows symbols of these names.
    fn take(view: &mut SessionView, request: &str, names: &[&str]) {
        let items: Vec<[String; 3]> = names
            .iter()
            .map(|name| {
                [
                    format!("scip-contextd python . `a.py`/{name}"),
                    (*name).to_owned(),
                    format!("b3:{name}"),
                ]
            })
            .collect();
        view.answered(
            &understand(request),
            items.iter().map(|[id, name, uid]| (id.as_str(), name.as_str(), uid.as_str())),
        );
    }

    fn values(view: &SessionView) -> BTreeMap<String, f32> {
        let taken = view.steps_taken_up();
        view.state
            .seen
            .values()
            .map(|seen| {
                (seen.name.clone(), seen.value(view.step + 1, &taken, &LearnedWeights::default()))
            })
            .collect()
    }

    #[test]
    fn what_was_returned_is_present_what_was_passed_over_less() {
        let mut view = SessionView::default();
        take(&mut view, "cart", &["Cart.total", "Cart.add"]);
        let first = values(&view);
        assert!(first["Cart.total"] > 0.0 && first["Cart.total"] == first["Cart.add"]);
        take(&mut view, "round `Cart.total` up", &[]);
        let second = values(&view);
        assert!(second["Cart.total"] > first["Cart.total"]);
        assert_eq!(second["Cart.add"], PASSED);
        assert_eq!(view.known().len(), 2);
        assert!(!is_named(&understand("`Basket.total`"), "Cart.total"));
    }

    #[test]
    fn silence_says_nothing() {
        let mut view = SessionView::default();
        take(&mut view, "cart", &["Cart.total", "Cart.add"]);
        take(&mut view, "something else", &["pay"]);
        assert!(values(&view).values().all(|&value| value > 0.0));
    }

    proptest! {
        #[test]
        fn a_state_is_bounded_and_survives_storage(steps in prop::collection::vec((0usize..4, prop::collection::vec(0u32..3_000, 0..60)), 0..60)) {
            let mut view = SessionView { id: "s".to_owned(), ..SessionView::default() };
            for (request, symbols) in &steps {
                let names: Vec<String> = symbols.iter().map(|symbol| format!("f{symbol}")).collect();
                take(&mut view, ["a", "`f1`", "f2 f3()", ""][*request], &names.iter().map(String::as_str).collect::<Vec<_>>());
            }
            prop_assert!(view.state.seen.len() <= MOST);
            prop_assert_eq!(view.step, steps.len() as u64);
            let again = SessionView::of("s", Some(&view.stored(1, 2)));
            prop_assert_eq!(again.version(), view.version());
            prop_assert_eq!(again, view);
        }
    }
}
