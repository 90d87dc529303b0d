//! What was done to which file, so that it can be undone byte for byte.

use super::disk;
use super::document::Refusal;
use super::edit::Edit;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What was done to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The agent's id, or `instructions`.
    pub agent: String,
    /// The file, links followed.
    pub file: PathBuf,
    /// True when the file did not exist before.
    pub created: bool,
    /// Folders made for it, outermost first.
    pub folders: Vec<PathBuf>,
    pub edits: Vec<Edit>,
    /// Hash of the file as it was left.
    pub after: String,
}

/// Every file that was changed and not changed back.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Receipts {
    /// Folders made for this file.
    #[serde(default)]
    folders: Vec<PathBuf>,
    /// Folders made for files that are gone, in which others stand still.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<PathBuf>,
    pub receipts: Vec<Receipt>,
}

impl Receipts {
    /// Reads the receipts; none when there are none.
    pub fn read(file: &Path) -> Result<Self, Refusal> {
        match disk::read(file)?.text {
            None => Ok(Self::default()),
            Some(text) => serde_json::from_str(&text).map_err(|error| {
                Refusal::new(
                    format!("it cannot be read: {error}"),
                    "Remove it; what it recorded must then be undone by hand.",
                )
            }),
        }
    }

    /// Writes the receipts, or removes the file when nothing is left to undo.
    pub fn write(&mut self, file: &Path) -> Result<(), Refusal> {
        let before = disk::read(file)?.text;
        if self.receipts.is_empty() {
            return before.map_or(Ok(()), |before| {
                disk::remove(file, &before).map(|()| disk::remove_empty(&self.folders))
            });
        }
        let text =
            |receipts: &Self| serde_json::to_string_pretty(receipts).unwrap_or_default() + "\n";
        let made = disk::replace(file, before.as_deref(), &text(self), true)?;
        if !made.is_empty() {
            let first = text(self);
            self.folders = made;
            disk::replace(file, Some(&first), &text(self), true)?;
        }
        Ok(())
    }

    /// Removes folders that were made and are empty again; the others are tried again with the next one.
    pub fn clear(&mut self, folders: &[PathBuf]) {
        self.left.extend_from_slice(folders);
        self.left.sort();
        self.left.dedup();
        disk::remove_empty(&self.left);
        self.left.retain(|folder| folder.exists());
    }

    pub fn find(&self, agent: &str, file: &Path) -> Option<&Receipt> {
        self.receipts.iter().find(|receipt| receipt.agent == agent && receipt.file == file)
    }

    pub fn put(&mut self, receipt: Receipt) {
        self.drop(&receipt.agent.clone(), &receipt.file.clone());
        self.receipts.push(receipt);
    }

    pub fn drop(&mut self, agent: &str, file: &Path) {
        self.receipts.retain(|receipt| receipt.agent != agent || receipt.file != file);
    }
}

/// Returns the hash that tells whether a file is still as it was left.
pub fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
