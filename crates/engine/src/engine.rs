//! One root with its configuration, scanner and places.

use crate::context::Profile;
use crate::error::{EngineError, Result};
use crate::extraction::MAX_TEXTS;
use crate::kept_ledger::KeptLedger;
use crate::linking::Warm;
use crate::overlay::Overlays;
use crate::places::Places;
use crate::unchanged::Unchanged;
use contextd_lang::LanguageId;
use contextd_model::config::{self, Config};
use contextd_model::{ContentHash, FileFacts, Problem, Severity};
use contextd_pack::Tokenizer;
use contextd_retrieve::Weights;
use contextd_scan::Scanner;
use contextd_scan::secrets::Scrubber;
use contextd_snapshot::{InUse, Snapshot};
use contextd_store::{OpenOptions, SqliteLedger};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

/// What the caller knows and a library must not look for.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// Configuration file to read instead of the usual places.
    pub config: Option<PathBuf>,
    /// Folder for indexes of read-only roots.
    pub cache: Option<PathBuf>,
}

/// One root, ready to be indexed and asked.
pub struct Engine {
    pub places: Places,
    pub config: Config,
    /// The configuration file that was read.
    pub config_path: Option<PathBuf>,
    pub scanner: Scanner,
    pub scrubber: Scrubber,
    /// What was wrong but did not stop the engine.
    pub problems: Vec<Problem>,
    /// Bytes of texts held between reading files and taking them apart; when there are more, files are
    /// read shard by shard.
    pub max_texts: usize,
    /// Tables kept for the next change while this engine watches.
    pub(crate) warm: Mutex<Option<Warm>>,
    /// What callers put over the work tree, as last read from the ledger.
    pub(crate) overlays: RwLock<Arc<Overlays>>,
    /// A connection for questions to the ledger.
    pub(crate) kept_ledger: Mutex<KeptLedger>,
    /// Files that need not be read again.
    pub(crate) unchanged: Unchanged,
    /// Weights that were asked for, as the configuration wants them.
    pub(crate) profiles: Mutex<Vec<Profile>>,
    /// The snapshot that questions and looks at stamps share.
    pub(crate) in_use: InUse,
}

/// Files from which on the ledger has many rows.
const LEDGER_FILES: usize = 1_000;

/// Reports settings that name what there is not.
fn unknown_names(config: &Config) -> Vec<Problem> {
    let tokenizers: Vec<&str> = Tokenizer::ALL.iter().map(|tokenizer| tokenizer.name()).collect();
    let named = [
        (
            "query.profile",
            &config.query.profile,
            Weights::names().any(|name| name == config.query.profile),
            Weights::names().collect::<Vec<_>>(),
        ),
        (
            "budget.tokenizer",
            &config.budget.tokenizer,
            Tokenizer::by_name(&config.budget.tokenizer).is_some(),
            tokenizers,
        ),
    ];
    let unknown = named.into_iter().filter(|(_, _, known, _)| !known);
    unknown
        .map(|(key, name, _, known)| {
            Problem::error(
                "CTX_E_CONFIG_NAME",
                format!("`{key}` is {name:?}, which there is not."),
                format!("Choose among {}.", known.join(", ")),
            )
        })
        .collect()
}

impl Engine {
    /// Opens a root. `lookup_env` substitutes `${NAME}` in the configuration.
    pub fn open(
        root: &Path,
        options: &EngineOptions,
        lookup_env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Engine> {
        let root = std::fs::canonicalize(root).map_err(|source| EngineError::Io {
            what: "cannot open",
            path: root.to_owned(),
            source,
        })?;
        let (config, config_path, mut problems) =
            read_config(&root, options.config.as_deref(), lookup_env)?;
        let (scrubber, secret_problems) =
            Scrubber::new(&config.security.secret_patterns, config.security.scrub_secrets);
        problems.extend(secret_problems);
        problems.extend(unknown_names(&config));
        let places = Places::find(&root, &config, options.cache.as_deref());
        match places.refusal() {
            Some(why) if places.is_named() => problems.push(storage_refused(&places.index, &why)),
            Some(why) => return Err(EngineError::NotOurs { path: places.index, why }),
            None => {}
        }
        if let Some(path) = config_path
            .as_ref()
            .filter(|_| problems.iter().any(|problem| problem.severity == Severity::Error))
        {
            return Err(EngineError::Config { path: path.clone(), problems });
        }
        if config.security.encrypt_db {
            // Half a promise would be worse than none: the snapshot holds what the ledger holds.
            return Err(EngineError::Encryption);
        }
        let (scanner, scan_problems) = Scanner::new(&root, &config)?;
        problems.extend(scan_problems);
        Ok(Engine {
            places,
            config,
            config_path,
            scanner,
            scrubber,
            problems,
            warm: Mutex::new(None),
            overlays: RwLock::default(),
            kept_ledger: Mutex::default(),
            unchanged: Unchanged::default(),
            profiles: Mutex::default(),
            in_use: InUse::default(),
            max_texts: MAX_TEXTS,
        })
    }

    /// Opens the published snapshot; `None` before the first index run.
    pub fn snapshot(&self) -> Result<Option<Snapshot>> {
        Ok(Snapshot::open(&self.places.index)?)
    }

    /// Opens the published snapshot, or returns the one that is open where it is the same.
    pub(crate) fn shared_snapshot(&self) -> Result<Option<Snapshot>> {
        Ok(self.in_use.open(&self.places.index)?)
    }

    /// Opens the ledger; one that cannot be read is moved aside and begun anew.
    pub fn ledger(&self) -> Result<SqliteLedger> {
        self.ledger_for(0)
    }

    /// Opens the ledger as [`Engine::ledger`] does; one that is made now is made for so many files.
    pub(crate) fn ledger_for(&self, files: usize) -> Result<SqliteLedger> {
        self.places.create()?;
        let options = OpenOptions { much: files > LEDGER_FILES, ..OpenOptions::default() };
        let (ledger, _problems) = SqliteLedger::open_with(&self.places.ledger(), &options)?;
        Ok(ledger)
    }

    /// False when the index lies in a folder that other roots may be told to use, too.
    pub fn has_own_index(&self) -> bool {
        !self
            .config
            .storage
            .path
            .as_deref()
            .is_some_and(|path| std::path::Path::new(path).is_absolute())
    }

    /// Names everything that shapes a snapshot beside the files: facts and what is made of them.
    pub(crate) fn extractor(&self) -> String {
        format!("{}.{}", self.facts_version(), crate::linking::LINK_VERSION)
    }

    /// True when the facts of a snapshot were made by this version with these settings.
    pub(crate) fn has_same_facts(&self, snapshot: &Snapshot) -> bool {
        snapshot
            .manifest()
            .extractor
            .rsplit_once('.')
            .is_some_and(|(facts, _)| facts == self.facts_version())
    }

    /// Returns the facts of an indexed file as its snapshot holds them; `None` when it is not indexed.
    pub fn facts_of(&self, path: &str) -> Result<Option<FileFacts>> {
        let Some(snapshot) = self.snapshot()? else { return Ok(None) };
        let Some(file) = snapshot.find_file(path) else { return Ok(None) };
        let number = snapshot.segment_of_file(file);
        let local = file - snapshot.files_of_segment(number).start;
        Ok(snapshot.segments()[number].thaw(&[local]).pop().flatten())
    }

    /// Names everything that shapes facts: extractor, chunking and redaction.
    pub(crate) fn facts_version(&self) -> String {
        let prints = self.config.fingerprint();
        let settings = ContentHash::of(&[prints.chunking.0, prints.secrets.0].concat());
        format!("{}-{}", contextd_lang::EXTRACTOR_VERSION, &settings.to_hex()[..16])
    }
}

fn storage_refused(folder: &Path, why: &str) -> Problem {
    let message =
        format!("`storage.path` names {}, which cannot hold the index: {why}.", folder.display());
    Problem::error("CTX_E_CONFIG_STORAGE", message, "Name a folder that is empty or not there yet.")
}

/// True for names that rules of chunking may be given under, see [`config::Chunking::of`].
fn is_language(name: &str) -> bool {
    name == "jsx" || LanguageId::by_name(name).is_some()
}

fn unknown_language(name: &str, text: &str) -> Problem {
    let message = format!("`chunking.{name}` names no language, so its rules have no effect.");
    let remedy = match config::nearest(name, LanguageId::all().map(LanguageId::name)) {
        Some(meant) => format!("Did you mean `chunking.{meant}`? Otherwise remove it."),
        None => "Name a language as `contextd project-stats` does, or remove it.".to_owned(),
    };
    let line = text.lines().position(|line| {
        line.trim_start().to_lowercase().starts_with(&format!("[chunking.{name}]"))
    });
    let mut problem = Problem::warning("CTX_W_CONFIG_UNKNOWN_KEY", message, remedy);
    problem.line = line.map(|line| line as u32 + 1);
    problem
}

fn read_config(
    root: &Path,
    given: Option<&Path>,
    lookup_env: &dyn Fn(&str) -> Option<String>,
) -> Result<(Config, Option<PathBuf>, Vec<Problem>)> {
    let path = match given {
        Some(path) => Some(path.to_owned()),
        None => {
            config::CONFIG_PLACES.iter().map(|place| root.join(place)).find(|path| path.is_file())
        }
    };
    let Some(path) = path else { return Ok((Config::default(), None, Vec::new())) };
    let text = std::fs::read_to_string(&path).map_err(|source| EngineError::Io {
        what: "cannot read",
        path: path.clone(),
        source,
    })?;
    let (config, mut problems) = config::parse(&text, lookup_env);
    problems.extend(
        config
            .chunking
            .languages
            .keys()
            .filter(|name| !is_language(name))
            .map(|name| unknown_language(name, &text)),
    );
    let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    let problems = problems
        .into_iter()
        .map(|problem| {
            if problem.path.is_none() {
                let line = problem.line;
                problem.at(name.clone(), line)
            } else {
                problem
            }
        })
        .collect();
    Ok((config, Some(path), problems))
}
