//! The verdict on one path, by the same judgements as a scan.

use crate::folder::Tree;
use crate::open::{is_absent, kind};
use crate::rule::{Check, Reason, Rule, Verdict};
use crate::scanner::Scanner;
use std::path::{Component, Path};

impl Scanner {
    /// Judges one path, absolute or relative to the root, through the whole pipeline, content included.
    pub fn check(&self, path: &Path) -> Check {
        let (rel, judged) = match self.relative(path) {
            Ok(rel) => {
                let judged = self.judge(&rel);
                (rel, judged)
            }
            Err(reason) => (path.to_string_lossy().into_owned(), Err(reason)),
        };
        match judged {
            Ok(explanation) => Check { rel, verdict: Verdict::Included, explanation },
            Err(reason) => {
                let explanation =
                    format!("{} ({}).", reason.rule.about().trim_end_matches('.'), reason.detail);
                Check { rel, verdict: reason.into(), explanation }
            }
        }
    }

    /// Brings a path to one relative to the root, without following links.
    fn relative(&self, path: &Path) -> Result<String, Reason> {
        let inside = if path.is_absolute() {
            path.strip_prefix(self.root()).map_err(|_| {
                Reason::new(Rule::OutsideRoot, format!("the root is {}", self.root().display()))
            })?
        } else {
            path
        };
        let mut parts = Vec::new();
        for component in inside.components() {
            match component {
                Component::Normal(part) => match part.to_str() {
                    Some(part) => parts.push(part),
                    None => {
                        return Err(Reason::new(Rule::InvalidName, "the name is not valid UTF-8"));
                    }
                },
                Component::CurDir => {}
                _ => return Err(Reason::new(Rule::Traversal, "it climbs with `..`")),
            }
        }
        if parts.is_empty() || parts.iter().any(|part| part.contains('\0')) {
            return Err(Reason::new(Rule::Traversal, "it names no file"));
        }
        Ok(parts.join("/"))
    }

    fn judge(&self, rel: &str) -> Result<String, Reason> {
        let mut problems = Vec::new();
        let git = self.git_tree(&mut problems);
        let (tree, root_folder) = self.tree(git.as_deref(), &mut problems);
        let mut folder = root_folder;
        let mut parts = rel.split('/').peekable();
        let mut at = String::new();
        while let Some(name) = parts.next() {
            tree.load_ignore_files(&mut folder, |_| true, &mut problems);
            at = if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") };
            let metadata = std::fs::symlink_metadata(self.root().join(&at));
            let is_link = metadata.as_ref().is_ok_and(|metadata| metadata.is_symlink());
            if is_link && self.rules.follow_symlinks {
                return self.judge_behind_link(rel);
            }
            if parts.peek().is_some() && !is_link {
                folder = tree.judge_folder(&folder, name)?;
                continue;
            }
            let tracked = tree.judge_file(&folder, name)?;
            return self.judge_found(&tree, rel, metadata, parts.peek().is_some(), tracked);
        }
        Err(Reason::new(Rule::Traversal, "it names no file"))
    }

    /// Judges what lies at the path, after its name passed.
    fn judge_found(
        &self,
        tree: &Tree<'_>,
        rel: &str,
        metadata: std::io::Result<std::fs::Metadata>,
        link_on_the_way: bool,
        tracked: bool,
    ) -> Result<String, Reason> {
        let metadata = metadata.map_err(|error| match is_absent(&error) {
            true => Reason::new(Rule::NotFound, "nothing lies at the path"),
            false => Reason::new(Rule::Unreadable, error.to_string()),
        })?;
        if link_on_the_way {
            return Err(Reason::new(
                Rule::Symlink,
                "a folder on the way is a link, and links are not followed",
            ));
        }
        match kind(&metadata) {
            "file" => {}
            "symbolic link" => return Err(Reason::new(Rule::Symlink, "links are not followed")),
            other => return Err(Reason::new(Rule::NotRegular, format!("it is a {other}"))),
        }
        tree.rules.judge_size(rel, metadata.len())?;
        tree.rules.judge_extension_binary(rel)?;
        let bytes =
            self.read(rel).map_err(|failure| Reason::new(failure.rule(), failure.to_string()))?;
        let warning = if bytes.stamp.size > self.rules.warn_bytes { " It is large." } else { "" };
        let state = match (tree.git, tracked) {
            (None, _) => "outside git",
            (Some(_), true) => "tracked by git",
            (Some(_), false) => "not ignored by git",
        };
        Ok(format!(
            "Every rule lets it pass: {state}, {} bytes of text.{warning}",
            bytes.stamp.size
        ))
    }

    /// Links are settled in order over the whole tree, so only a scan can tell.
    fn judge_behind_link(&self, rel: &str) -> Result<String, Reason> {
        let (found, _) = self.find();
        if found.files.iter().any(|file| file.rel == rel) {
            self.read(rel).map_err(|failure| Reason::new(failure.rule(), failure.to_string()))?;
            return Ok("Every rule lets it pass: it is reached through a link.".to_owned());
        }
        let above = |folder: &str| {
            rel.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let rejected = found.rejected.into_iter().find(|rejected| above(&rejected.rel));
        Err(rejected.map_or_else(
            || Reason::new(Rule::NotFound, "nothing lies at the path"),
            |rejected| Reason::new(rejected.rule, rejected.detail),
        ))
    }
}
