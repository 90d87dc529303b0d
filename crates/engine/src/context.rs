//! Packs from a reader: texts from the work tree, versions from what the answer depends on.

use crate::engine::Engine;
use crate::error::Result;
use crate::reader::Reader;
use contextd_history::Repository;
use contextd_model::ContentHash;
use contextd_model::config::FusionStrategy;
use contextd_pack::ids::Versions;
use contextd_pack::request::{Intent, Layout, Ranking};
use contextd_pack::texts::Replaced;
use contextd_pack::{
    Built, ContextPack, Defaults, FileText, HeldItems, Inputs, Known, Note, PackError, PackRequest,
    Rule, Shelf, Texts, Tokenizer,
};
use contextd_retrieve::fusion::Fusion;
use contextd_retrieve::{Learned, Provider, Providers, Sources, Weights};
use contextd_scan::secrets::MARK;
use std::sync::{Arc, PoisonError};

/// Reads files of the work tree through the scanner, so that nothing outside the root is read, and
/// scrubs them, so that no secret is returned.
pub struct WorkTree<'e> {
    engine: &'e Engine,
}

impl Texts for WorkTree<'_> {
    fn hash(&self, path: &str) -> Option<ContentHash> {
        self.engine
            .unchanged_hash(path)
            .or_else(|| self.engine.read_noted(path).ok().map(|bytes| bytes.hash))
    }

    fn read(&self, path: &str) -> Option<FileText> {
        let bytes = self.engine.read(path).ok()?;
        Some(self.scrubbed(path, bytes))
    }

    fn read_again(&self, path: &str, known: Option<&Arc<FileText>>) -> Option<Arc<FileText>> {
        if let Some(known) =
            known.filter(|known| self.engine.unchanged_hash(path) == Some(known.hash))
        {
            return Some(known.clone());
        }
        let bytes = self.engine.read_noted(path).ok()?;
        Some(
            known
                .filter(|known| known.hash == bytes.hash)
                .cloned()
                .unwrap_or_else(|| Arc::new(self.scrubbed(path, bytes))),
        )
    }
}

impl WorkTree<'_> {
    /// Returns a file when its text as it stands on disk is `wanted`; most files are read in vain, so
    /// secrets are looked for only in those that are.
    pub fn read_if(&self, path: &str, wanted: &dyn Fn(&str) -> bool) -> Option<FileText> {
        let bytes = self.engine.read(path).ok()?;
        wanted(&bytes.text).then(|| self.scrubbed(path, bytes))
    }

    fn scrubbed(&self, path: &str, bytes: contextd_scan::FileBytes) -> FileText {
        let scrubbed = self.engine.scrubber.scrub(&bytes.text, path);
        let newlines = |start: usize, end: usize| {
            bytes.text.as_bytes()[start..end].iter().filter(|&&byte| byte == b'\n').count()
        };
        let redactions = scrubbed
            .redactions
            .iter()
            .map(|redaction| Replaced {
                start: redaction.start,
                end: redaction.end,
                length: MARK.len() + newlines(redaction.start, redaction.end),
            })
            .collect();
        FileText {
            redactions,
            scrubbed: scrubbed.text.into_owned(),
            hash: bytes.hash,
            original: bytes.text,
        }
    }
}

/// The same choice takes about so many times the tokens in a format that names every field, and a pack
/// for another intent than an answer shows neighbours too.
const WORDY: u32 = 6;

/// True for answers that are read as they are: a map of places in a format for readers.
fn is_short(request: &PackRequest) -> bool {
    matches!(request.format.as_str(), "" | "text" | "markdown" | "xml")
        && request.layout == Layout::Map
        && request.intent == Intent::Answer
}

impl Engine {
    /// Returns the files of the work tree as packs read them.
    pub fn texts(&self) -> WorkTree<'_> {
        WorkTree { engine: self }
    }

    /// Returns the weights of a profile with their version; without a name, the configured profile.
    pub fn weights(&self, profile: Option<&str>) -> Result<(Arc<Weights>, String)> {
        let name = profile.unwrap_or(&self.config.query.profile);
        let providers = self.providers();
        let mut profiles = self.profiles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) =
            profiles.iter().find(|known| known.name == name && known.providers == providers)
        {
            return Ok((known.weights.clone(), known.version.clone()));
        }
        let Some(weights) = Weights::profile(name) else {
            let known: Vec<&str> = Weights::names().collect();
            return Err(PackError::NotFound {
                message: format!("there is no profile `{name}`"),
                suggestions: known.iter().map(ToString::to_string).collect(),
            }
            .into());
        };
        let weights = Arc::new(providers.apply(&weights));
        // The tables are sorted maps, so the same weights have the same text.
        let version = format!(
            "{name}-{}",
            &ContentHash::of(format!("{weights:?}").as_bytes()).to_hex()[..12]
        );
        profiles.push(Profile {
            name: name.to_owned(),
            providers,
            weights: weights.clone(),
            version: version.clone(),
        });
        Ok((weights, version))
    }

    /// Returns which providers the configuration wants, and how they are combined.
    ///
    /// Without `hybrid` only providers that are on by themselves take part; with it, full text is part
    /// of the fitted sum, and lists are fused from what `combines` names.
    pub fn providers(&self) -> Providers {
        let (own, usual) = (&self.config.providers, contextd_model::config::Providers::default());
        let hybrid = own.hybrid.enabled;
        let fusion = match own.hybrid.fusion_strategy {
            _ if !hybrid => None,
            FusionStrategy::Fitted => None,
            FusionStrategy::Rrf => Some(Fusion::Rrf),
            FusionStrategy::WeightedAverage => Some(Fusion::WeightedAverage),
            FusionStrategy::Cascade => Some(Fusion::Cascade),
        };
        let all = [
            (Provider::Semantic, own.semantic.enabled, own.semantic.weight / usual.semantic.weight),
            (Provider::Symbol, own.symbol.enabled, own.symbol.weight / usual.symbol.weight),
            (
                Provider::FullText,
                own.full_text.enabled || hybrid,
                own.full_text.weight / usual.full_text.weight,
            ),
            (
                Provider::GitHistory,
                own.git_history.enabled,
                own.git_history.weight / usual.git_history.weight,
            ),
            (
                Provider::Dependency,
                own.dependency.enabled,
                own.dependency.weight / usual.dependency.weight,
            ),
        ];
        let takes_part = |provider: Provider| {
            fusion.is_none() || own.hybrid.combines.iter().any(|name| name == provider.name())
        };
        let factors = all
            .into_iter()
            .filter(|&(provider, on, _)| on && takes_part(provider))
            .map(|(provider, _, factor)| (provider, factor as f32))
            .collect();
        Providers { factors, fusion }
    }

    /// Builds the pack of a request, cold; `render` writes it in the format whose bytes the budget counts.
    pub fn pack(
        &self,
        reader: &Reader,
        request: &PackRequest,
        render: &dyn Fn(&ContextPack) -> String,
    ) -> Result<ContextPack> {
        self.pack_learned(reader, request, None, None, render)
    }

    /// Builds the pack of a request with what was learned; items in `known` were sent before.
    pub fn pack_learned(
        &self,
        reader: &Reader,
        request: &PackRequest,
        learned: Option<&Learned>,
        known: Option<&Known>,
        render: &dyn Fn(&ContextPack) -> String,
    ) -> Result<ContextPack> {
        self.build_pack(reader, request, &Caller { learned, known, ..Caller::default() }, render)
            .map(|built| built.pack)
    }

    /// Returns the id under which the pack of a request may be remembered. What is declared may change
    /// without the index, so such packs are not.
    pub fn cache_id(&self, reader: &Reader, request: &PackRequest) -> Result<Option<String>> {
        let (_, weights) = self.weights(request.profile.as_deref())?;
        let declared = self.knowledge(reader).version.clone();
        let versions = Versions { weights, ..versions(reader) };
        // A request for another index is refused, whatever is remembered.
        let meant = request.index_signature.is_empty()
            || request.index_signature == versions.index_signature;
        let request = PackRequest { repo_id: self.repo_id(), ..request.clone() }
            .settled(&self.defaults(request));
        Ok((meant && declared.is_empty()).then(|| contextd_pack::ids::pack_id(&versions, &request)))
    }

    /// Returns what the configuration says where a request says nothing.
    fn defaults(&self, request: &PackRequest) -> Defaults {
        let budget = &self.config.budget;
        let tokens = match request.ranking {
            _ if !request.files.is_empty() => budget.files_tokens,
            Ranking::Search => budget.search_tokens,
            Ranking::Task | Ranking::Auto if is_short(request) => budget.task_tokens,
            Ranking::Task | Ranking::Auto => budget.task_tokens.saturating_mul(WORDY),
        };
        Defaults {
            tokens: u64::from(tokens),
            lambda: self.config.query.mmr_lambda,
            tokenizer: Tokenizer::by_name(&budget.tokenizer).unwrap_or_default(),
        }
    }

    /// Builds the pack of a request for a caller that may have learned and been sent things.
    pub fn build_pack(
        &self,
        reader: &Reader,
        request: &PackRequest,
        caller: &Caller<'_>,
        render: &dyn Fn(&ContextPack) -> String,
    ) -> Result<Built> {
        let (weights, version) = self.weights(request.profile.as_deref())?;
        let knowledge = self.knowledge(reader);
        let versions = Versions {
            weights: version,
            declared: knowledge.version.clone(),
            learned: caller.learned.map(|learned| learned.version.clone()).unwrap_or_default(),
            ..versions(reader)
        };
        let texts = self.texts();
        let meant =
            knowledge.meant(reader, &contextd_retrieve::understood(&request.query, &request.names));
        let author = self.author(reader, &knowledge);
        let notes =
            |paths: &[&str]| author.as_ref().map(|author| author.notes(paths)).unwrap_or_default();
        let rules =
            |paths: &[&str]| author.as_ref().map(|author| author.rules(paths)).unwrap_or_default();
        let empty = Shelf::default();
        // A graph has no texts that could be left out.
        let held = if request.is_graph() {
            HeldItems::default()
        } else {
            HeldItems::of(&caller.held_packs, &request.held.ids)
        };
        let start = std::time::Instant::now();
        let inputs = Inputs {
            layer: &reader.snapshot,
            sources: Some(Sources {
                learned: caller.learned,
                declared: meant.as_ref(),
                ..reader.sources(None)
            }),
            seeds: None,
            known: caller.known,
            notes: author.is_some().then_some(&notes as &dyn Fn(&[&str]) -> Vec<Note>),
            texts: &texts,
            shelf: caller.shelf.unwrap_or(&empty),
            history: Some(reader.history.view()),
            rules: author.is_some().then_some(&rules as &dyn Fn(&[&str]) -> Vec<Rule>),
            held: &held,
            held_packs: caller.held_packs.clone(),
            weights: &weights,
            versions,
            defaults: self.defaults(request),
            render,
            clock: &|| start.elapsed().as_micros() as u64,
        };
        let request = PackRequest { repo_id: self.repo_id(), ..request.clone() };
        Ok(contextd_pack::build(&inputs, &request)?)
    }

    /// Returns the root commit's hash, else the folder's name. Finding it walks the history, so it is kept.
    pub fn repo_id(&self) -> String {
        let kept = self.places.index.join("repo-id");
        if let Ok(id) = std::fs::read_to_string(&kept) {
            return id;
        }
        let root = Repository::open(&self.places.root)
            .ok()
            .and_then(|repository| repository.root_commit());
        let id = root.map(|commit| commit.to_string()).unwrap_or_else(|| {
            self.places
                .root
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default()
        });
        if self.places.index.is_dir() {
            // Not being able to keep it costs time at the next call, nothing else.
            let _ = std::fs::write(&kept, &id);
        }
        id
    }
}

/// The weights of a profile as the configuration wants them: to read them costs more than to use them.
pub(crate) struct Profile {
    name: String,
    providers: Providers,
    weights: Arc<Weights>,
    /// Name of these very weights.
    version: String,
}

/// What is known of who asks.
#[derive(Clone, Default)]
pub struct Caller<'a> {
    pub learned: Option<&'a Learned>,
    pub known: Option<&'a Known>,
    /// Packs that it says it has.
    pub held_packs: Arc<Vec<ContextPack>>,
    /// What was made of files for earlier requests.
    pub shelf: Option<&'a Shelf>,
}

/// Returns what every pack of a reader depends on.
fn versions(reader: &Reader) -> Versions {
    Versions {
        index_signature: reader.snapshot.index_signature().to_hex(),
        history: reader.history.head.map(|head| head.to_string()).unwrap_or_default(),
        ..Versions::default()
    }
}
