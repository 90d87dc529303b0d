//! English words without their endings: the algorithm known as Porter2, for words of lower-case ASCII letters.
//!
//! Every word of a repository that is met for the first time comes through here; the library for many languages takes
//! many times as long. Tests hold the two equal.

/// Takes the endings off a word, in place.
pub(crate) fn stem(word: &mut Vec<u8>) {
    if word.len() < 3 {
        return;
    }
    if let Some((_, short)) = WHOLE.iter().find(|(whole, _)| whole == word) {
        return replace(word, word.len(), short);
    }
    mark_consonants(word);
    let regions = Regions::of(word);
    plural(word);
    if !KEPT.iter().any(|kept| kept == word) {
        participle(word, &regions);
        final_y(word);
        let_go(word, &regions, DERIVED);
        let_go(word, &regions, DERIVED_TWICE);
        let_go(word, &regions, ENDINGS);
        final_letter(word, &regions);
    }
    word.make_ascii_lowercase();
}

/// Words that have a stem of their own.
const WHOLE: &[(&[u8], &[u8])] = &[
    (b"skis", b"ski"),
    (b"skies", b"sky"),
    (b"dying", b"die"),
    (b"lying", b"lie"),
    (b"tying", b"tie"),
    (b"idly", b"idl"),
    (b"gently", b"gentl"),
    (b"ugly", b"ugli"),
    (b"early", b"earli"),
    (b"only", b"onli"),
    (b"singly", b"singl"),
    (b"sky", b"sky"),
    (b"news", b"news"),
    (b"howe", b"howe"),
    (b"atlas", b"atlas"),
    (b"cosmos", b"cosmos"),
    (b"bias", b"bias"),
    (b"andes", b"andes"),
];

/// Words that stay once their plural is off.
const KEPT: &[&[u8]] =
    &[b"inning", b"outing", b"canning", b"herring", b"earring", b"proceed", b"exceed", b"succeed"];

/// Beginnings behind which the first region starts, wherever their vowels are.
const BEGINNINGS: &[&[u8]] = &[b"gener", b"commun", b"arsen"];

/// Where the two regions begin in which endings may go.
struct Regions {
    first: usize,
    second: usize,
}

impl Regions {
    fn of(word: &[u8]) -> Self {
        let first = match BEGINNINGS.iter().find(|beginning| word.starts_with(beginning)) {
            Some(beginning) => beginning.len(),
            None => behind_a_syllable(word, 0),
        };
        Self { first, second: behind_a_syllable(word, first) }
    }
}

/// Returns the place behind the first consonant that follows a vowel, else the end.
fn behind_a_syllable(word: &[u8], start: usize) -> usize {
    let vowel = (start..word.len()).find(|&at| is_vowel(word[at])).unwrap_or(word.len());
    (vowel..word.len()).find(|&at| !is_vowel(word[at])).map_or(word.len(), |at| at + 1)
}

/// Writes `Y` for every `y` that is a consonant: at the beginning, and behind a vowel.
fn mark_consonants(word: &mut [u8]) {
    let mut before = b'a';
    for letter in word {
        if *letter == b'y' && is_vowel(before) {
            *letter = b'Y';
        }
        before = *letter;
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// True for a vowel between consonants of which the last is not `w`, `x` or `Y`, and for a vowel and a consonant alone.
fn ends_in_short_syllable(word: &[u8]) -> bool {
    match *word {
        [vowel, last] => is_vowel(vowel) && !is_vowel(last),
        [.., before, vowel, last] => {
            !is_vowel(before)
                && is_vowel(vowel)
                && !is_vowel(last)
                && !matches!(last, b'w' | b'x' | b'Y')
        }
        _ => false,
    }
}

fn replace(word: &mut Vec<u8>, ending: usize, by: &[u8]) {
    word.truncate(word.len() - ending);
    word.extend_from_slice(by);
}

fn plural(word: &mut Vec<u8>) {
    if word.ends_with(b"sses") {
        replace(word, 2, b"");
    } else if word.ends_with(b"ies") || word.ends_with(b"ied") {
        replace(word, if word.len() > 4 { 2 } else { 1 }, b"");
    } else if let [head @ .., before, b's'] = word.as_slice()
        && !matches!(before, b's' | b'u')
        && head.iter().any(|&letter| is_vowel(letter))
    {
        replace(word, 1, b"");
    }
}

fn participle(word: &mut Vec<u8>, regions: &Regions) {
    for (ending, keeps) in [
        (&b"eedly"[..], true),
        (b"eed", true),
        (b"ingly", false),
        (b"edly", false),
        (b"ing", false),
        (b"ed", false),
    ] {
        if !word.ends_with(ending) {
            continue;
        }
        let head = word.len() - ending.len();
        if keeps && head >= regions.first {
            replace(word, ending.len(), b"ee");
        } else if !keeps && word[..head].iter().any(|&letter| is_vowel(letter)) {
            word.truncate(head);
            mend_participle(word, regions);
        }
        return;
    }
}

/// What a word lost before its participle's ending comes back, and what it had twice goes.
fn mend_participle(word: &mut Vec<u8>, regions: &Regions) {
    match word.as_slice() {
        [.., b'a', b't'] | [.., b'b', b'l'] | [.., b'i', b'z'] => word.push(b'e'),
        [.., one @ (b'b' | b'd' | b'f' | b'g' | b'm' | b'n' | b'p' | b'r' | b't'), other]
            if one == other =>
        {
            word.truncate(word.len() - 1)
        }
        _ if word.len() == regions.first && ends_in_short_syllable(word) => word.push(b'e'),
        _ => {}
    }
}

fn final_y(word: &mut Vec<u8>) {
    if let [_, .., before, b'y' | b'Y'] = word.as_slice()
        && !is_vowel(*before)
    {
        replace(word, 1, b"i");
    }
}

/// What must hold so that an ending is replaced: the region it stands in, and what is before it.
#[derive(Clone, Copy)]
enum When {
    First,
    Second,
    /// Behind one of these letters.
    FirstBehind(&'static [u8]),
    SecondBehind(&'static [u8]),
}

type Ending = (&'static [u8], &'static [u8], When);

use When::{First, FirstBehind, Second, SecondBehind};

/// Endings of derived words and what stands for them, a longer one before one that it ends in.
const DERIVED: &[Ending] = &[
    (b"ational", b"ate", First),
    (b"tional", b"tion", First),
    (b"enci", b"ence", First),
    (b"anci", b"ance", First),
    (b"abli", b"able", First),
    (b"entli", b"ent", First),
    (b"ization", b"ize", First),
    (b"izer", b"ize", First),
    (b"ation", b"ate", First),
    (b"ator", b"ate", First),
    (b"alism", b"al", First),
    (b"aliti", b"al", First),
    (b"alli", b"al", First),
    (b"fulness", b"ful", First),
    (b"ousness", b"ous", First),
    (b"ousli", b"ous", First),
    (b"iveness", b"ive", First),
    (b"iviti", b"ive", First),
    (b"biliti", b"ble", First),
    (b"bli", b"ble", First),
    (b"ogi", b"og", FirstBehind(b"l")),
    (b"fulli", b"ful", First),
    (b"lessli", b"less", First),
    (b"li", b"", FirstBehind(b"cdeghkmnrt")),
];

/// Those of words that were derived from derived ones.
const DERIVED_TWICE: &[Ending] = &[
    (b"ational", b"ate", First),
    (b"tional", b"tion", First),
    (b"alize", b"al", First),
    (b"icate", b"ic", First),
    (b"iciti", b"ic", First),
    (b"ical", b"ic", First),
    (b"ful", b"", First),
    (b"ness", b"", First),
    (b"ative", b"", Second),
];

/// Endings that go where enough is left.
const ENDINGS: &[Ending] = &[
    (b"al", b"", Second),
    (b"ance", b"", Second),
    (b"ence", b"", Second),
    (b"er", b"", Second),
    (b"ic", b"", Second),
    (b"able", b"", Second),
    (b"ible", b"", Second),
    (b"ant", b"", Second),
    (b"ement", b"", Second),
    (b"ment", b"", Second),
    (b"ent", b"", Second),
    (b"ism", b"", Second),
    (b"ate", b"", Second),
    (b"iti", b"", Second),
    (b"ous", b"", Second),
    (b"ive", b"", Second),
    (b"ize", b"", Second),
    (b"ion", b"", SecondBehind(b"st")),
];

/// Replaces the longest ending of a table that the word has; where that may not be, no shorter one is tried.
fn let_go(word: &mut Vec<u8>, regions: &Regions, table: &[Ending]) {
    let Some(&(ending, by, when)) = table.iter().find(|(ending, ..)| word.ends_with(ending)) else {
        return;
    };
    let head = word.len() - ending.len();
    let is_behind = |letters: &[u8]| head > 0 && letters.contains(&word[head - 1]);
    let may = match when {
        First => head >= regions.first,
        Second => head >= regions.second,
        FirstBehind(letters) => head >= regions.first && is_behind(letters),
        SecondBehind(letters) => head >= regions.second && is_behind(letters),
    };
    if may {
        replace(word, ending.len(), by);
    }
}

fn final_letter(word: &mut Vec<u8>, regions: &Regions) {
    let Some((&last, head)) = word.split_last() else { return };
    let goes = match last {
        b'e' => {
            head.len() >= regions.second
                || head.len() >= regions.first && !ends_in_short_syllable(head)
        }
        b'l' => head.len() >= regions.second && head.ends_with(b"l"),
        _ => false,
    };
    if goes {
        replace(word, 1, b"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rust_stemmers::{Algorithm, Stemmer};

    fn stemmed(word: &str) -> String {
        let mut bytes = word.as_bytes().to_vec();
        stem(&mut bytes);
        String::from_utf8(bytes).expect("letters")
    }

    /// Compares with the library; returns the words that differ.
    fn differing(words: impl Iterator<Item = String>) -> Vec<(String, String)> {
        let library = Stemmer::create(Algorithm::English);
        words
            .filter(|word| stemmed(word) != library.stem(word))
            .map(|word| (stemmed(&word), word))
            .collect()
    }

    fn endings() -> Vec<&'static str> {
        let tables =
            [DERIVED, DERIVED_TWICE, ENDINGS].into_iter().flatten().map(|&(ending, ..)| ending);
        let mut endings: Vec<&str> =
            tables.map(|ending| std::str::from_utf8(ending).expect("letters")).collect();
        endings.extend([
            "s", "es", "sses", "ies", "ied", "us", "ss", "ed", "eed", "ing", "edly", "eedly",
            "ingly", "y", "ly", "ity", "ally", "e", "l", "le", "ll", "at", "bl", "iz", "tt", "gg",
            "x", "w", "ya",
        ]);
        endings
    }

    #[test]
    fn words_with_exceptions_are_as_in_the_library() {
        let whole = WHOLE
            .iter()
            .map(|(word, _)| *word)
            .chain(KEPT.iter().copied())
            .chain(BEGINNINGS.iter().copied());
        let words = whole.map(|word| String::from_utf8_lossy(word).into_owned()).flat_map(|word| {
            let ended: Vec<String> =
                endings().iter().map(|ending| format!("{word}{ending}")).collect();
            [word].into_iter().chain(ended)
        });
        assert_eq!(differing(words), []);
    }

    #[test]
    fn every_pair_of_endings_is_as_in_the_library() {
        let endings = endings();
        let words = ["", "y", "b", "ab", "bay", "relat", "syz", "hop", "ayu", "contro"]
            .into_iter()
            .flat_map(|head| {
                endings.iter().flat_map(move |one| [format!("{head}{one}")]).chain(
                    endings
                        .iter()
                        .flat_map(|one| endings.iter().map(move |two| format!("{head}{one}{two}")))
                        .collect::<Vec<_>>(),
                )
            });
        assert_eq!(differing(words.filter(|word| !word.is_empty())), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn stems_are_those_of_the_library(head in "[a-z]{0,8}|[aeybtl]{0,6}", numbers in proptest::collection::vec(0..80usize, 0..4)) {
            let endings = endings();
            let word: String = std::iter::once(head.as_str()).chain(numbers.iter().map(|number| endings[number % endings.len()])).collect();
            prop_assert_eq!(stemmed(&word), Stemmer::create(Algorithm::English).stem(&word));
        }
    }
}
