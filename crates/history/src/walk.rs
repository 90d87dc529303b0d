//! Commits reachable from a head, newest first.
//!
//! The order is that of a queue by commit time in which a commit enters with its first child: a
//! function of the commits alone, so that a walk helped by an earlier history gives the same order.

use crate::message;
use crate::rows::{CommitId, commit_flag};
use gix::objs::CommitRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BinaryHeap;
use std::sync::Arc;

/// A commit as read from git, or taken over from an earlier history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RawCommit {
    pub id: CommitId,
    pub parents: Vec<CommitId>,
    pub author: (String, String),
    pub author_time: i64,
    pub commit_time: i64,
    pub subject: String,
    pub body: String,
    pub flags: u32,
    pub touches: Vec<RawTouch>,
    pub outside: u32,
}

impl RawCommit {
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}

/// A touched file by its path, shared because a history names each path many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawTouch {
    pub path: Arc<str>,
    pub from: Option<Arc<str>>,
    pub kind: crate::ChangeKind,
}

/// What a walk found.
#[derive(Default)]
pub(crate) struct Walked {
    /// Newest first; the ones at `fresh` still lack their files.
    pub commits: Vec<RawCommit>,
    pub fresh: Vec<usize>,
    /// Trees of the commits that were read.
    pub trees: FxHashMap<CommitId, gix::ObjectId>,
    /// Commits named as parents that could not be read.
    pub missing: Vec<CommitId>,
    /// The walk stopped at a limit before the first commit.
    pub cut: bool,
}

/// Bounds of a walk.
pub(crate) struct WalkLimits {
    /// 0 for all.
    pub max_commits: usize,
    pub max_body: usize,
    /// Bytes of messages after which the walk stops.
    pub max_text: usize,
}

/// Walks from `head`. `known` gives commits of an earlier history that are still valid.
pub(crate) fn walk(
    git: &gix::Repository,
    head: CommitId,
    limits: &WalkLimits,
    known: &mut dyn FnMut(CommitId) -> Option<RawCommit>,
) -> Walked {
    let shallow = shallow_commits(git);
    let mut walked = Walked::default();
    let mut queue = Queue::default();
    let mut text = 0usize;
    let mut enter = |id: CommitId, queue: &mut Queue, walked: &mut Walked| {
        if !queue.seen.insert(id) {
            return;
        }
        let is_edge = shallow.contains(&id);
        if !is_edge && let Some(commit) = known(id) {
            queue.push(commit, false);
            return;
        }
        match read_commit(git, id, limits.max_body) {
            Some((mut commit, tree)) => {
                if is_edge {
                    commit.parents.clear();
                    commit.flags |= commit_flag::BOUNDARY;
                }
                walked.trees.insert(id, tree);
                queue.push(commit, true);
            }
            None => walked.missing.push(id),
        }
    };
    enter(head, &mut queue, &mut walked);
    while let Some((commit, fresh)) = queue.pop() {
        text += commit.subject.len() + commit.body.len();
        let full = limits.max_commits != 0 && walked.commits.len() >= limits.max_commits;
        if full || text > limits.max_text {
            walked.cut = true;
            break;
        }
        for &parent in &commit.parents {
            enter(parent, &mut queue, &mut walked);
        }
        if fresh {
            walked.fresh.push(walked.commits.len());
        }
        walked.commits.push(commit);
    }
    walked.missing.sort_unstable();
    walked
}

/// Commits waiting to be listed: by time, then in the order in which they came.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<(i64, std::cmp::Reverse<usize>)>,
    waiting: FxHashMap<usize, (RawCommit, bool)>,
    entered: usize,
    seen: FxHashSet<CommitId>,
}

impl Queue {
    fn push(&mut self, commit: RawCommit, fresh: bool) {
        self.heap.push((commit.commit_time, std::cmp::Reverse(self.entered)));
        self.waiting.insert(self.entered, (commit, fresh));
        self.entered += 1;
    }

    fn pop(&mut self) -> Option<(RawCommit, bool)> {
        let (_, std::cmp::Reverse(number)) = self.heap.pop()?;
        self.waiting.remove(&number)
    }
}

pub(crate) fn shallow_commits(git: &gix::Repository) -> FxHashSet<CommitId> {
    let commits = git.shallow_commits().ok().flatten();
    commits.iter().flat_map(|commits| commits.iter()).filter_map(|id| CommitId::of(id)).collect()
}

/// Reads one commit and the id of its tree; `None` when it is missing or not a commit.
pub(crate) fn read_commit(
    git: &gix::Repository,
    id: CommitId,
    max_body: usize,
) -> Option<(RawCommit, gix::ObjectId)> {
    let object = git.find_object(id.object()).ok()?;
    if object.kind != gix::objs::Kind::Commit {
        return None;
    }
    let commit = CommitRef::from_bytes(&object.data, id.object().kind()).ok()?;
    let parents: Vec<_> = commit.parents().filter_map(|parent| CommitId::of(&parent)).collect();
    // Signatures of old commits can be malformed; the commit is still worth listing.
    let author = commit.author().map(|author| author.trim());
    let committer = commit.committer();
    let message = message::split(commit.message, max_body);
    let mut flags = 0;
    if parents.len() > 1 {
        flags |= commit_flag::MERGE;
    }
    if message.cut {
        flags |= commit_flag::BODY_CUT;
    }
    let person = author.as_ref().map(|author| (one_line(author.name), one_line(author.email)));
    let raw = RawCommit {
        id,
        parents,
        author: person.unwrap_or_default(),
        author_time: author.map(|author| author.seconds()).unwrap_or_default(),
        commit_time: committer.map(|committer| committer.seconds()).unwrap_or_default(),
        subject: message.subject,
        body: message.body,
        flags,
        touches: Vec::new(),
        outside: 0,
    };
    let tree = commit.tree();
    Some((raw, tree))
}

fn one_line(bytes: &[u8]) -> String {
    message::decode(bytes).replace(['\n', '\r', '\t'], " ")
}
