//! The form of one blob: checksum, length, codec, payload.
//!
//! ```text
//! 0..8    BLAKE3 of everything after it, cut to eight bytes
//! 8..12   length before compression
//! 12      codec: 0 stored, 1 zstd
//! 13..    payload
//! ```

use std::cell::RefCell;
use zstd::bulk::{Compressor, Decompressor};

const HEADER: usize = 13;
const STORED: u8 = 0;
const ZSTD: u8 = 1;

/// Level 3 takes half as long again and makes blobs one part in a hundred smaller.
const LEVEL: i32 = 1;

/// Longest content that is believed; far above the facts of any file within the size limits.
const MAX_LENGTH: u32 = 1 << 30;

thread_local! {
    // Setting up a context costs more than compressing a small blob, so each thread keeps one.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = RefCell::new(Compressor::new(LEVEL).ok());
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = RefCell::new(Decompressor::new().ok());
}

/// Returns the bytes in the form the cache stores; meant for worker threads, it takes no lock.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    let squeezed =
        COMPRESSOR.with_borrow_mut(|compressor| compressor.as_mut()?.compress(bytes).ok());
    match squeezed {
        Some(squeezed) if squeezed.len() < bytes.len() => frame(ZSTD, bytes.len(), &squeezed),
        _ => frame(STORED, bytes.len(), bytes),
    }
}

/// Returns what was given to [`compress`], `None` when the blob is damaged.
pub fn decompress(packed: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    decompress_into(packed, &mut bytes).then_some(bytes)
}

/// Replaces `bytes` by the content of the blob; false when the blob is damaged.
pub(crate) fn decompress_into(packed: &[u8], bytes: &mut Vec<u8>) -> bool {
    bytes.clear();
    if !is_sound(packed) {
        return false;
    }
    let (header, payload) = packed.split_at(HEADER);
    let length = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
    match header[12] {
        STORED => bytes.extend_from_slice(payload),
        ZSTD if length <= MAX_LENGTH => {
            bytes.reserve(length as usize);
            let expand = |context: &mut Option<Decompressor<'static>>| {
                context.as_mut()?.decompress_to_buffer(payload, bytes).ok()
            };
            if DECOMPRESSOR.with_borrow_mut(expand).is_none() {
                return false;
            }
        }
        _ => return false,
    }
    bytes.len() == length as usize
}

/// True when the checksum holds.
pub(crate) fn is_sound(packed: &[u8]) -> bool {
    packed.len() >= HEADER && packed[..8] == checksum(&packed[8..])
}

fn frame(codec: u8, length: usize, payload: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(HEADER + payload.len());
    packed.extend_from_slice(&[0; 8]);
    packed.extend_from_slice(&(length as u32).to_le_bytes());
    packed.push(codec);
    packed.extend_from_slice(payload);
    let sum = checksum(&packed[8..]);
    packed[..8].copy_from_slice(&sum);
    packed
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut sum = [0u8; 8];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn comes_back_whole(bytes in proptest::collection::vec(any::<u8>(), 0..4000), repeat in 1usize..4) {
            let bytes = bytes.repeat(repeat);
            prop_assert_eq!(decompress(&compress(&bytes)), Some(bytes));
        }

        #[test]
        fn any_changed_byte_reads_as_absent(
            bytes in proptest::collection::vec(0u8..4, 0..400), at in any::<prop::sample::Index>(), flip in 1u8..
        ) {
            let mut packed = compress(&bytes);
            let at = at.index(packed.len());
            packed[at] ^= flip;
            prop_assert_eq!(decompress(&packed), None);
        }

        #[test]
        fn noise_reads_as_absent(noise in proptest::collection::vec(any::<u8>(), 0..64)) {
            prop_assert_eq!(decompress(&noise), None);
        }
    }
}
