//! Numbers of one to five bytes, seven bits each, low bits first.

/// Appends `value`.
pub fn put(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Returns how many bytes [`put`] writes for `value`.
pub(crate) fn size(value: u32) -> usize {
    (38 - (value | 1).leading_zeros() as usize) / 7
}

/// Folds small positive and negative differences into small numbers; every `u32` survives.
pub(crate) fn zigzag(value: u32, base: u32) -> u32 {
    let difference = value.wrapping_sub(base) as i32;
    ((difference << 1) ^ (difference >> 31)) as u32
}

/// Returns the value that [`zigzag`] folded against the same base.
pub(crate) fn unzigzag(folded: u32, base: u32) -> u32 {
    base.wrapping_add((folded >> 1) ^ (folded & 1).wrapping_neg())
}

/// Reads numbers and bytes from a slice. Damaged input ends it: from then on it yields zeros and
/// `is_whole` is false, so callers check once at the end.
#[derive(Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    failed: bool,
}

impl<'a> Reader<'a> {
    /// Begins at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, failed: false }
    }

    /// Returns the bytes not yet read.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// True when nothing was read past the end.
    pub(crate) fn is_whole(&self) -> bool {
        !self.failed
    }

    /// Returns the next number.
    #[inline]
    pub fn varint(&mut self) -> u32 {
        match self.bytes {
            [first, rest @ ..] if *first < 0x80 => {
                self.bytes = rest;
                u32::from(*first)
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> u32 {
        let mut value = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let Some((&byte, rest)) = self.bytes.split_first() else {
                break;
            };
            self.bytes = rest;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return value;
            }
        }
        self.fail();
        0
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.take(1) {
            [byte] => *byte,
            _ => 0,
        }
    }

    /// Returns the next `count` bytes, or none of them when there are fewer.
    pub(crate) fn take(&mut self, count: usize) -> &'a [u8] {
        let Some((head, tail)) = self.bytes.split_at_checked(count) else {
            self.fail();
            return &[];
        };
        self.bytes = tail;
        head
    }

    /// Reads a count of things that take at least one byte each, so a damaged count cannot ask for
    /// more memory than the input has bytes.
    pub(crate) fn count(&mut self) -> usize {
        let count = self.varint() as usize;
        if count > self.bytes.len() {
            self.fail();
            return 0;
        }
        count
    }

    fn fail(&mut self) {
        self.failed = true;
        self.bytes = &[];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_comes_back(values in proptest::collection::vec(any::<u32>(), 0..50), base: u32) {
            let mut bytes = Vec::new();
            for &value in &values {
                let before = bytes.len();
                put(&mut bytes, value);
                prop_assert_eq!(bytes.len() - before, size(value));
                prop_assert_eq!(unzigzag(zigzag(value, base), base), value);
            }
            let mut reader = Reader::new(&bytes);
            for &value in &values {
                prop_assert_eq!(reader.varint(), value);
            }
            prop_assert!(reader.is_whole() && reader.rest().is_empty());
            reader.varint();
            prop_assert!(!reader.is_whole());
        }
    }
}
