//! The order of interned strings, for what a segment is made of.

use contextd_model::{StrId, StringTable};

/// Returns those numbers for which `wanted` says so, in the byte order of their strings.
pub(crate) fn sorted(strings: &StringTable, wanted: impl Fn(u32) -> bool) -> Vec<u32> {
    let text = |number: u32| strings.get(StrId(number));
    let mut keyed: Vec<(u64, u32)> = (0..strings.len() as u32)
        .filter(|&number| wanted(number))
        .map(|number| (beginning(text(number).bytes()), number))
        .collect();
    keyed.sort_unstable_by(|left, right| {
        left.0.cmp(&right.0).then_with(|| text(left.1).cmp(text(right.1)))
    });
    keyed.into_iter().map(|(_, number)| number).collect()
}

/// Returns the first eight bytes as a number that sorts as they do; what is equal may differ further on.
pub(crate) fn beginning(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut first = [0u8; 8];
    for (to, byte) in first.iter_mut().zip(bytes) {
        *to = byte;
    }
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextd_lang::intern::Interner;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn numbers_sort_as_strings(texts in proptest::collection::vec("[ab\u{0}\u{1}\u{e4}]{1,12}", 0..200)) {
            let mut interner = Interner::default();
            texts.iter().for_each(|text| { interner.intern(text); });
            let strings = &interner.table;
            let found: Vec<&str> = sorted(strings, |number| number != 0).into_iter().map(|number| strings.get(StrId(number))).collect();
            let expected: BTreeSet<&str> = texts.iter().map(String::as_str).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
