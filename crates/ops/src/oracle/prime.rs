//! `prime`: a brief of the project, from the index alone or with what is declared.

mod commands;
mod entries;
mod hot;
mod parts;
mod prose;

use super::Oracle;
use super::bundle::severity;
use super::inputs::PrimeInput;
use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use contextd_engine::{Knowledge, Reader};
use contextd_knowledge::sync::Status;
use contextd_lang::{LanguageId, paths};
use contextd_pack::{Texts, Tokenizer};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Tokens of a brief unless told otherwise: under 2,000 with room for the surroundings.
const BUDGET: u64 = 1_900;

/// What somebody new must know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Brief {
    pub project: String,
    pub about: String,
    pub sections: Vec<BriefSection>,
    /// Tokens of the text.
    pub tokens: usize,
    /// True when lines were left out to stay inside the budget.
    pub cut: bool,
}

/// Lines under a heading.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct BriefSection {
    pub name: String,
    pub lines: Vec<String>,
}

impl Brief {
    /// Writes the brief for people and prompts.
    pub fn text(&self) -> String {
        let mut out = format!("# {}\n", self.project);
        if !self.about.is_empty() {
            let _ = writeln!(out, "{}", self.about);
        }
        for section in self.sections.iter().filter(|section| !section.lines.is_empty()) {
            let _ = writeln!(out, "\n## {}", section.name);
            for line in &section.lines {
                let _ = writeln!(out, "- {line}");
            }
        }
        out
    }

    /// Leaves lines out, the last of the longest section first, until the text fits.
    fn fit(mut self, budget: usize) -> Self {
        loop {
            self.tokens = Tokenizer::O200k.count(&self.text());
            let longest = self
                .sections
                .iter()
                .enumerate()
                .filter(|(_, section)| section.lines.len() > 1)
                .max_by_key(|(at, section)| {
                    (section.lines.iter().map(String::len).sum::<usize>(), *at)
                })
                .map(|(at, _)| at);
            match longest {
                _ if self.tokens <= budget => return self,
                Some(at) => drop(self.sections[at].lines.pop()),
                None if self.sections.pop().is_some() => {}
                None if self.about.chars().count() > 40 => {
                    self.about = prose::clip(&self.about, self.about.chars().count() / 2)
                }
                None => return self,
            }
            self.cut = true;
        }
    }
}

pub fn prime(context: &Context, input: PrimeInput) -> Result<Answer, OpError> {
    let reader = context.reader()?;
    let knowledge = context.engine.knowledge(&reader);
    let project = Project { context, reader: &reader, knowledge: &knowledge };
    let brief = project.brief().fit(input.budget.unwrap_or(BUDGET).clamp(100, 1_000_000) as usize);
    Ok(Answer::Oracle(Box::new(Oracle::Brief(brief))))
}

/// The project that is described.
struct Project<'a> {
    context: &'a Context,
    reader: &'a Reader,
    knowledge: &'a Knowledge,
}

impl Project<'_> {
    /// Returns the text of a file in the index.
    fn read(&self, path: &str) -> Option<String> {
        self.has(path).then(|| self.context.engine.texts().read(path))?.map(|text| text.scrubbed)
    }

    fn has(&self, path: &str) -> bool {
        self.reader.snapshot.find_file(path).is_some()
    }

    /// Returns the paths of the index, in order.
    fn paths(&self) -> Vec<&str> {
        let snapshot = &self.reader.snapshot;
        let mut paths: Vec<&str> =
            (0..snapshot.file_count()).map(|file| snapshot.file(file).path()).collect();
        paths.sort_unstable();
        paths
    }

    fn brief(&self) -> Brief {
        let root = &self.context.engine.places.root;
        let readme = self.readme();
        let mut sections = Vec::new();
        let mut add = |name: &str, lines: Vec<String>| {
            sections.push(BriefSection { name: name.to_owned(), lines })
        };
        add("Size", vec![self.size()]);
        add("Entry points", entries::entries(self, readme.as_deref()));
        add("Commands", commands::commands(self));
        if !self.knowledge.graph.is_empty() {
            add("Declared parts", self.declared());
        }
        add("Main parts", parts::parts(self));
        add("Rules", self.rules());
        add("Documents that no longer agree with the code", self.stale());
        add("Hot spots", hot::hot_spots(self));
        add("Documents", self.documents());
        add("More", self.more());
        let folder = || {
            root.file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_else(|| "project".to_owned())
        };
        let name = entries::name(self).unwrap_or_else(folder);
        let about = readme
            .and_then(|path| self.read(&path))
            .map(|text| prose::about(&text))
            .filter(|about| !about.is_empty())
            .or_else(|| entries::description(self))
            .unwrap_or_default();
        Brief { project: name, about, sections, ..Brief::default() }
    }

    fn readme(&self) -> Option<String> {
        let is_readme = |path: &&str| {
            path.rsplit('/').next().is_some_and(|name| name.to_lowercase().starts_with("readme"))
                && path.matches('/').count() <= 1
                && !paths::is_test(path)
                && !paths::is_documentation(path)
        };
        let name = self
            .context
            .engine
            .places
            .root
            .file_name()
            .map(|name| name.to_string_lossy().to_lowercase())
            .unwrap_or_default();
        // README.md before its translations; without one at the root, that of the folder named like the project.
        let key = |path: &str| {
            (
                path.contains('/'),
                path.contains('/') && !path.to_lowercase().starts_with(&format!("{name}/")),
                path.matches('.').count(),
                path.len(),
                path.to_owned(),
            )
        };
        self.paths().into_iter().filter(is_readme).min_by_key(|path| key(path)).map(str::to_owned)
    }

    fn size(&self) -> String {
        let snapshot = &self.reader.snapshot;
        let mut lines: BTreeMap<&str, u64> = BTreeMap::new();
        for file in 0..snapshot.file_count() {
            let own = snapshot.file(file);
            if LanguageId(own.language()).get().full
                || matches!(
                    LanguageId(own.language()).name(),
                    "bash" | "lua" | "elixir" | "haskell" | "zig"
                )
            {
                *lines.entry(LanguageId(own.language()).name()).or_default() +=
                    u64::from(own.lines());
            }
        }
        let total: u64 = lines.values().sum::<u64>().max(1);
        let mut ordered: Vec<(&str, u64)> =
            lines.into_iter().filter(|(_, own)| own * 50 >= total).collect();
        ordered.sort_by_key(|&(name, own)| (std::cmp::Reverse(own), name));
        let languages: Vec<String> =
            ordered.iter().map(|(name, own)| format!("{name} {} %", own * 100 / total)).collect();
        format!(
            "{} files, {} symbols, {total} lines of code: {}",
            snapshot.file_count(),
            snapshot.symbol_count(),
            languages.join(", ")
        )
    }

    fn declared(&self) -> Vec<String> {
        let graph = &self.knowledge.graph;
        let mut lines = Vec::new();
        for node in graph
            .nodes
            .iter()
            .filter(|node| node.kind != "feature" || graph.nodes.len() < 20)
            .take(30)
        {
            let place = if node.source.is_empty() {
                String::new()
            } else {
                format!(" ({})", node.source.join(", "))
            };
            lines.push(format!(
                "{} `{}`{place}: {}",
                node.kind,
                node.ref_id,
                prose::clip(&node.summary, 120)
            ));
        }
        lines
    }

    fn rules(&self) -> Vec<String> {
        self.knowledge
            .rules
            .rules
            .iter()
            .map(|rule| {
                format!(
                    "{} [{} {}]: {}",
                    rule.name,
                    rule.law.name(),
                    severity(rule.severity),
                    prose::clip(&rule.description, 120)
                )
            })
            .collect()
    }

    fn stale(&self) -> Vec<String> {
        if self.knowledge.is_empty() {
            return Vec::new();
        }
        let (states, _) = self.context.engine.sync_states(&self.reader.snapshot, self.knowledge);
        states
            .iter()
            .filter(|state| state.status == Status::Stale)
            .map(|state| {
                format!(
                    "{} ({})",
                    state.key.doc,
                    state
                        .reasons
                        .iter()
                        .map(|(reason, _)| reason.name())
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            })
            .collect()
    }

    fn documents(&self) -> Vec<String> {
        let all = contextd_engine::documents(&self.reader.snapshot);
        let wanted = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
            let shallow = path.matches('/').count() <= 1
                && (!path.contains('/') || path.to_lowercase().starts_with("doc"));
            shallow
                && ![
                    "license",
                    "changelog",
                    "changes",
                    "history",
                    "code_of_conduct",
                    "security",
                    "authors",
                ]
                .iter()
                .any(|skip| name.starts_with(skip))
                && !paths::is_test(path)
        };
        let found: Vec<&String> = all.iter().filter(wanted).take(12).collect();
        if found.is_empty() {
            Vec::new()
        } else {
            vec![found.into_iter().cloned().collect::<Vec<_>>().join(", ")]
        }
    }

    fn more(&self) -> Vec<String> {
        let mut lines = vec!["`contextd task \"…\"` for the code a task needs, `contextd symbol NAME` for uses, `contextd impact NAME` for what breaks".to_owned()];
        if !self.knowledge.graph.is_empty() {
            lines.push("`contextd ref REF` for a declared part with its docs and rules, `contextd lint`, `contextd docs check`".to_owned());
        }
        lines
    }
}
