//! What packs make of single files, kept between requests.
//!
//! Everything here is read from one file and named by the hash of its content: a change elsewhere leaves
//! it valid, a change of the file makes it unreachable. Nothing has to be invalidated.

use crate::generations::Generations;
use crate::held::Shown;
use crate::ids::ids_of_file;
use crate::layer::{Detail, Layer};
use crate::pack::ContextItem;
use crate::similar::Words;
use crate::texts::{FileText, Texts};
use crate::tokens::Tokenizer;
use contextd_model::ContentHash;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes of texts, of details and of items that are kept, in each of two generations.
const MOST: usize = 16 << 20;
/// What a symbol weighs beside its texts.
const SYMBOL: usize = 200;

/// Views and texts of files, by content.
pub struct Shelf {
    views: Mutex<Generations<(String, ContentHash), Arc<FileView>>>,
    texts: Mutex<Generations<String, Arc<FileText>>>,
    items: Mutex<Generations<ItemKey, Arc<ContextItem>>>,
}

/// What an item is made from beside the reasons to show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ItemKey {
    /// Number of the file's view: another content has another one.
    pub view: u64,
    /// Place of the symbol in its file.
    pub at: u32,
    pub lines: Option<(u32, u32)>,
    pub shown: Shown,
    pub max_bytes: usize,
    pub documented: bool,
    /// The file could be read as it was indexed.
    pub fresh: bool,
}

impl Default for Shelf {
    fn default() -> Self {
        Self {
            views: Mutex::new(Generations::new(MOST)),
            texts: Mutex::new(Generations::new(MOST)),
            items: Mutex::new(Generations::new(MOST)),
        }
    }
}

/// How large a declaration is, and its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    pub tokens: u32,
    pub words: Words,
}

/// Symbols of one file, unpacked.
pub(crate) struct FileView {
    /// Tells this view from all others of the process.
    pub number: u64,
    details: Vec<Detail>,
    ids: OnceLock<Vec<String>>,
    /// Sizes of declarations: by symbol, with its doc comment or without, by tokenizer.
    sizes: Mutex<FxHashMap<(u32, bool, Tokenizer), Size>>,
    /// Tokens of outlines, by the same; nothing where there is no outline.
    outlines: Mutex<FxHashMap<(u32, bool, Tokenizer), Option<u32>>>,
}

impl Shelf {
    /// Returns the symbols of a file.
    pub(crate) fn view(&self, layer: &dyn Layer, file: u32) -> Arc<FileView> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let key = (layer.file_path(file).to_owned(), layer.file_hash(file));
        if let Some(view) = lock(&self.views).get(&key) {
            return view;
        }
        let view = Arc::new(FileView {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            details: layer.details(file),
            ids: OnceLock::new(),
            sizes: Mutex::default(),
            outlines: Mutex::default(),
        });
        let weight = view
            .details
            .iter()
            .map(|detail| SYMBOL + detail.signature.len() + detail.doc.len())
            .sum();
        lock(&self.views).put(key, view.clone(), weight);
        view
    }

    /// Returns a file as it is now; what was read of the same content before is not scrubbed again.
    pub(crate) fn text(&self, texts: &dyn Texts, path: &str) -> Option<Arc<FileText>> {
        let known = lock(&self.texts).get(&path.to_owned());
        let text = texts.read_again(path, known.as_ref())?;
        if known.is_none_or(|known| !Arc::ptr_eq(&known, &text)) {
            let weight = text.original.len() + text.scrubbed.len();
            lock(&self.texts).put(path.to_owned(), text.clone(), weight);
        }
        Some(text)
    }

    /// Returns the item without its scores and reasons; `make` makes it the first time.
    pub(crate) fn item(
        &self,
        key: ItemKey,
        make: impl FnOnce() -> ContextItem,
    ) -> Arc<ContextItem> {
        if let Some(item) = lock(&self.items).get(&key) {
            return item;
        }
        let item = Arc::new(make());
        let weight = SYMBOL + item.excerpt.text.len() + item.title.len();
        lock(&self.items).put(key, item.clone(), weight);
        item
    }
}

impl FileView {
    /// Returns offsets and texts of the symbol at that place in the file.
    pub(crate) fn detail(&self, at: u32) -> Option<&Detail> {
        self.details.get(at as usize)
    }

    /// Returns the id of the symbol at that place in the file.
    pub(crate) fn id(&self, layer: &dyn Layer, file: u32, at: u32) -> String {
        self.ids
            .get_or_init(|| ids_of_file(layer, file))
            .get(at as usize)
            .cloned()
            .unwrap_or_default()
    }

    /// Returns the size of a declaration; `make` measures it the first time.
    pub(crate) fn size(&self, key: (u32, bool, Tokenizer), make: impl FnOnce() -> Size) -> Size {
        if let Some(size) = lock(&self.sizes).get(&key) {
            return *size;
        }
        let size = make();
        lock(&self.sizes).insert(key, size);
        size
    }

    /// Returns the tokens of an outline; `make` counts them the first time.
    pub(crate) fn outline_tokens(
        &self,
        key: (u32, bool, Tokenizer),
        make: impl FnOnce() -> Option<u32>,
    ) -> Option<u32> {
        if let Some(tokens) = lock(&self.outlines).get(&key) {
            return *tokens;
        }
        let tokens = make();
        lock(&self.outlines).insert(key, tokens);
        tokens
    }
}

/// What was written is whole even if a writer panicked: entries are only added.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
