//! What a callable takes, as far as its facts tell.

use crate::world::Look;
use contextd_model::StrId;
use contextd_model::facts::{BindingRow, SPREAD_ARGUMENTS, SymbolRow, UNKNOWN_PARAMETERS, binding};

/// The parameters of one callable.
pub struct Parameters<'f> {
    /// `None` when the facts do not tell.
    count: Option<usize>,
    /// Types as written, as many as are named.
    types: Vec<&'f str>,
    /// Hashes of the labels that callers write; all 0 where a language has none.
    labels: Vec<u16>,
    /// Parameters that a call may leave out.
    optional: usize,
    /// The number is what calls are held against.
    counted: bool,
    /// The last ones take any number of arguments.
    variadic: bool,
    /// Names of type parameters of the callable and of its type.
    generics: [&'f str; 2],
}

impl<'f> Parameters<'f> {
    pub fn of(world: Look<'_, 'f>, callable: u32) -> Self {
        let (file, row) = (world.file_of(callable), world.row(callable));
        let bound = world.bindings_of(callable).map(|(_, row)| row);
        let rows: Vec<&BindingRow> = bound.filter(|row| row.how == binding::PARAMETER).collect();
        let text = |id: StrId| world.text(file, id);
        // Where the grammar does not list them, each one has a name; in C it may have none.
        let count = match row.parameters {
            UNKNOWN_PARAMETERS if world.policy(file).modules == crate::policy::Modules::Include => {
                None
            }
            UNKNOWN_PARAMETERS => Some(rows.len()),
            count => Some(usize::from(count)),
        };
        let own = &rows[..rows.len().min(count.unwrap_or(usize::MAX))];
        let may_be_left =
            |row: &&&BindingRow| row.flags & 3 != 0 || text(row.type_text).ends_with("[]");
        let generics_of = |row: &SymbolRow, file: u32| world.text(file, row.generics);
        let parent = match world.outer(callable) {
            Some(outer) => generics_of(world.row(outer), world.file_of(outer)),
            None => world.row_at(file, row.parent).map_or("", |parent| generics_of(parent, file)),
        };
        Self {
            count,
            types: own.iter().map(|row| text(row.type_text)).collect(),
            labels: own.iter().map(|row| row.flags >> 2).collect(),
            optional: own.iter().filter(may_be_left).count(),
            counted: row.parameters != UNKNOWN_PARAMETERS || world.policy(file).names_parameters,
            variadic: own.iter().any(|row| row.flags & 1 != 0),
            generics: [text(row.generics), parent],
        }
    }

    /// True when nothing that is known of both but types tells them apart.
    pub fn may_be(&self, other: &Self) -> bool {
        self.count.zip(other.count).is_none_or(|(left, right)| left == right)
            && (self.labels.len() != other.labels.len() || self.labels == other.labels)
    }

    /// True when the types are the same as well, as far as one can see; whether they may be null
    /// counts only where it is asked for.
    pub fn are(&self, other: &Self, nullable: bool) -> bool {
        let free = |text: &str| self.is_generic(text) || other.is_generic(text);
        let name = |text: &'f str| {
            if nullable { head(text) } else { head(text).trim_end_matches(['?', '!']) }
        };
        self.types.len() == other.types.len()
            && self.types.iter().zip(&other.types).all(|(left, right)| {
                let (left, right) = (name(left), name(right));
                left == right || free(left) || free(right)
            })
    }

    /// True when every parameter is written with its type, and nothing else tells callables apart.
    pub fn is_told(&self) -> bool {
        self.labels.iter().all(|&label| label == 0)
            && self.count == Some(self.types.len())
            && self.types.iter().all(|text| !text.is_empty())
    }

    /// True when so many arguments are too few.
    pub fn want_more_than(&self, arguments: u8) -> bool {
        self.count.is_some_and(|count| count.saturating_sub(self.optional) > usize::from(arguments))
    }

    /// True when they are not known, or a call may give so many arguments.
    pub fn accept(&self, arguments: u8) -> bool {
        let Some(count) = self.count.filter(|_| self.counted) else { return true };
        match arguments {
            UNKNOWN_PARAMETERS => true,
            SPREAD_ARGUMENTS => self.variadic,
            given => !self.want_more_than(given) && (self.variadic || usize::from(given) <= count),
        }
    }

    /// True when a call that gives so many arguments leaves none out and has none to spare.
    pub fn are_exactly(&self, arguments: u8) -> bool {
        !self.variadic && self.count == Some(usize::from(arguments))
    }

    /// True when a call gives one argument for each, and could give more.
    pub fn are_at_least(&self, arguments: u8) -> bool {
        self.variadic && self.count == Some(usize::from(arguments))
    }

    /// Returns the name of the last one's type, of an element where it takes a list.
    pub fn last_type(&self) -> &'f str {
        self.types
            .last()
            .map_or("", |text| head(text).trim_end_matches("[]").trim_end_matches("..."))
    }

    /// True when their number is known.
    pub fn are_counted(&self) -> bool {
        self.counted
    }

    fn is_generic(&self, head: &str) -> bool {
        let head = head.trim_end_matches(['?', '!']);
        let names = |text: &str| {
            text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == head)
        };
        !head.is_empty() && self.generics.iter().any(|generics| names(generics))
    }
}

/// Returns the name of a type without what it is made of, where it comes from and what is said of it:
/// the same type is written in several ways.
fn head(text: &str) -> &str {
    let word = text.split_whitespace().find(|word| {
        !word.starts_with('@')
            && !matches!(
                *word,
                "final"
                    | "inout"
                    | "ref"
                    | "out"
                    | "in"
                    | "params"
                    | "this"
                    | "const"
                    | "any"
                    | "some"
            )
    });
    let word = word.unwrap_or(text);
    let arguments = |(at, c): (usize, char)| {
        matches!(c, '<' | '(') || c == '[' && !word[at..].starts_with("[]")
    };
    let end = word.char_indices().find(|&found| arguments(found)).map_or(word.len(), |(at, _)| at);
    let name = &word[..end];
    name.rfind(['.', ':']).map_or(name, |at| &name[at + 1..])
}
