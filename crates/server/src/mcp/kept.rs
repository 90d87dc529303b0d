//! Long answers that a response could not hold, to be read page by page.

use contextd_model::ContentHash;
use contextd_pack::Tokenizer;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Answers that are kept, and their bytes in all.
const MOST: usize = 32;
const BYTES: usize = 32 << 20;
/// Most tokens of a page, counted as JSON has it.
const PAGE: usize = 20_000;

/// The last long answers by id.
#[derive(Default)]
pub struct Kept {
    answers: Mutex<VecDeque<(String, Arc<str>)>>,
}

impl Kept {
    /// Keeps a text and returns its id, which is the same for the same text.
    pub fn put(&self, text: &str) -> String {
        let id = ContentHash::of(text.as_bytes()).to_hex()[..16].to_owned();
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|(other, _)| *other != id);
        answers.push_back((id.clone(), text.into()));
        while answers.len() > MOST
            || (answers.len() > 1
                && answers.iter().map(|(_, text)| text.len()).sum::<usize>() > BYTES)
        {
            answers.pop_front();
        }
        id
    }

    /// Returns a page, from 1, and whether another follows.
    pub fn page(&self, id: &str, page: usize) -> Option<(String, bool)> {
        let text = self
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .find(|(other, _)| other == id)
            .map(|(_, text)| text.clone())?;
        let mut rest: &str = &text;
        for _ in 1..page {
            rest = &rest[fitting(rest, PAGE)..];
        }
        let end = fitting(rest, PAGE);
        (page > 0 && (!rest.is_empty() || page == 1))
            .then(|| (rest[..end].to_owned(), end < rest.len()))
    }
}

/// Returns how many tokens a text has as a string of JSON, which is how it travels.
pub fn weight(text: &str) -> usize {
    Tokenizer::O200k.count(&serde_json::Value::from(text).to_string())
}

/// Returns how many bytes a text has as a string of JSON; no text has more tokens than that.
pub fn written(text: &str) -> usize {
    text.chars()
        .map(|character| match character {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            '\0'..='\u{1f}' => 6,
            other => other.len_utf8(),
        })
        .sum::<usize>()
        + 2
}

/// Returns how many bytes of a text, cut at a line where there is one, have at most so many tokens.
pub fn fitting(text: &str, tokens: usize) -> usize {
    // What is short enough needs no counting, and no tables to count with.
    let mut end = text.len();
    let mut part = text;
    while written(part) > tokens {
        let size = weight(part);
        if size <= tokens {
            break;
        }
        let most = (part.len() as f64 * tokens as f64 / size as f64 * 0.97) as usize;
        end = cut(text, most.min(part.len() - 1));
        part = &text[..end];
    }
    end
}

/// Returns the last line end, else the last character's end, at or before `most`; at least one character.
fn cut(text: &str, most: usize) -> usize {
    let edge = text.floor_char_boundary(most);
    let line = text[..edge].rfind('\n').map(|at| at + 1).filter(|&at| at > edge / 2);
    line.unwrap_or(edge).max(text.chars().next().map_or(0, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_small_and_make_up_the_text() {
        let text: String =
            (0..5_000).map(|number| format!("a \"quoted\" line\t{number}\\n\n")).collect();
        let kept = Kept::default();
        let id = kept.put(&text);
        let (mut whole, mut page, mut more) = (String::new(), 0, true);
        while more {
            page += 1;
            let (part, follows) = kept.page(&id, page).unwrap();
            assert!(weight(&part) <= PAGE);
            whole.push_str(&part);
            more = follows;
        }
        assert!(page > 2 && whole == text);
        assert!(
            kept.page(&id, page + 1).is_none()
                && kept.page(&id, 0).is_none()
                && kept.page("no", 1).is_none()
        );
    }

    #[test]
    fn the_oldest_go_first() {
        let kept = Kept::default();
        let first = kept.put("first");
        (0..MOST).for_each(|number| drop(kept.put(&number.to_string())));
        assert!(kept.page(&first, 1).is_none());
    }
}
