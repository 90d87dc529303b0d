//! The linker's tables kept between refreshes, for a process that watches a large root.
//!
//! Building them takes most of the time of linking one file again. A thread of its own holds those of
//! the published snapshot, answers for the files of one change, and builds the next ones meanwhile.

use super::parts;
use super::relink::FileLinks;
use super::rows::{Rows, first_symbols, symbols_of};
use contextd_link::World;
use contextd_model::ContentHash;
use contextd_model::facts::FactsView;
use contextd_snapshot::{LinkRows, Segment, Wanted, segment_path};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// Tables of the segments that were linked last; ends with the value.
pub struct Warm {
    requests: Sender<Request>,
}

struct Request {
    /// Segments that the files are to be linked in.
    keys: Vec<ContentHash>,
    /// Segments that the change starts from, files to link, and who waits for them.
    question: Option<(Vec<ContentHash>, Vec<u32>, Reply)>,
}

/// Where the answer to a question goes.
type Reply = SyncSender<Option<Vec<FileLinks>>>;

impl Warm {
    /// Starts with the segments of the published snapshot; `None` when the system starts no thread.
    pub fn start(index: &Path, keys: Vec<ContentHash>) -> Option<Self> {
        let (requests, inbox) = channel();
        let index = index.to_owned();
        let thread = std::thread::Builder::new().name("contextd-link".into());
        thread.spawn(move || serve(&index, keys, &inbox)).ok()?;
        Some(Self { requests })
    }

    /// Links files again that differ between `base` and `keys`, and documents that refer to what came or went; the other
    /// files are the same in both. `None` when the tables are not those of `base`, or when more is to be linked.
    pub fn relink(&self, base: Vec<ContentHash>, keys: Vec<ContentHash>, files: Vec<u32>) -> Option<Vec<FileLinks>> {
        let (reply, answer) = sync_channel(1);
        self.requests.send(Request { keys, question: Some((base, files, reply)) }).ok()?;
        answer.recv().ok()?
    }

    /// Says which segments are published: the next change starts from them.
    pub fn rebase(&self, keys: Vec<ContentHash>) {
        // When the thread is gone, linking goes on without it.
        let _ = self.requests.send(Request { keys, question: None });
    }
}

fn serve(index: &Path, mut keys: Vec<ContentHash>, inbox: &Receiver<Request>) {
    loop {
        let next = match hold(index, &keys, inbox) {
            Held::Until(next) => next,
            // Who asked will build tables of its own: those from before are gone by now.
            Held::Refused(reply) => {
                let _ = reply.send(None);
                published(inbox)
            }
        };
        let Some(next) = next else { return };
        keys = next;
    }
}

/// How tables came to their end.
enum Held {
    /// Other segments were published; `None` when nobody asks any more.
    Until(Option<Vec<ContentHash>>),
    /// A question could not be answered.
    Refused(Reply),
}

/// Builds the tables of some segments and holds them until they are asked or something else is published.
fn hold(index: &Path, keys: &[ContentHash], inbox: &Receiver<Request>) -> Held {
    let segments = open(index, keys);
    let mut rows = Rows::default();
    let world = World::build_with_room(&rows.read(segments.as_deref().unwrap_or(&[])));
    let request = loop {
        match inbox.recv() {
            Ok(request) if request.question.is_none() && request.keys == keys => {}
            Ok(request) => break request,
            Err(_) => return Held::Until(None),
        }
    };
    let Some((base, files, reply)) = request.question else { return Held::Until(Some(request.keys)) };
    if base != keys || segments.is_none() {
        return Held::Refused(reply);
    }
    // Taking tables down, or building the next ones, would take the processor from who publishes.
    match relink(world, index, &request.keys, &files, &reply, || published(inbox)) {
        Some(next) => Held::Until(next),
        None => Held::Refused(reply),
    }
}

/// Waits until something is published; whoever asks meanwhile must do without.
fn published(inbox: &Receiver<Request>) -> Option<Vec<ContentHash>> {
    loop {
        let request = inbox.recv().ok()?;
        match request.question {
            None => return Some(request.keys),
            Some((_, _, reply)) => drop(reply.send(None)),
        }
    }
}

fn open(index: &Path, keys: &[ContentHash]) -> Option<Vec<Segment>> {
    let places = keys.iter().map(|&key| -> PathBuf { segment_path(index, key) });
    places.map(|place| Segment::open(&place).ok()).collect()
}

/// Links files, says so to whoever waits for them, and waits in turn before the tables are taken down; `None` when it cannot.
fn relink<T>(world: World<'_>, index: &Path, keys: &[ContentHash], files: &[u32], reply: &Reply, wait: impl FnOnce() -> T) -> Option<T> {
    let segments = open(index, keys)?;
    let first = first_symbols(&segments);
    let places: Vec<(&Segment, u32)> = segments.iter().flat_map(|segment| (0..segment.file_count()).map(move |file| (segment, file))).collect();
    let mut rows: Vec<LinkRows> = Vec::new();
    rows.resize_with(files.len(), LinkRows::default);
    let mut changed: Vec<(usize, FactsView<'_>)> = Vec::new();
    for (&file, rows) in files.iter().zip(&mut rows) {
        let &(segment, local) = places.get(file as usize)?;
        changed.push((file as usize, segment.facts(local, Wanted::Links, rows)?));
    }
    let (world, further) = world.with_facts(&changed)?;
    let link = |file: u32| {
        let (own, part) = parts::split(numbered(&world, &first, world.link_file(file as usize)), symbols_of(&first, file as usize));
        (file, own, part)
    };
    let files: BTreeSet<u32> = files.iter().copied().chain(further).collect();
    let linked = files.into_par_iter().map(link).collect();
    // Whoever asked may be gone; then nobody waits.
    let _ = reply.send(Some(linked));
    Some(wait())
}

/// Gives symbols their numbers in the snapshot, where they have no gaps; their order is the same.
fn numbered(world: &World<'_>, first: &[u32], mut links: contextd_link::FileLinks) -> contextd_link::FileLinks {
    let number = |symbol: u32| {
        let (file, local) = world.place_of(symbol);
        first[file as usize] + local
    };
    for (source, edge) in &mut links.edges {
        (*source, edge.target) = (number(*source), number(edge.target));
    }
    links.outside.iter_mut().for_each(|edge| edge.source = number(edge.source));
    links
}
