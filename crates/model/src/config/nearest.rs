//! The known name that a mistyped one was probably meant to be.

/// Returns the closest of `known`, if it is close enough to be a typing mistake.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).clamp(1, 4);
    known
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 8)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit || is_part(name, candidate))
        .min()
        .map(|(_, candidate)| candidate)
}

/// True when one name is the other with words added at an end: `debounce` and `debounce_ms`.
fn is_part(name: &str, candidate: &str) -> bool {
    let (short, long) =
        if name.len() < candidate.len() { (name, candidate) } else { (candidate, name) };
    short.len() >= 4 && (long.starts_with(short) || long.ends_with(short))
}

/// Returns the edit distance; neighbours swapped count once.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) =
        (left.chars().take(64).collect(), right.chars().take(64).collect());
    let mut rows = vec![vec![0usize; right.len() + 1]; left.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=left.len() {
        for j in 1..=right.len() {
            let change = usize::from(left[i - 1] != right[j - 1]);
            let mut best =
                (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_names_find_their_key() {
        let known = ["debounce_ms", "watch_paths", "enabled", "max_file_size_mb"];
        let check =
            |name, expected| assert_eq!(nearest(name, known.into_iter()), expected, "{name}");
        check("debounce", Some("debounce_ms"));
        check("debouce_ms", Some("debounce_ms"));
        check("watchpaths", Some("watch_paths"));
        check("enabeld", Some("enabled"));
        check("max_size_mb", None);
        check("colour", None);
    }
}
