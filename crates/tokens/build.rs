//! Writes the vocabularies and the classes of characters as tables that are read where they lie.

#[path = "src/hash.rs"]
mod hash;
#[path = "src/layout.rs"]
mod layout;

use hash::hash;
use layout::{BLOCK, EMPTY, slot_of};
use regex_syntax::hir::{Class, HirKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/hash.rs");
    println!("cargo::rerun-if-changed=src/layout.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names the folder"));
    write_vocabulary(&out, "o200k", bpe_openai::o200k_base());
    write_vocabulary(&out, "cl100k", bpe_openai::cl100k_base());
    write_classes(&out);
}

/// Writes all tokens one after the other, where each begins, and a hash table of their ranks.
fn write_vocabulary(out: &Path, name: &str, vocabulary: &bpe_openai::Tokenizer) {
    let bpe = &vocabulary.bpe;
    let count = bpe.num_tokens();
    let mut slots = vec![EMPTY; (count * 2).next_power_of_two()];
    let (mut bytes, mut starts) = (Vec::new(), vec![0_u32]);
    for rank in 0..count as u32 {
        let token = bpe.token_bytes(rank);
        bytes.extend_from_slice(token);
        starts.push(u32::try_from(bytes.len()).expect("a vocabulary is a few megabytes"));
        let (mut at, entry) = slot_of(hash(token), slots.len(), rank);
        while slots[at] != EMPTY {
            at = (at + 1) % slots.len();
        }
        slots[at] = entry;
    }
    write(out, &format!("{name}.bytes"), &bytes);
    write(out, &format!("{name}.starts"), &little_endian(&starts));
    write(out, &format!("{name}.slots"), &little_endian(&slots));
}

fn little_endian(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Writes the class of every character: for each block of code points which block of classes it has, and those.
fn write_classes(out: &Path) {
    let mut classes = vec![layout::OTHER; 0x11_0000];
    let members = [
        (layout::UPPER, r"[\p{Lu}\p{Lt}]"),
        (layout::LOWER, r"\p{Ll}"),
        (layout::CASELESS, r"[\p{Lm}\p{Lo}]"),
        (layout::MARK, r"\p{M}"),
        (layout::NUMBER, r"\p{N}"),
        (layout::SPACE, r"\s"),
        (layout::NEWLINE, r"[\r\n]"),
    ];
    for (class, pattern) in members {
        let HirKind::Class(Class::Unicode(ranges)) =
            regex_syntax::parse(pattern).expect("the pattern is fixed").into_kind()
        else {
            panic!("{pattern} is a class")
        };
        for range in ranges.ranges() {
            classes[range.start() as usize..=range.end() as usize].fill(class);
        }
    }
    let mut known: BTreeMap<&[u8], u8> = BTreeMap::new();
    let (mut index, mut blocks) = (Vec::new(), Vec::new());
    for block in classes.chunks(BLOCK) {
        let next = known.len();
        let number = *known.entry(block).or_insert_with(|| {
            blocks.extend_from_slice(block);
            u8::try_from(next).expect("fewer than 256 blocks differ")
        });
        index.push(number);
    }
    write(out, "classes.index", &index);
    write(out, "classes.blocks", &blocks);
}

fn write(out: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(out.join(name), bytes).expect("the folder can be written");
}
