//! The one definition of a section: fields, defaults, allowed ranges, documentation and reading.

use super::table::{Node, Section};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// One key of the configuration, for the generated reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Section as written between brackets, without the optional `context.`; empty at the top.
    pub section: &'static str,
    pub name: &'static str,
    /// What a value looks like, such as `a whole number`.
    pub expects: &'static str,
    /// Default, written as TOML.
    pub default: String,
    /// Allowed range, where there is one.
    pub range: Option<String>,
    pub doc: String,
}

/// A type that a key can have.
pub(super) trait Setting: Sized {
    const EXPECTS: &'static str;

    /// Reads the value, or `None` when it has another type.
    fn read(node: &Node) -> Option<Self>;

    /// Writes the value as TOML.
    fn show(&self) -> String;
}

impl Setting for bool {
    const EXPECTS: &'static str = "true or false";

    fn read(node: &Node) -> Option<Self> {
        match node {
            Node::Bool(value) => Some(*value),
            Node::Text { text, substituted: true } => text.trim().parse().ok(),
            _ => None,
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// Whole numbers, unsigned: no key of ours can be negative.
macro_rules! whole_number {
    ($($type:ty),+) => {$(
        impl Setting for $type {
            const EXPECTS: &'static str = "a whole number";

            fn read(node: &Node) -> Option<Self> {
                match node {
                    Node::Integer(value) => <$type>::try_from(*value).ok(),
                    Node::Text { text, substituted: true } => text.trim().parse().ok(),
                    _ => None,
                }
            }

            fn show(&self) -> String {
                self.to_string()
            }
        }
    )+};
}
whole_number!(u16, u32, u64);

impl Setting for f64 {
    const EXPECTS: &'static str = "a number";

    fn read(node: &Node) -> Option<Self> {
        match node {
            Node::Integer(value) => Some(*value as f64),
            Node::Float(value) => Some(*value),
            Node::Text { text, substituted: true } => text.trim().parse().ok(),
            _ => None,
        }
    }

    fn show(&self) -> String {
        format!("{self:?}")
    }
}

impl Setting for String {
    const EXPECTS: &'static str = "a text in quotes";

    fn read(node: &Node) -> Option<Self> {
        match node {
            Node::Text { text, .. } => Some(text.clone()),
            _ => None,
        }
    }

    fn show(&self) -> String {
        format!("{self:?}")
    }
}

impl Setting for Vec<String> {
    const EXPECTS: &'static str = "a list of texts in quotes";

    fn read(node: &Node) -> Option<Self> {
        match node {
            Node::List(items) => items.iter().map(|item| String::read(&item.node)).collect(),
            _ => None,
        }
    }

    fn show(&self) -> String {
        format!("{self:?}")
    }
}

impl<T: Setting> Setting for Option<T> {
    const EXPECTS: &'static str = T::EXPECTS;

    fn read(node: &Node) -> Option<Self> {
        T::read(node).map(Some)
    }

    fn show(&self) -> String {
        self.as_ref().map_or_else(|| "not set".to_owned(), Setting::show)
    }
}

/// A value that can be compared with a range; an absent value is always allowed.
pub(super) trait Within<T> {
    fn within(&self, range: &RangeInclusive<T>) -> bool;
}

impl<T: PartialOrd> Within<T> for T {
    fn within(&self, range: &RangeInclusive<T>) -> bool {
        range.contains(self)
    }
}

impl<T: PartialOrd> Within<T> for Option<T> {
    fn within(&self, range: &RangeInclusive<T>) -> bool {
        self.as_ref().is_none_or(|value| range.contains(value))
    }
}

pub(super) fn show_range<T: Display>(range: &RangeInclusive<T>) -> String {
    format!("{} to {}", range.start(), range.end())
}

/// A section whose keys are defined by [`section!`].
pub(super) trait Keys {
    /// Reads every key of the section from `table`.
    fn read(&mut self, table: &mut Section<'_>);

    /// Lists the keys with the values of `self` as defaults.
    fn keys(&self, section: &'static str) -> Vec<Key>;
}

/// Declares a section: `name(range): Type = default`, each with its doc comment.
macro_rules! section {
    ($(#[$meta:meta])* $name:ident {
        $( $(#[doc = $doc:literal])+ $field:ident $(($range:expr))? : $type:ty = $default:expr ),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $( $(#[doc = $doc])+ pub $field: $type ),+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default ),+ }
            }
        }

        impl $crate::config::section::Keys for $name {
            fn read(&mut self, table: &mut $crate::config::table::Section<'_>) {
                $(
                    #[allow(unused_mut, unused_assignments)]
                    let mut check: Option<$crate::config::table::Limit<$type>> = None;
                    $( check = Some((
                        |value| $crate::config::section::Within::within(value, &($range)),
                        $crate::config::section::show_range(&($range)),
                    )); )?
                    table.set(stringify!($field), &mut self.$field, check);
                )+
            }

            fn keys(&self, section: &'static str) -> Vec<$crate::config::section::Key> {
                vec![$({
                    #[allow(unused_mut, unused_assignments)]
                    let mut range: Option<String> = None;
                    $( range = Some($crate::config::section::show_range(&($range))); )?
                    $crate::config::section::Key {
                        section,
                        name: stringify!($field),
                        expects: <$type as $crate::config::section::Setting>::EXPECTS,
                        default: $crate::config::section::Setting::show(&self.$field),
                        range,
                        doc: concat!($($doc, "\n"),+).trim().replace("\n ", "\n"),
                    }
                }),+]
            }
        }
    };
}
pub(super) use section;

/// Declares a closed set of texts that a key accepts.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident ($expects:literal) { $($(#[$vmeta:meta])* $variant:ident = $wire:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// Returns the text that stands for it in the configuration.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $wire),+ }
            }
        }

        impl $crate::config::section::Setting for $name {
            const EXPECTS: &'static str = $expects;

            fn read(node: &$crate::config::table::Node) -> Option<Self> {
                let $crate::config::table::Node::Text { text, .. } = node else { return None };
                match text.to_ascii_lowercase().as_str() {
                    $($wire => Some($name::$variant),)+
                    _ => None,
                }
            }

            fn show(&self) -> String {
                format!("{:?}", self.name())
            }
        }
    };
}
pub(super) use choice;
