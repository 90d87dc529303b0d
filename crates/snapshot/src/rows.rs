//! Rows of small numbers written column by column, for data that is read a whole file at a time.

use crate::varint::{self, Reader};

const ZERO: u8 = 0;
const CONSTANT: u8 = 1;
const PLAIN: u8 = 2;
/// A bit for each row says whether it is zero; only the others are written.
const SPARSE: u8 = 3;

/// Writes one number of every row.
pub(crate) fn put<T>(out: &mut Vec<u8>, rows: &[T], number: impl Fn(&T) -> u32) {
    put_numbers(out, rows.iter().map(&number));
}

/// Writes one number of every row as the difference to the row before.
pub(crate) fn put_delta<T>(out: &mut Vec<u8>, rows: &[T], number: impl Fn(&T) -> u32) {
    let mut before = 0;
    put_numbers(
        out,
        rows.iter()
            .map(|row| varint::zigzag(number(row), std::mem::replace(&mut before, number(row))))
            .collect::<Vec<_>>(),
    );
}

/// Writes numbers whose count the reader knows, in the shortest of the modes.
pub(crate) fn put_numbers(
    out: &mut Vec<u8>,
    numbers: impl IntoIterator<Item = u32, IntoIter: Clone>,
) {
    let numbers = numbers.into_iter();
    let (mut count, mut zeros, mut plain) = (0usize, 0usize, 0usize);
    let first = numbers.clone().next().unwrap_or(0);
    let mut constant = true;
    for number in numbers.clone() {
        count += 1;
        zeros += usize::from(number == 0);
        plain += varint::size(number);
        constant &= number == first;
    }
    if zeros == count {
        out.push(ZERO);
    } else if constant {
        out.push(CONSTANT);
        varint::put(out, first);
    } else if count.div_ceil(8) < zeros {
        out.push(SPARSE);
        put_bits(out, numbers.clone().map(|number| number != 0));
        numbers.filter(|&number| number != 0).for_each(|number| varint::put(out, number));
    } else {
        out.push(PLAIN);
        out.reserve(plain);
        numbers.for_each(|number| varint::put(out, number));
    }
}

fn put_bits(out: &mut Vec<u8>, bits: impl Iterator<Item = bool>) {
    for (at, bit) in bits.enumerate() {
        if at % 8 == 0 {
            out.push(0);
        }
        if let Some(last) = out.last_mut() {
            *last |= u8::from(bit) << (at % 8);
        }
    }
}

/// Reads what [`put`] wrote into the rows.
pub(crate) fn take<T>(reader: &mut Reader<'_>, rows: &mut [T], mut set: impl FnMut(&mut T, u32)) {
    match reader.byte() {
        CONSTANT => {
            let number = reader.varint();
            rows.iter_mut().for_each(|row| set(row, number));
        }
        PLAIN => rows.iter_mut().for_each(|row| set(row, reader.varint())),
        SPARSE => {
            let bits = reader.take(rows.len().div_ceil(8));
            for (at, row) in rows.iter_mut().enumerate() {
                let present = bits.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1);
                set(row, if present { reader.varint() } else { 0 });
            }
        }
        _ => rows.iter_mut().for_each(|row| set(row, 0)),
    }
}

/// Reads what [`put_delta`] wrote into the rows.
pub(crate) fn take_delta<T>(
    reader: &mut Reader<'_>,
    rows: &mut [T],
    mut set: impl FnMut(&mut T, u32),
) {
    let mut before = 0;
    take(reader, rows, |row, folded| {
        before = varint::unzigzag(folded, before);
        set(row, before);
    });
}

/// Reads a row count that [`put_count`] wrote and returns that many empty rows.
///
/// A constant or zero column takes less than a byte a row, so the count is held against
/// [`MAX_ROWS`] instead of the bytes left.
pub(crate) fn take_rows<T: Clone + Default>(reader: &mut Reader<'_>, rows: &mut Vec<T>) {
    rows.clear();
    let count = reader.varint() as usize;
    if count > MAX_ROWS.min(reader.rest().len().saturating_mul(4096)) {
        reader.take(usize::MAX);
        return;
    }
    rows.resize(count, T::default());
}

/// More rows than any source file has; writers stop there, and a damaged count above it is refused
/// before memory is asked for.
pub(crate) const MAX_ROWS: usize = 1 << 22;

/// Writes a row count.
pub(crate) fn put_count<T>(out: &mut Vec<u8>, rows: &[T]) {
    varint::put(out, rows.len() as u32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(values in proptest::collection::vec(prop_oneof![Just(0u32), Just(7), any::<u32>()], 0..80)) {
            let mut bytes = Vec::new();
            put(&mut bytes, &values, |value| *value);
            put_delta(&mut bytes, &values, |value| *value);
            let mut reader = Reader::new(&bytes);
            let mut back = vec![1u32; values.len()];
            take(&mut reader, &mut back, |row, value| *row = value);
            prop_assert_eq!(&back, &values);
            take_delta(&mut reader, &mut back, |row, value| *row = value);
            prop_assert_eq!(&back, &values);
            prop_assert!(reader.is_whole() && reader.rest().is_empty());
        }
    }
}
