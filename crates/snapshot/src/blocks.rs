//! A long run of bytes, compressed in blocks so that any range of it can be read alone.

use crate::column::{self, Column};
use std::cell::Cell;
use zstd::bulk::Compressor;

/// Raw bytes in one block: small enough to read one signature quickly, large enough to compress.
const BLOCK: usize = 16 * 1024;

/// The level after which more time gains little.
const LEVEL: i32 = 3;

thread_local! {
    /// Room for compressing, which takes longer to make than a block to compress, and for one compressed block.
    static SPARE: Cell<(Option<Compressor<'static>>, Vec<u8>)> = const { Cell::new((None, Vec::new())) };
}

/// Compresses `raw`; returns the column of block ends and the compressed bytes.
pub(crate) fn compress(raw: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (spare, mut room) = SPARE.take();
    let mut compressor = spare.or_else(|| Compressor::new(LEVEL).ok());
    room.reserve(zstd::zstd_safe::compress_bound(BLOCK.min(raw.len())));
    let (mut ends, mut bytes) = (Vec::new(), Vec::with_capacity(raw.len() / 2));
    for block in raw.chunks(BLOCK) {
        room.clear();
        let packed = compressor
            .as_mut()
            .and_then(|compressor| compressor.compress_to_buffer(block, &mut room).ok())
            .and_then(|length| room.get(..length));
        // A block that does not shrink is kept as it is; its length tells.
        bytes
            .extend_from_slice(packed.filter(|packed| packed.len() < block.len()).unwrap_or(block));
        ends.push(bytes.len() as u32);
    }
    SPARE.set((compressor, room));
    (column::pack(ends), bytes)
}

/// The compressed run in a mapped file.
#[derive(Clone, Copy)]
pub(crate) struct Blocks<'a> {
    /// Tells the runs of different files apart, for [`BlockCache`].
    pub(crate) identity: u64,
    pub(crate) ends: Column<'a>,
    pub(crate) bytes: &'a [u8],
    /// Length of the whole run, uncompressed.
    pub(crate) raw_length: usize,
}

/// The block read last, kept because neighbours are read together.
#[derive(Default)]
pub(crate) struct BlockCache {
    held: Option<(u64, u32)>,
    raw: Vec<u8>,
    decompressor: zstd::bulk::Decompressor<'static>,
}

impl Blocks<'_> {
    /// Returns how many blocks a run of `raw_length` bytes has.
    pub(crate) fn count(raw_length: usize) -> usize {
        raw_length.div_ceil(BLOCK)
    }

    /// Appends the bytes in `range` to `out`; `None` when the run does not have them or is damaged.
    pub(crate) fn read(
        &self,
        range: std::ops::Range<usize>,
        cache: &mut BlockCache,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        if range.start > range.end || range.end > self.raw_length {
            return None;
        }
        let mut at = range.start;
        while at < range.end {
            let block = at / BLOCK;
            self.load(block as u32, cache)?;
            let inside = at - block * BLOCK;
            let end = (range.end - block * BLOCK).min(cache.raw.len());
            out.extend_from_slice(cache.raw.get(inside..end).filter(|part| !part.is_empty())?);
            at = block * BLOCK + end;
        }
        Some(())
    }

    fn load(&self, block: u32, cache: &mut BlockCache) -> Option<()> {
        if cache.held == Some((self.identity, block)) {
            return Some(());
        }
        cache.held = None;
        cache.raw.clear();
        let expected = BLOCK.min(self.raw_length - block as usize * BLOCK);
        let range = self.ends.range(block);
        let packed = self.bytes.get(range.start as usize..range.end as usize)?;
        if packed.len() == expected {
            cache.raw.extend_from_slice(packed);
        } else {
            cache.raw.reserve(expected);
            cache
                .decompressor
                .decompress_to_buffer(packed, &mut cache.raw)
                .ok()
                .filter(|&length| length == expected)?;
        }
        cache.held = Some((self.identity, block));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_range_comes_back() {
        let raw: Vec<u8> =
            (0..100_000u32).flat_map(|number| [(number / 7) as u8, (number % 13) as u8]).collect();
        let (ends, bytes) = compress(&raw);
        let blocks = Blocks {
            identity: 1,
            ends: Column::new(&ends, Blocks::count(raw.len())).unwrap(),
            bytes: &bytes,
            raw_length: raw.len(),
        };
        let mut cache = BlockCache::default();
        for range in
            [0..0, 0..1, 16_000..17_000, 0..raw.len(), raw.len() - 5..raw.len(), 16_384..32_768]
        {
            let mut out = Vec::new();
            blocks.read(range.clone(), &mut cache, &mut out).unwrap();
            assert_eq!(out, raw[range]);
        }
        assert!(blocks.read(raw.len()..raw.len() + 1, &mut cache, &mut Vec::new()).is_none());
        assert!(bytes.len() < raw.len());
    }
}
