//! The manifest: what a snapshot consists of and which inputs it stands for.

use crate::container::{self, Container};
use crate::error::{Result, SnapshotError};
use crate::merkle::{Tree, TreeNode};
use crate::segment::SegmentCounts;
use crate::shards::put_text;
use crate::varint::{self, Reader};
use contextd_model::ContentHash;
use std::path::Path;

const MAGIC: [u8; 8] = *b"ctxd.man";

const HEAD: usize = 0;
const SEGMENTS: usize = 1;
const FOLDERS: usize = 2;
const PACKAGES: usize = 3;
const SECTIONS: usize = 4;

/// One segment of a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentEntry {
    pub key: ContentHash,
    pub files: u32,
    pub symbols: u32,
    pub cells: u32,
    pub chunks: u32,
    /// Bytes of the indexed files.
    pub source_bytes: u64,
}

impl SegmentEntry {
    /// Returns the entry of a segment with these counts.
    pub fn new(key: ContentHash, counts: &SegmentCounts) -> Self {
        Self {
            key,
            files: counts.files,
            symbols: counts.symbols,
            cells: counts.cells,
            chunks: counts.chunks,
            source_bytes: counts.source_bytes,
        }
    }
}

/// Everything a snapshot names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Version of the extractor and of every setting that shapes facts.
    pub extractor: String,
    /// Hash of the configuration that shapes the index.
    pub config: ContentHash,
    pub tree: Tree,
    /// One entry for each shard, in the order of shards; a shard without files has an entry too.
    pub segments: Vec<SegmentEntry>,
    pub graph: ContentHash,
    pub edges: u64,
}

impl Manifest {
    /// Returns the identity of the indexed content: the tree's root with the versions of everything
    /// that reads it. It does not depend on the folder's place, on time or on the machine.
    pub fn index_signature(&self) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"index\0").update(&crate::FORMAT_VERSION.to_le_bytes());
        put_text(&mut hasher, &self.extractor);
        hasher.update(&self.config.0).update(&self.tree.root.0);
        ContentHash(*hasher.finalize().as_bytes())
    }

    /// Lays the manifest out. The snapshot's name is the hash of these bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut sections = vec![Vec::new(); SECTIONS];
        let head = &mut sections[HEAD];
        for hash in [self.config, self.tree.root, self.graph] {
            head.extend_from_slice(&hash.0);
        }
        head.extend_from_slice(&self.edges.to_le_bytes());
        put_string(head, &self.extractor);
        let segments = &mut sections[SEGMENTS];
        varint::put(segments, self.segments.len() as u32);
        for entry in &self.segments {
            segments.extend_from_slice(&entry.key.0);
            for number in [entry.files, entry.symbols, entry.cells, entry.chunks] {
                varint::put(segments, number);
            }
            segments.extend_from_slice(&entry.source_bytes.to_le_bytes());
        }
        sections[FOLDERS] = put_nodes(&self.tree.folders);
        sections[PACKAGES] = put_nodes(&self.tree.packages);
        container::assemble(MAGIC, &sections)
    }

    /// Reads a manifest file.
    pub fn read(path: &Path) -> Result<Self> {
        let container = Container::open(path, MAGIC, SECTIONS)?;
        // A manifest is small and names everything else, so it is checked whole.
        container.verify()?;
        decode(&container).ok_or_else(|| SnapshotError::damaged(path, "contents"))
    }

    /// Returns the number of files.
    pub fn files(&self) -> u32 {
        self.segments.iter().map(|entry| entry.files).sum()
    }

    /// Returns the number of symbols.
    pub fn symbols(&self) -> u32 {
        self.segments.iter().map(|entry| entry.symbols).sum()
    }
}

fn decode(container: &Container) -> Option<Manifest> {
    let mut head = Reader::new(container.section(HEAD));
    let (config, root, graph) = (take_hash(&mut head), take_hash(&mut head), take_hash(&mut head));
    let edges = take_u64(&mut head);
    let extractor = take_string(&mut head);
    let mut reader = Reader::new(container.section(SEGMENTS));
    let count = reader.count();
    let segments = (0..count).map(|_| take_segment(&mut reader)).collect();
    let tree = Tree {
        root,
        folders: take_nodes(container.section(FOLDERS))?,
        packages: take_nodes(container.section(PACKAGES))?,
    };
    (head.is_whole() && reader.is_whole()).then_some(Manifest {
        extractor,
        config,
        tree,
        segments,
        graph,
        edges,
    })
}

fn take_segment(reader: &mut Reader<'_>) -> SegmentEntry {
    SegmentEntry {
        key: take_hash(reader),
        files: reader.varint(),
        symbols: reader.varint(),
        cells: reader.varint(),
        chunks: reader.varint(),
        source_bytes: take_u64(reader),
    }
}

fn put_string(out: &mut Vec<u8>, text: &str) {
    varint::put(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
}

fn take_string(reader: &mut Reader<'_>) -> String {
    let length = reader.count();
    String::from_utf8_lossy(reader.take(length)).into_owned()
}

fn take_hash(reader: &mut Reader<'_>) -> ContentHash {
    ContentHash(reader.take(32).try_into().unwrap_or_default())
}

fn take_u64(reader: &mut Reader<'_>) -> u64 {
    u64::from_le_bytes(reader.take(8).try_into().unwrap_or_default())
}

fn put_nodes(nodes: &[TreeNode]) -> Vec<u8> {
    let mut out = Vec::new();
    varint::put(&mut out, nodes.len() as u32);
    for node in nodes {
        put_string(&mut out, &node.name);
        out.extend_from_slice(&node.hash.0);
        varint::put(&mut out, node.files);
    }
    out
}

fn take_nodes(bytes: &[u8]) -> Option<Vec<TreeNode>> {
    let mut reader = Reader::new(bytes);
    let count = reader.count();
    let nodes = (0..count)
        .map(|_| TreeNode {
            name: take_string(&mut reader),
            hash: take_hash(&mut reader),
            files: reader.varint(),
        })
        .collect();
    reader.is_whole().then_some(nodes)
}
