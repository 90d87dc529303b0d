//! The linker's tables kept between refreshes, for a process that watches a large root.
//!
//! Building them takes most of the time of linking one file again. A thread of its own holds those of the published
//! snapshot with what each file asked of them, answers for the files of one change, and builds the next ones meanwhile.
//! When nothing changes for long it lets go of them: the next change is linked without, and the one after it with.

use super::parts;
use super::pulls::Pulls;
use super::relink::FileLinks;
use super::rows::{Rows, first_symbols, symbols_of};
use contextd_link::reads::{Questions, Seen};
use contextd_link::{Reads, World};
use contextd_model::ContentHash;
use contextd_model::facts::FactsView;
use contextd_snapshot::{LinkRows, Segment, Snapshot, Wanted, segment_path};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

/// Tables of the segments that were linked last; ends with the value.
pub struct Warm {
    requests: Sender<Request>,
    /// Requests that nobody has listened to yet.
    waiting: Arc<AtomicUsize>,
    pulls: Arc<Pulls>,
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
    /// Starts with the segments of the published snapshot, and rests after so long without a change; `None` when the
    /// system starts no thread.
    pub fn start(index: &Path, keys: Vec<ContentHash>, rest: Duration) -> Option<Self> {
        let (requests, inbox) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let pulls = Arc::new(Pulls::default());
        let listener = Listener {
            index: index.to_owned(),
            inbox,
            waiting: waiting.clone(),
            pulls: pulls.clone(),
            rest,
        };
        let thread = std::thread::Builder::new().name("contextd-link".into());
        thread.spawn(move || listener.serve(keys)).ok()?;
        Some(Self { requests, waiting, pulls })
    }

    /// Where the edges of each file lead, for the graph that was made last.
    pub fn pulls(&self) -> &Pulls {
        &self.pulls
    }

    /// Links files again that differ between `base` and `keys`, and those that asked for what is different in them; the
    /// other files are the same in both. `None` when the tables are not those of `base`, or when more is to be linked.
    pub fn relink(
        &self,
        base: Vec<ContentHash>,
        keys: Vec<ContentHash>,
        files: Vec<u32>,
    ) -> Option<Vec<FileLinks>> {
        let (reply, answer) = sync_channel(1);
        self.send(Request { keys, question: Some((base, files, reply)) })?;
        answer.recv().ok()?
    }

    /// Says which segments are published: the next change starts from them.
    pub fn rebase(&self, keys: Vec<ContentHash>) {
        // When the thread is gone, linking goes on without it.
        let _ = self.send(Request { keys, question: None });
    }

    fn send(&self, request: Request) -> Option<()> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.requests.send(request).ok()
    }
}

/// The thread's side.
struct Listener {
    index: PathBuf,
    inbox: Receiver<Request>,
    waiting: Arc<AtomicUsize>,
    pulls: Arc<Pulls>,
    rest: Duration,
}

/// What is known of segments when their tables are built: what each file asks.
struct Known {
    keys: Vec<ContentHash>,
    reads: Option<Reads>,
}

/// What the thread does next.
enum Next {
    Hold(Known),
    Rest,
}

impl Listener {
    fn serve(&self, keys: Vec<ContentHash>) {
        let mut next = Some(Next::Hold(Known { keys, reads: None }));
        while let Some(now) = next {
            next = match now {
                Next::Hold(known) => self.hold(known),
                Next::Rest => self.published().map(|keys| Next::Hold(Known { keys, reads: None })),
            };
        }
    }

    fn next(&self) -> Option<Request> {
        let request = self.inbox.recv().ok()?;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        Some(request)
    }

    /// Builds the tables of some segments and holds them until they are asked, something else is published, or nothing is
    /// for long; `None` when nobody asks any more.
    fn hold(&self, Known { keys, mut reads }: Known) -> Option<Next> {
        let segments = open(&self.index, &keys);
        let mut rows = Rows::default();
        let mut world = World::build_with_room(&rows.read(segments.as_deref().unwrap_or(&[])));
        let request = loop {
            // Whoever asks meanwhile has to do with less.
            let waiting = &self.waiting;
            reads = reads.or_else(|| world.reads(|| waiting.load(Ordering::Relaxed) == 0));
            if reads.is_some() {
                self.prepare(&keys);
            }
            let request = match self.inbox.recv_timeout(self.rest) {
                Ok(request) => request,
                Err(RecvTimeoutError::Timeout) => {
                    self.pulls.forget();
                    return Some(Next::Rest);
                }
                Err(RecvTimeoutError::Disconnected) => return None,
            };
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            if request.question.is_some() || request.keys != keys {
                break request;
            }
        };
        let Some((base, files, reply)) = request.question else {
            return Some(Next::Hold(Known { keys: request.keys, reads: None }));
        };
        let known = if base == keys && segments.is_some() {
            self.answer(world, &request.keys, &files, reads, &reply)
        } else {
            None
        };
        if let Some(next) = known {
            return next.map(Next::Hold);
        }
        drop((rows, segments));
        // Who asked will build tables of its own: those from before are gone by now.
        let _ = reply.send(None);
        Some(Next::Hold(Known { keys: self.published()?, reads: None }))
    }

    /// Adds up where the edges of the published snapshot lead, when that is of these segments.
    fn prepare(&self, keys: &[ContentHash]) {
        let published = Snapshot::open(&self.index).ok().flatten();
        if let Some(snapshot) = published.filter(|snapshot| {
            snapshot.manifest().segments.iter().map(|entry| entry.key).eq(keys.iter().copied())
        }) {
            self.pulls.prepare(&snapshot);
        }
    }

    /// Links files and says so to whoever waits for them; `None` when it cannot. Waits in turn before the tables are taken
    /// down: that, and building the next ones, would take the processor from who publishes.
    fn answer(
        &self,
        world: World<'_>,
        keys: &[ContentHash],
        files: &[u32],
        mut reads: Option<Reads>,
        reply: &Reply,
    ) -> Option<Option<Known>> {
        let segments = open(&self.index, keys)?;
        let first = first_symbols(&segments);
        let places: Vec<(&Segment, u32)> = segments
            .iter()
            .flat_map(|segment| (0..segment.file_count()).map(move |file| (segment, file)))
            .collect();
        let mut rows: Vec<LinkRows> = Vec::new();
        rows.resize_with(files.len(), LinkRows::default);
        let mut changed: Vec<(usize, FactsView<'_>)> = Vec::new();
        for (&file, rows) in files.iter().zip(&mut rows) {
            let &(segment, local) = places.get(file as usize)?;
            changed.push((file as usize, segment.facts(local, Wanted::Links, rows)?));
        }
        let (world, again) = world.with_facts(&changed, reads.as_mut())?;
        let link = |seen: &mut Seen, &file: &u32| {
            let (links, questions) = world.link_noted(file, seen);
            let (own, part) =
                parts::split(numbered(&world, &first, links), symbols_of(&first, file as usize));
            ((file, own, part), (file, questions))
        };
        let (linked, asked): (Vec<FileLinks>, Vec<(u32, Questions)>) =
            again.par_iter().with_min_len(4).map_init(Seen::default, link).unzip();
        // Whoever asked may be gone; then nobody waits.
        let _ = reply.send(Some(linked));
        if let Some(reads) = &mut reads {
            asked.into_iter().for_each(|(file, questions)| reads.set_late(file, questions));
        }
        Some(
            self.published().map(|published| Known {
                reads: reads.filter(|_| published == keys),
                keys: published,
            }),
        )
    }

    /// Waits until something is published; whoever asks meanwhile must do without.
    fn published(&self) -> Option<Vec<ContentHash>> {
        loop {
            let request = self.next()?;
            match request.question {
                None => return Some(request.keys),
                Some((_, _, reply)) => drop(reply.send(None)),
            }
        }
    }
}

fn open(index: &Path, keys: &[ContentHash]) -> Option<Vec<Segment>> {
    let places = keys.iter().map(|&key| -> PathBuf { segment_path(index, key) });
    places.map(|place| Segment::open(&place).ok()).collect()
}

/// Gives symbols their numbers in the snapshot, where they have no gaps; their order is the same.
fn numbered(
    world: &World<'_>,
    first: &[u32],
    mut links: contextd_link::FileLinks,
) -> contextd_link::FileLinks {
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
