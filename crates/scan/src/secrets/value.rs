//! Does a value look like a secret? Entropy, classes of characters, and how they are mixed.

use super::placeholder::is_placeholder;

/// What the name beside a value says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Chosen by people: short, words with digits or signs.
    Password,
    /// Made by machines: long and random.
    Token,
}

/// Values longer than this are data, not credentials.
const LONGEST: usize = 4096;

/// Returns the Shannon entropy of `bytes` in bits a byte.
pub(super) fn entropy(bytes: &[u8]) -> f32 {
    if bytes.is_empty() {
        return 0.0;
    }
    let mut counts = [0u32; 256];
    for &byte in bytes {
        counts[usize::from(byte)] += 1;
    }
    let total = bytes.len() as f32;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| count as f32 / total)
        .map(|share| -share * share.log2())
        .sum()
}

/// Tells whether `value`, named as `class`, looks like a credential and not like a word, a name or a placeholder.
pub(super) fn looks_secret(value: &str, class: Class) -> bool {
    if !(8..=LONGEST).contains(&value.len())
        || value.bytes().any(|byte| byte.is_ascii_whitespace() || byte < b' ')
    {
        return false;
    }
    let mix = Mix::of(value);
    if mix.is_wordy(class) || names_a_place(value, &mix) || is_placeholder(value, &mix) {
        return false;
    }
    let entropy = entropy(value.as_bytes());
    match class {
        Class::Password => entropy >= 2.5,
        Class::Token => entropy >= 3.0,
    }
}

/// Tells whether a value without quotes looks like a machine-made credential wherever it stands.
pub(super) fn looks_random(value: &str) -> bool {
    let mix = Mix::of(value);
    value.len() >= 16
        && !value.starts_with("0x")
        && mix.digits >= 3
        && mix.switches >= 5
        && looks_secret(value, Class::Token)
        && entropy(value.as_bytes()) >= 3.3
}

/// How many characters of each class a value has, and how they alternate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mix {
    pub length: usize,
    pub lower: usize,
    pub upper: usize,
    pub digits: usize,
    /// Signs that names do not have.
    pub signs: usize,
    /// Changes between letters and digits within the parts that separators make.
    pub switches: usize,
    /// Most such changes in one part.
    pub densest: usize,
    /// Runs of letters of one case, separators aside.
    pub case_runs: usize,
}

impl Mix {
    pub fn of(value: &str) -> Self {
        let mut mix = Self { length: value.len(), ..Self::default() };
        let mut last_was_digit = None;
        let mut last_was_upper = None;
        let mut in_part = 0;
        for byte in value.bytes() {
            let is_upper = byte.is_ascii_uppercase();
            match byte {
                b'0'..=b'9' => mix.digits += 1,
                b'a'..=b'z' => mix.lower += 1,
                b'A'..=b'Z' => mix.upper += 1,
                b'_' | b'-' | b'.' | b'/' | b':' | b'=' | b',' => {
                    last_was_digit = None;
                    in_part = 0;
                    continue;
                }
                _ => {
                    mix.signs += 1;
                    continue;
                }
            }
            let is_digit = byte.is_ascii_digit();
            in_part += usize::from(last_was_digit.is_some_and(|last: bool| last != is_digit));
            mix.switches += usize::from(last_was_digit.is_some_and(|last: bool| last != is_digit));
            mix.densest = mix.densest.max(in_part);
            last_was_digit = Some(is_digit);
            if !is_digit {
                mix.case_runs += usize::from(last_was_upper != Some(is_upper));
                last_was_upper = Some(is_upper);
            }
        }
        mix
    }

    fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// Words, camel case and names with a number at the end read like this; credentials do not.
    fn is_wordy(&self, class: Class) -> bool {
        let is_constant =
            self.lower == 0 && self.signs == 0 && self.switches <= 1 && self.digits <= 2;
        if is_constant {
            return true;
        }
        let random_case = self.length >= 20
            && self.lower > 0
            && self.upper > 0
            && self.case_runs * 12 > self.letters() * 5;
        match class {
            Class::Password => {
                let with_digits = self.letters() > 0 && self.digits > 0;
                let with_signs = self.lower > 0 && self.upper > 0 && self.signs > 0;
                !(with_digits || with_signs || random_case)
            }
            Class::Token => {
                let mixed = self.letters() > 0 && self.digits > 0 && self.switches >= 3;
                let long = self.length >= 16 && self.letters() > 0 && self.digits >= 3;
                !(mixed || long || random_case)
            }
        }
    }

    /// Written to satisfy a password policy: all four classes.
    pub fn has_all_classes(&self) -> bool {
        self.lower > 0 && self.upper > 0 && self.digits > 0 && self.signs > 0
    }
}

/// Paths, addresses, dates and versions have digits and signs without being secret.
fn names_a_place(value: &str, mix: &Mix) -> bool {
    let is_path =
        value.starts_with(['/', '~']) || value.starts_with("./") || value.starts_with("../");
    let is_dotted_name = value.contains(['.', '/', ':']) && mix.densest < 3 && mix.signs == 0;
    let is_date = value.len() >= 10
        && value
            .bytes()
            .zip(*b"0000-00-00")
            .all(|(byte, form)| if form == b'-' { byte == b'-' } else { byte.is_ascii_digit() });
    (is_path && mix.switches < 8) || value.contains("://") || is_dotted_name || is_date
}
