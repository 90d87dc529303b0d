//! A map from words to what is known of them, made for looking up short words often: their text lies
//! in the slots themselves, so that a look-up touches one line of memory and compares two numbers.

/// A map whose keys are texts that are not empty.
pub(crate) struct Remembered<V> {
    /// A power of two of them, at most three quarters in use.
    slots: Vec<Slot<V>>,
    used: usize,
    /// Texts too long for a slot, one after the other.
    long: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Slot<V> {
    key: Key,
    value: V,
}

/// A text of up to 15 bytes with its length in the highest byte; of a longer one the hash, and where
/// it lies. Both parts are 0 for an empty slot.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    low: u64,
    high: u64,
}

impl Key {
    /// Returns where the search for it begins. Of long texts only the hash takes part.
    #[inline]
    fn begin(self) -> u32 {
        let high = if self.high & LONG == LONG { LONG } else { self.high };
        (mix(mix(0, self.low), high) >> 32) as u32
    }
}

const SHORT: usize = 15;
/// Highest byte of long texts; above [`SHORT`].
const LONG: u64 = 0xff << 56;

/// A text that is looked for.
#[derive(Clone, Copy)]
pub(crate) struct Sought<'t> {
    pub bytes: &'t [u8],
    /// Its key; of a long one without where it lies.
    key: Key,
    /// Where the search for it begins, in a map of any size.
    begin: u32,
}

impl<'t> Sought<'t> {
    pub const NOTHING: Self = Self { bytes: &[], key: Key { low: 0, high: 0 }, begin: 0 };

    #[inline]
    pub fn of(bytes: &'t [u8]) -> Self {
        let key =
            if bytes.len() <= SHORT { short(bytes) } else { Key { low: hash(bytes), high: LONG } };
        Self { bytes, key, begin: key.begin() }
    }

    /// Returns what [`Sought::of`] returns for a part of a text. Where the text goes on, all of a short part is read at once.
    #[inline]
    pub fn within(text: &'t [u8], start: usize, end: usize) -> Self {
        let (bytes, length) = (&text[start..end], end - start);
        match text[start..].first_chunk::<16>() {
            Some(sixteen) if length <= SHORT && length > 0 => {
                let (whole, (low, high)) = (u128::from_le_bytes(*sixteen), FIRST_BYTES[length]);
                let key = Key {
                    low: whole as u64 & low,
                    high: (whole >> 64) as u64 & high | (length as u64) << 56,
                };
                Self { bytes, key, begin: key.begin() }
            }
            _ => Self::of(bytes),
        }
    }
}

/// Ones for so many bytes, in the two halves of a key.
const FIRST_BYTES: [(u64, u64); SHORT + 1] = {
    let (mut ones, mut length) = ([(0, 0); SHORT + 1], 0);
    while length <= SHORT {
        let whole = (1u128 << (8 * length)) - 1;
        ones[length] = (whole as u64, (whole >> 64) as u64);
        length += 1;
    }
    ones
};
/// Slots of an empty map.
const FIRST: usize = 4096;

impl<V: Copy + Default> Default for Remembered<V> {
    fn default() -> Self {
        Self {
            slots: vec![Slot { key: Key::default(), value: V::default() }; FIRST],
            used: 0,
            long: Vec::new(),
        }
    }
}

impl<V: Copy + Default> Remembered<V> {
    pub fn len(&self) -> usize {
        self.used
    }

    /// Forgets all texts and keeps the room they had.
    pub fn clear(&mut self) {
        self.slots.fill(Slot { key: Key::default(), value: V::default() });
        self.used = 0;
        self.long.clear();
    }

    /// Reads what [`Remembered::find`] will read first, without waiting for it: the result only has to be used.
    #[inline]
    pub fn touch(&self, sought: Sought<'_>) -> u64 {
        self.slots[self.place(sought.begin)].key.low
    }

    /// Returns the slot of a text, if it is there.
    #[inline]
    pub fn find(&self, sought: Sought<'_>) -> Option<usize> {
        if sought.key.high == LONG {
            self.find_long(sought)
        } else {
            self.find_key(sought.key, sought.begin)
        }
    }

    /// Returns what the text in a slot is known by; slots move when a text is added.
    #[inline]
    pub fn value(&mut self, slot: usize) -> &mut V {
        &mut self.slots[slot].value
    }

    /// Adds a text that is not there. Slots that the caller remembers follow the texts they stand for.
    pub fn add(&mut self, text: &str, value: V, remembered: &mut [u32]) -> usize {
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            self.grow(remembered);
        }
        let bytes = text.as_bytes();
        let key = if bytes.len() <= SHORT { short(bytes) } else { self.keep(bytes) };
        let slot = self.free(key);
        self.slots[slot] = Slot { key, value };
        self.used += 1;
        slot
    }

    #[inline]
    fn find_key(&self, key: Key, begin: u32) -> Option<usize> {
        let mut at = self.place(begin);
        loop {
            let slot = self.slots[at].key;
            if slot == key {
                return Some(at);
            }
            if slot == Key::default() {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    fn find_long(&self, sought: Sought<'_>) -> Option<usize> {
        let mut at = self.place(sought.begin);
        loop {
            let key = self.slots[at].key;
            if key.low == sought.key.low
                && key.high & LONG == LONG
                && self.text(key) == sought.bytes
            {
                return Some(at);
            }
            if key == Key::default() {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn place(&self, begin: u32) -> usize {
        begin as usize & (self.slots.len() - 1)
    }

    fn free(&self, key: Key) -> usize {
        let mut at = self.place(key.begin());
        while self.slots[at].key != Key::default() {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }

    fn text(&self, key: Key) -> &[u8] {
        let (start, length) =
            ((key.high & 0xffff_ffff) as usize, ((key.high & !LONG) >> 32) as usize);
        &self.long[start..start + length]
    }

    fn keep(&mut self, bytes: &[u8]) -> Key {
        let start = self.long.len() as u64;
        self.long.extend_from_slice(bytes);
        Key { low: hash(bytes), high: LONG | (bytes.len() as u64) << 32 | start }
    }

    fn grow(&mut self, remembered: &mut [u32]) {
        let double = vec![Slot { key: Key::default(), value: V::default() }; self.slots.len() * 2];
        let before = std::mem::replace(&mut self.slots, double);
        for slot in before.iter().filter(|slot| slot.key != Key::default()) {
            let at = self.free(slot.key);
            self.slots[at] = *slot;
        }
        for slot in remembered {
            // Every remembered slot held a text, which has just been put into its new one.
            let key = before[*slot as usize].key;
            *slot = self.find_key(key, key.begin()).unwrap_or_default() as u32;
        }
    }
}

/// The key of a text of 1 to 15 bytes, put together from loads that may overlap.
#[inline]
fn short(bytes: &[u8]) -> Key {
    let length = bytes.len();
    let mark = (length as u64) << 56;
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let after = (u64::from_le_bytes(*last) >> (8 * (SHORT - length))) >> 8;
        Key { low: u64::from_le_bytes(*first), high: mark | after }
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (length - 4));
        Key { low: u64::from(u32::from_le_bytes(*first)) | last, high: mark }
    } else if length > 0 {
        let at = |place: usize| u64::from(bytes[place]) << (8 * place);
        Key { low: at(0) | at(length / 2) | at(length - 1), high: mark }
    } else {
        Key { low: 0, high: 1 << 48 }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let state = chunks
        .iter()
        .fold(bytes.len() as u64, |state, chunk| mix(state, u64::from_le_bytes(*chunk)));
    rest.iter().fold(state, |state, &byte| mix(state, u64::from(byte)))
}

#[inline]
fn mix(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_is_a_map(texts in proptest::collection::vec("[a-c\u{e9}\0]{1,40}|[a-z]{1,3}", 0..700)) {
            let (mut map, mut known, mut slots) = (Remembered::<u32>::default(), BTreeMap::new(), Vec::new());
            for (number, text) in texts.iter().enumerate() {
                let found = map.find(Sought::of(text.as_bytes())).map(|slot| *map.value(slot));
                prop_assert_eq!(found, known.get(text).copied());
                if found.is_none() {
                    slots.push(0);
                    let earlier = slots.len() - 1;
                    let slot = map.add(text, number as u32, &mut slots[..earlier]);
                    slots[earlier] = slot as u32;
                    known.insert(text.clone(), number as u32);
                }
            }
            prop_assert_eq!(map.len(), known.len());
            let mut values: Vec<u32> = slots.iter().map(|&slot| *map.value(slot as usize)).collect();
            values.sort_unstable();
            let mut expected: Vec<u32> = known.into_values().collect();
            expected.sort_unstable();
            prop_assert_eq!(values, expected);
            map.clear();
            prop_assert_eq!(map.len(), 0);
            prop_assert!(texts.iter().all(|text| map.find(Sought::of(text.as_bytes())).is_none()));
        }
    }

    proptest! {
        #[test]
        fn a_part_of_a_text_is_sought_like_a_text(text in "[a-z\u{e9}]{0,40}", start in 0..40usize, length in 0..40usize) {
            let bytes = text.as_bytes();
            let start = start.min(bytes.len());
            let end = (start + length).min(bytes.len());
            let (whole, part) = (Sought::of(&bytes[start..end]), Sought::within(bytes, start, end));
            prop_assert_eq!((whole.bytes, whole.key.low, whole.key.high, whole.begin), (part.bytes, part.key.low, part.key.high, part.begin));
        }
    }

    #[test]
    fn texts_of_every_length_differ_from_their_beginnings() {
        let text = "abcdefghijklmnopqrstuvwxyz";
        let mut map = Remembered::<usize>::default();
        for length in 1..=text.len() {
            assert_eq!(map.find(Sought::of(&text.as_bytes()[..length])), None);
            map.add(&text[..length], length, &mut []);
        }
        for length in 1..=text.len() {
            let slot = map.find(Sought::of(&text.as_bytes()[..length])).unwrap();
            assert_eq!(*map.value(slot), length);
        }
    }
}
