//! Answers on a terminal: aligned, coloured, with the code beside its line numbers.
//!
//! Who reads through a pipe gets what `contextd-render` writes; this is for people only.

mod code;
mod facts;
mod map;
mod packs;
mod scope;
mod symbols;

use contextd_ops::Answer;

/// Narrower than this nothing can be laid out; wider is hard to read.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=160;

/// Writes an answer for a terminal of that width; `None` when it has no form of its own.
pub fn answer(answer: &Answer, width: usize) -> Option<String> {
    let mut page = Page { out: String::new(), width: width.clamp(*WIDTHS.start(), *WIDTHS.end()) };
    match answer {
        Answer::Pack(pack) if pack.layout == "map" => map::pack(&mut page, pack),
        Answer::Pack(pack) => packs::pack(&mut page, pack),
        Answer::Hits(hits) => packs::hits(&mut page, hits),
        Answer::Diff(diff) => packs::diff(&mut page, diff),
        Answer::Symbol(symbol) => symbols::symbol(&mut page, symbol),
        Answer::Why(why) => symbols::why(&mut page, why),
        Answer::Impact(impact) => scope::impact(&mut page, impact),
        Answer::Tests(tests) => scope::tests(&mut page, tests),
        Answer::Facts(value, _) => facts::facts(&mut page, value),
        _ => return None,
    }
    Some(page.out)
}

/// A text that grows line by line.
struct Page {
    out: String,
    width: usize,
}

impl Page {
    fn line(&mut self, line: impl AsRef<str>) {
        self.out.push_str(line.as_ref().trim_end());
        self.out.push('\n');
    }

    /// Lines so far.
    fn lines(&self) -> usize {
        self.out.bytes().filter(|byte| *byte == b'\n').count()
    }

    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }
}

/// Returns a number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns an amount of bytes in the unit that suits it.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// Returns a word with its number: `1 file`, `2 files`.
pub fn counted(number: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Returns a point in time, given in Unix milliseconds, as a date in UTC.
fn date(millis: i64) -> String {
    let (days, seconds) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000) / 1_000);
    // Days since 1 March of the year 0, in eras of 400 years.
    let since = days + 719_468;
    let (era, day) = (since.div_euclid(146_097), since.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!(
        "{year}-{month:02}-{day_of_month:02} {:02}:{:02} UTC",
        seconds / 3_600,
        seconds / 60 % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([12, 12_345, 3_000_000].map(bytes), ["12 B", "12.3 kB", "3.0 MB"]);
        assert_eq!(counted(1, "file"), "1 file");
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (millis, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_400_000, "2000-02-29 00:00 UTC"),
            (1_794_700_800_000, "2026-11-15 00:00 UTC"),
            (-1_000, "1969-12-31 23:59 UTC"),
        ] {
            assert_eq!(date(millis), expected);
        }
    }
}
