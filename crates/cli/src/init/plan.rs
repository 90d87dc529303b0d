//! What would be done to one file: thought out first, shown, then done.

use super::agents::Agent;
use super::disk::{self, Present};
use super::document::{self, Entry, Found, Refusal};
use super::edit::{self, Edit};
use super::instructions;
use super::receipt::{Receipt, Receipts, hash};
use std::path::{Path, PathBuf};

/// The name of the entry in every configuration.
pub const NAME: &str = "contextd";

/// A file to be changed, and its text before and after.
#[derive(Debug)]
pub struct Change {
    pub agent: String,
    pub real: PathBuf,
    pub before: Option<String>,
    /// `None` when the file is to be removed.
    pub after: Option<String>,
    /// What the receipt will say: the way from the text without any doing of ours.
    edits: Vec<Edit>,
    created: bool,
    folders: Vec<PathBuf>,
    /// In a home folder, not in a repository.
    private: bool,
}

/// What is to be done about a file.
#[derive(Debug)]
pub enum Plan {
    Change(Box<Change>),
    /// Nothing; the reason is for people.
    Nothing(&'static str),
    Refused(Refusal),
}

impl From<Result<Plan, Refusal>> for Plan {
    fn from(result: Result<Plan, Refusal>) -> Self {
        result.unwrap_or_else(Plan::Refused)
    }
}

/// Plans to put an agent's entry into its configuration.
pub fn register(
    agent: &Agent,
    file: &Path,
    entry: &Entry,
    receipts: &Receipts,
    force: bool,
) -> Plan {
    plan_register(agent, file, entry, receipts, force).into()
}

fn plan_register(
    agent: &Agent,
    file: &Path,
    entry: &Entry,
    receipts: &Receipts,
    force: bool,
) -> Result<Plan, Refusal> {
    let Present { real, text } = disk::read(file)?;
    let now = text.as_deref().unwrap_or_default();
    let old = receipts.find(&agent.id, &real);
    match document::find(agent.format, now, &agent.key, NAME, entry)? {
        Found::Same => return Ok(Plan::Nothing("is registered already")),
        Found::Other if old.is_none() && !force => {
            return Err(Refusal::new(
                format!("it has another `{NAME}` entry, which was not made by `contextd init`"),
                "`--force` replaces it; `contextd uninit` brings it back.",
            ));
        }
        Found::Other | Found::Nothing => {}
    }
    // An entry of ours that is out of date goes first, so that undoing leads back to where we began.
    let base = match old {
        Some(old) => without(agent, now, old)?.unwrap_or_else(|| now.to_owned()),
        None => now.to_owned(),
    };
    let edits = document::put(agent.format, &base, &agent.key, NAME, entry)?;
    let after = edit::apply(&base, &edits);
    let created = old.map_or(text.is_none(), |old| old.created);
    let folders = old.map_or_else(Vec::new, |old| old.folders.clone());
    Ok(Plan::Change(Box::new(Change {
        agent: agent.id.clone(),
        real,
        before: text,
        after,
        edits,
        created,
        folders,
        private: true,
    })))
}

/// Plans to take an agent's entry out again.
pub fn unregister(agent: &Agent, file: &Path, receipts: &Receipts, force: bool) -> Plan {
    plan_unregister(agent, file, receipts, force).into()
}

fn plan_unregister(
    agent: &Agent,
    file: &Path,
    receipts: &Receipts,
    force: bool,
) -> Result<Plan, Refusal> {
    let Present { real, text } = disk::read(file)?;
    let Some(text) = text else { return Ok(Plan::Nothing("is not registered")) };
    let after = match receipts.find(&agent.id, &real) {
        Some(receipt) => without(agent, &text, receipt)?,
        None if force => document::take(agent.format, &text, &agent.key, NAME)?
            .and_then(|edits| edit::apply(&text, &edits)),
        None => {
            let there = document::find(agent.format, &text, &agent.key, NAME, &Entry::new())?
                != Found::Nothing;
            return Ok(Plan::Nothing(if there {
                "has an entry that was not made by `contextd init`; `--force` removes it"
            } else {
                "is not registered"
            }));
        }
    };
    Ok(back(&agent.id, real, text, after, receipts, true))
}

/// Returns the text without what a receipt tells of: exactly when nobody changed it since, else by taking the entry out.
fn without(agent: &Agent, now: &str, receipt: &Receipt) -> Result<Option<String>, Refusal> {
    if let Some(text) = exactly(now, receipt) {
        return Ok(Some(text));
    }
    let gone = |text: &String| {
        document::find(agent.format, text, &agent.key, NAME, &Entry::new())
            .is_ok_and(|found| found == Found::Nothing)
    };
    if let Some(text) = edit::take_back(now, &receipt.edits).filter(gone) {
        return Ok(Some(text));
    }
    Ok(document::take(agent.format, now, &agent.key, NAME)?
        .and_then(|edits| edit::apply(now, &edits)))
}

fn exactly(now: &str, receipt: &Receipt) -> Option<String> {
    (hash(now) == receipt.after).then(|| edit::apply(now, &edit::inverse(&receipt.edits))).flatten()
}

fn back(
    agent: &str,
    real: PathBuf,
    now: String,
    after: Option<String>,
    receipts: &Receipts,
    private: bool,
) -> Plan {
    let Some(after) = after else { return Plan::Nothing("is not registered") };
    let receipt = receipts.find(agent, &real);
    let created = receipt.is_some_and(|receipt| receipt.created);
    let folders = receipt.map_or_else(Vec::new, |receipt| receipt.folders.clone());
    let after = Some(after).filter(|after| !created || !after.is_empty());
    Plan::Change(Box::new(Change {
        agent: agent.to_owned(),
        real,
        before: Some(now),
        after,
        edits: Vec::new(),
        created,
        folders,
        private,
    }))
}

/// Plans to add the section to a file of instructions.
pub fn instruct(file: &Path) -> Plan {
    let present = match disk::read(file) {
        Ok(present) => present,
        Err(refusal) => return Plan::Refused(refusal),
    };
    let now = present.text.as_deref().unwrap_or_default();
    let Some(edit) = instructions::put(now) else {
        return Plan::Nothing("has the section already");
    };
    let created = present.text.is_none();
    let edits = vec![edit];
    let after = edit::apply(now, &edits);
    Plan::Change(Box::new(Change {
        agent: instructions::ID.to_owned(),
        real: present.real,
        before: present.text,
        after,
        edits,
        created,
        folders: Vec::new(),
        private: false,
    }))
}

/// Plans to take the section out of a file of instructions.
pub fn uninstruct(file: &Path, receipts: &Receipts) -> Plan {
    let (real, text) = match disk::read(file) {
        Ok(Present { real, text: Some(text) }) => (real, text),
        Ok(_) => return Plan::Nothing("has no section"),
        Err(refusal) => return Plan::Refused(refusal),
    };
    let exact = receipts.find(instructions::ID, &real).and_then(|receipt| {
        exactly(&text, receipt).or_else(|| edit::take_back(&text, &receipt.edits))
    });
    match exact.or_else(|| instructions::take(&text)) {
        None => Plan::Nothing("has no section"),
        after => back(instructions::ID, real, text, after, receipts, false),
    }
}

impl Change {
    /// Does it and notes it down.
    pub fn run(&self, receipts: &mut Receipts) -> Result<(), Refusal> {
        let Some(after) = &self.after else {
            disk::remove(&self.real, self.before.as_deref().unwrap_or_default())?;
            receipts.clear(&self.folders);
            receipts.drop(&self.agent, &self.real);
            return Ok(());
        };
        let made = disk::replace(&self.real, self.before.as_deref(), after, self.private)?;
        if self.edits.is_empty() {
            receipts.drop(&self.agent, &self.real);
            return Ok(());
        }
        let folders = if made.is_empty() { self.folders.clone() } else { made };
        // A file that was made here has its real name only now.
        let file = std::fs::canonicalize(&self.real).unwrap_or_else(|_| self.real.clone());
        receipts.put(Receipt {
            agent: self.agent.clone(),
            file,
            created: self.created,
            folders,
            edits: self.edits.clone(),
            after: hash(after),
        });
        Ok(())
    }
}
