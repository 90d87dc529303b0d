//! A map that forgets what was not asked for in a while.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Values by key in two generations: when the young one is full, it becomes the old one, and what was
/// old and not asked for since is gone.
pub(crate) struct Generations<K, V> {
    young: FxHashMap<K, (V, usize)>,
    old: FxHashMap<K, (V, usize)>,
    weight: usize,
    most: usize,
}

impl<K: Hash + Eq + Clone, V: Clone> Generations<K, V> {
    /// Makes an empty map whose generations weigh little more than `most` each.
    pub(crate) fn new(most: usize) -> Self {
        Self { young: FxHashMap::default(), old: FxHashMap::default(), weight: 0, most }
    }

    pub(crate) fn get(&mut self, key: &K) -> Option<V> {
        if let Some((value, _)) = self.young.get(key) {
            return Some(value.clone());
        }
        // What is in use stays when the generations change.
        let (value, weight) = self.old.remove(key)?;
        self.put(key.clone(), value.clone(), weight);
        Some(value)
    }

    pub(crate) fn put(&mut self, key: K, value: V, weight: usize) {
        if self.weight >= self.most {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
        self.weight += weight;
        if let Some((_, before)) = self.young.insert(key, (value, weight)) {
            self.weight -= before;
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_memory_is_bounded() {
        let mut map: Generations<u32, u32> = Generations::new(100);
        map.put(7, 70, 1);
        for number in 1_000..2_000 {
            map.put(number, number, 1);
            assert_eq!(map.get(&7), Some(70), "at {number}");
        }
        assert!(map.len() <= 202, "{}", map.len());
        assert_eq!((map.get(&1_000), map.get(&1_999)), (None, Some(1_999)));
        map.put(8, 1, 1_000_000);
        map.put(9, 1, 1);
        map.put(10, 1, 1);
        assert!(map.len() <= 202);
    }
}
