//! Columns of numbers in as few bytes each as the largest one needs, read in place.

/// Writes `values` with the smallest width that holds all of them: 0 (all zero), 1, 2, 3 or 4 bytes.
/// The width is not stored: a reader knows how many values there are and divides.
pub(crate) fn pack(values: impl IntoIterator<Item = u32, IntoIter: Clone>) -> Vec<u8> {
    let values = values.into_iter();
    let largest = values.clone().max().unwrap_or(0);
    let mut out = Vec::with_capacity(values.size_hint().0 * usize::from(width(largest)));
    put_all(&mut out, values, width(largest));
    out
}

/// Writes `values`, each in `width` bytes, which must hold them.
pub(crate) fn put_all(out: &mut Vec<u8>, values: impl Iterator<Item = u32>, width: u8) {
    match width {
        0 => {}
        1 => out.extend(values.map(|value| value as u8)),
        2 => values.for_each(|value| out.extend_from_slice(&(value as u16).to_le_bytes())),
        3 => values.for_each(|value| {
            out.extend_from_slice(&[value as u8, (value >> 8) as u8, (value >> 16) as u8])
        }),
        _ => values.for_each(|value| out.extend_from_slice(&value.to_le_bytes())),
    }
}

/// Returns the bytes that a number needs.
pub(crate) fn width(number: u32) -> u8 {
    (4 - number.leading_zeros() / 8) as u8
}

/// Reads a number of up to four bytes; 0 for more.
#[inline]
pub(crate) fn number(bytes: &[u8]) -> u32 {
    match *bytes {
        [a] => u32::from(a),
        [a, b] => u32::from_le_bytes([a, b, 0, 0]),
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// Numbers in a mapped section. Reading outside it yields 0.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    bytes: &'a [u8],
    width: u8,
}

impl<'a> Column<'a> {
    /// Reads `bytes` as `rows` numbers; `None` when that does not come out even.
    pub(crate) fn new(bytes: &'a [u8], rows: usize) -> Option<Self> {
        let width = bytes.len().checked_div(rows).unwrap_or(0);
        (width <= 4 && width * rows == bytes.len()).then_some(Self { bytes, width: width as u8 })
    }

    /// Trusts that the width was found by [`Column::new`].
    #[inline]
    pub(crate) fn with_width(bytes: &'a [u8], width: u8) -> Self {
        Self { bytes, width }
    }

    pub(crate) fn width(&self) -> u8 {
        self.width
    }

    /// Returns the number in row `row`.
    #[inline]
    pub fn get(&self, row: u32) -> u32 {
        let width = usize::from(self.width);
        let Some(start) = (row as usize).checked_mul(width) else {
            return 0;
        };
        self.bytes.get(start..start + width).map_or(0, number)
    }

    /// Fills `numbers` with the first `rows` numbers, for passes over all of them.
    pub(crate) fn unpack(&self, rows: usize, numbers: &mut Vec<u32>) {
        numbers.clear();
        match self.width {
            1 => numbers.extend(self.bytes.iter().take(rows).map(|&a| u32::from(a))),
            2 => numbers.extend(
                self.bytes
                    .chunks_exact(2)
                    .take(rows)
                    .map(|row| u32::from_le_bytes([row[0], row[1], 0, 0])),
            ),
            3 => numbers.extend(
                self.bytes
                    .chunks_exact(3)
                    .take(rows)
                    .map(|row| u32::from_le_bytes([row[0], row[1], row[2], 0])),
            ),
            4 => numbers.extend(
                self.bytes
                    .chunks_exact(4)
                    .take(rows)
                    .map(|row| u32::from_le_bytes([row[0], row[1], row[2], row[3]])),
            ),
            _ => {}
        }
        numbers.resize(rows, 0);
    }

    /// Returns the row before `row` in a column of ends: where the thing in row `row` starts.
    #[inline]
    pub(crate) fn start(&self, row: u32) -> u32 {
        if row == 0 { 0 } else { self.get(row - 1) }
    }

    /// Returns the range of the thing in row `row` of a column of ends; empty when damaged.
    #[inline]
    pub(crate) fn range(&self, row: u32) -> std::ops::Range<u32> {
        let (start, end) = (self.start(row), self.get(row));
        start..end.max(start)
    }
}

/// Returns the first of `0..rows` for which `is_before` is false; rows must be partitioned by it.
pub(crate) fn partition_point(rows: u32, mut is_before: impl FnMut(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn columns_come_back_in_the_smallest_width(values in proptest::collection::vec(any::<u32>(), 1..40), shift in 0u32..33) {
            let values: Vec<u32> = values.iter().map(|value| value.checked_shr(shift).unwrap_or(0)).collect();
            let bytes = pack(values.iter().copied());
            let column = Column::new(&bytes, values.len()).unwrap();
            let largest = *values.iter().max().unwrap();
            prop_assert!(column.width() == 0 && largest == 0 || u64::from(largest) >= 1 << (8 * (u32::from(column.width()) - 1)));
            for (row, &value) in values.iter().enumerate() {
                prop_assert_eq!(column.get(row as u32), value);
            }
            let mut unpacked = vec![7; 3];
            column.unpack(values.len(), &mut unpacked);
            prop_assert_eq!(&unpacked, &values);
            column.unpack(1, &mut unpacked);
            prop_assert_eq!(&unpacked, &values[..1]);
            if column.width() > 0 {
                prop_assert_eq!(column.get(values.len() as u32), 0);
            }
        }
    }
}
