//! Macros that stand where a grammar expects a declaration: `API int f(void) PRINTF_LIKE(1, 2);`.
//!
//! What a macro stands for cannot be known from one file. A word in capitals is taken for an attribute
//! when the declaration is complete without it.

use super::items::{Item, Part, Parts, unit_end};
use super::tokens::{Kind, Token};

/// Returns the byte ranges of macros that take the place of attributes outside of function bodies.
pub fn attribute_macros(text: &str, tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut reader = Reader { parts: Parts::new(text, tokens), blanks: Vec::new() };
    let mut head: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].kind {
            Kind::Directive => {
                if reader.alone(&head) {
                    head.clear();
                }
            }
            Kind::Punct(b';') => {
                reader.declaration(&head, b';');
                head.clear();
            }
            Kind::Punct(b'}') => {
                reader.alone(&head);
                head.clear();
            }
            Kind::Punct(b'{') => {
                reader.declaration(&head, b'{');
                if !reader.holds_declarations(&head) {
                    let end = reader.parts.matching(at).unwrap_or(tokens.len());
                    reader.in_body(at, end);
                    at = end;
                }
                head.clear();
            }
            Kind::Punct(b'(') => {
                let end = reader.parts.matching(at).unwrap_or(at);
                head.extend(at..=end);
                at = end;
            }
            Kind::Punct(b':')
                if head.len() == 1
                    && matches!(reader.word(head[0]), "public" | "private" | "protected") =>
            {
                head.clear()
            }
            _ => head.push(at),
        }
        at += 1;
    }
    reader.alone(&head);
    reader.blanks
}

struct Reader<'a> {
    parts: Parts<'a>,
    blanks: Vec<(usize, usize)>,
}

impl<'a> Reader<'a> {
    fn word(&self, token: usize) -> &'a str {
        self.parts.word(token)
    }

    fn is_macro(&self, token: usize) -> bool {
        self.parts.is_macro(token)
    }

    fn items(&self, head: &[usize]) -> Vec<Item> {
        self.parts.items(head)
    }

    fn blank(&mut self, first: usize, last: usize) {
        self.blanks.push((self.parts.tokens[first].start, self.parts.tokens[last].end));
    }

    fn is_only_macros(&self, head: &[usize]) -> bool {
        let starts = head.first().is_some_and(|&first| self.is_macro(first));
        starts && self.items(head).iter().all(|item| matches!(item.part, Part::Macro | Part::Group))
    }

    /// Macros that nothing follows which they could belong to: `NAMESPACE_END }`.
    fn alone(&mut self, head: &[usize]) -> bool {
        let is_alone = self.is_only_macros(head);
        if is_alone {
            self.blank(head[0], head[head.len() - 1]);
        }
        is_alone
    }

    /// A macro alone on its line in a function body, with or without arguments but without a semicolon.
    fn in_body(&mut self, open: usize, close: usize) {
        let mut resumed = open + 1;
        for at in open + 1..close.min(self.parts.tokens.len() - 1) {
            let starts = at == resumed
                || matches!(self.parts.tokens[at - 1].kind, Kind::Punct(b';' | b'{' | b'}'));
            if !starts || self.parts.tokens[at].kind != Kind::Word || !self.is_macro(at) {
                continue;
            }
            let end = if self.parts.tokens[at + 1].kind == Kind::Punct(b'(') {
                self.parts.matching(at + 1).unwrap_or(at)
            } else {
                at
            };
            let next = self.parts.tokens.get(end + 1).filter(|next| next.kind == Kind::Word);
            if next.is_some() && self.parts.gap(end, end + 1).contains('\n') {
                self.blank(at, end);
                resumed = end + 1;
            }
        }
    }

    /// `EXPORT(int f(void))`: the macro goes, the declaration in its brackets stays.
    fn unwrap(&mut self, items: &[Item]) -> bool {
        let [word, group] = items else { return false };
        if word.part != Part::Macro || group.part != Part::Group || group.last < group.first + 6 {
            return false;
        }
        let inside = &self.parts.tokens[group.first + 1..group.last];
        let words = inside
            .iter()
            .take_while(|token| matches!(token.kind, Kind::Word | Kind::Punct(b'*')))
            .count();
        let is_function = words >= 2
            && inside.get(words).is_some_and(|token| token.kind == Kind::Punct(b'('))
            && inside.last().is_some_and(|token| token.kind == Kind::Punct(b')'));
        if is_function && self.parts.matching(group.first + 1 + words) == Some(group.last - 1) {
            self.blank(word.first, group.first);
            self.blank(group.last, group.last);
            return true;
        }
        false
    }

    /// `NAMESPACE_END TEST(a, b) ATTRIBUTE {`: of the macros that begin a line the last one with
    /// arguments stands for the function.
    fn around_function(&mut self, items: &[Item]) {
        let begins = |at: usize| {
            at == 0 || self.parts.gap(items[at - 1].last, items[at].first).contains('\n')
        };
        let Some(function) = (0..items.len())
            .rev()
            .find(|&at| items[at].part == Part::Macro && unit_end(items, at) > at && begins(at))
        else {
            return;
        };
        let end = unit_end(items, function);
        if function > 0 {
            self.blank(items[0].first, items[function - 1].last);
        }
        if end + 1 < items.len() {
            self.blank(items[end + 1].first, items[items.len() - 1].last);
        }
    }

    /// `DEFINE_FLAG(int, name, 3);`: neither a call nor a declaration, so nothing to read.
    fn takes_types(&self, items: &[Item]) -> bool {
        match items {
            [word, group, ..] if word.part == Part::Macro && group.part == Part::Group => {
                (group.first + 1..group.last).any(|token| {
                    is_builtin(self.word(token))
                        || self.word(token) == "const"
                        || self.word(token).ends_with("_t")
                })
            }
            _ => false,
        }
    }

    /// True when the braces after `head` hold declarations: a namespace, a class, `extern "C"`.
    fn holds_declarations(&self, head: &[usize]) -> bool {
        let items = self.items(head);
        if items.iter().any(|item| item.part == Part::Word && self.word(item.first) == "namespace")
        {
            return true;
        }
        if let [.., before, last] = items.as_slice()
            && last.part == Part::Literal
            && self.word(before.first) == "extern"
        {
            return true;
        }
        match self.class_key(&items) {
            Some(key) if self.word(items[key].first) != "enum" => self.is_class_head(&items[key..]),
            _ => false,
        }
    }

    fn class_key(&self, items: &[Item]) -> Option<usize> {
        items.iter().position(|item| {
            item.part == Part::Word
                && matches!(self.word(item.first), "class" | "struct" | "union" | "enum")
        })
    }

    /// A bracket after a name makes it a function that returns the class, unless it belongs to an
    /// attribute or a base.
    fn is_class_head(&self, items: &[Item]) -> bool {
        for pair in items.windows(2) {
            match pair[1].part {
                Part::Punct(b':') => return true,
                Part::Punct(b'=') => return false,
                Part::Group
                    if pair[0].part == Part::Word
                        && !matches!(
                            self.word(pair[0].first),
                            "alignas" | "__attribute__" | "__declspec" | "_Alignas"
                        ) =>
                {
                    return false;
                }
                _ => {}
            }
        }
        true
    }

    fn declaration(&mut self, head: &[usize], terminator: u8) {
        self.after_stars(head);
        if !head
            .iter()
            .any(|&token| self.parts.tokens[token].kind == Kind::Word && self.is_macro(token))
        {
            return;
        }
        self.in_brackets(head);
        let items = self.items(head);
        if self.unwrap(&items) {
            return;
        }
        if terminator == b'{' && self.is_only_macros(head) {
            return self.around_function(&items);
        }
        if terminator == b';' && self.takes_types(&items) {
            return self.blank(head[0], head[head.len() - 1]);
        }
        let key = self
            .class_key(&items)
            .filter(|&key| terminator == b'{' && self.is_class_head(&items[key..]));
        let namespace = items
            .iter()
            .position(|item| item.part == Part::Word && self.word(item.first) == "namespace");
        match key.or(namespace) {
            Some(key) => self.around_key(&items, key),
            None => self.in_declaration(&items),
        }
    }

    /// `EXPORT class API Name` and `BEGIN namespace name`.
    fn around_key(&mut self, items: &[Item], key: usize) {
        let mut at = 0;
        while at < key {
            if items[at].part == Part::Macro {
                let end = unit_end(items, at);
                self.blank(items[at].first, items[end].last);
                at = end;
            }
            at += 1;
        }
        at = key + 1;
        while at < items.len() {
            let end = if items[at].part == Part::Macro { unit_end(items, at) } else { at };
            let next = items.get(end + 1);
            let has_name = next.is_some_and(|next| {
                next.part == Part::Macro
                    || next.part == Part::Word && self.word(next.first) != "final"
            });
            match items[at].part {
                Part::Macro if has_name => self.blank(items[at].first, items[end].last),
                Part::Word if self.word(items[at].first) == "class" => {}
                _ => return,
            }
            at = end + 1;
        }
    }

    fn in_declaration(&mut self, items: &[Item]) {
        let candidates: Vec<(usize, usize)> = (0..items.len())
            .filter(|&at| items[at].part == Part::Macro && self.is_candidate(items, at))
            .map(|at| (at, unit_end(items, at)))
            .collect();
        let is_inside =
            |at: usize| candidates.iter().any(|&(first, last)| first <= at && at <= last);
        // Where the declared name has been said.
        let stop = (self.operator_end(items)..items.len())
            .find(|&at| {
                !is_inside(at)
                    && matches!(
                        items[at].part,
                        Part::Group | Part::Punct(b'=' | b'[' | b',' | b'{')
                    )
            })
            .unwrap_or(items.len());
        let candidates: Vec<(usize, usize)> =
            candidates.iter().copied().filter(|&(first, _)| first < stop).collect();
        let typed = self.types(items, stop, &candidates);
        let has_initializers =
            items.iter().skip(stop + 1).any(|item| item.part == Part::Punct(b':'));
        let mut kept = typed;
        for &(first, last) in &candidates {
            let next = items.get(last + 1).map_or("", |item| self.word(item.first));
            // `API_(int) f(void)`: the type stands in the brackets.
            let is_attribute = last == first && is_attribute_word(self.word(items[first].first))
                || is_specifier(next)
                || has_initializers;
            if !kept && !is_attribute {
                kept = true;
                continue;
            }
            self.blank(items[first].first, items[last].last);
        }
        self.after_name(items, stop);
    }

    /// Where the parameters of an operator may begin: after `operator()` and `operator[]`.
    fn operator_end(&self, items: &[Item]) -> usize {
        let operator = items
            .iter()
            .position(|item| item.part == Part::Word && self.word(item.first) == "operator");
        operator.map_or(0, |at| {
            at + 2
                + usize::from(
                    matches!(items.get(at + 1), Some(item) if item.part == Part::Punct(b'[')),
                )
        })
    }

    /// A macro that a word of the same declaration follows, maybe after further macros.
    fn is_candidate(&self, items: &[Item], at: usize) -> bool {
        let mut next = unit_end(items, at) + 1;
        while items.get(next).is_some_and(|item| item.part == Part::Macro) {
            next = unit_end(items, next) + 1;
        }
        // `ATTRIBUTE const Foo *f(…)`, but not `Foo const f(…)`.
        let is_const = items
            .get(next)
            .is_some_and(|item| matches!(self.word(item.first), "const" | "volatile"));
        if is_const
            && items.get(next + 1).is_some_and(|item| item.part == Part::Word)
            && !items.get(next + 2).is_none_or(|item| {
                matches!(item.part, Part::Group | Part::Punct(b'=' | b'[' | b',' | b';'))
            })
        {
            return true;
        }
        match items.get(next) {
            Some(item) if item.part == Part::Word => !matches!(
                self.word(item.first),
                "const" | "volatile" | "override" | "noexcept" | "final" | "try" | "throw"
            ),
            Some(item) => item.part == Part::Punct(b'~'),
            None => false,
        }
    }

    /// True when a type stands before the name, candidates aside.
    fn types(&self, items: &[Item], stop: usize, candidates: &[(usize, usize)]) -> bool {
        let words: Vec<usize> = (0..stop)
            .filter(|&at| items[at].part == Part::Word || items[at].part == Part::Macro)
            .filter(|&at| !candidates.iter().any(|&(first, last)| first <= at && at <= last))
            .filter(|&at| {
                !is_specifier(self.word(items[at].first))
                    && !matches!(self.word(items[at].first), "const" | "volatile")
            })
            .filter(|&at| !self.is_scope(items, at))
            .collect();
        words.len() > 1
            || words
                .first()
                .is_some_and(|&at| items.get(at + 1).is_some_and(|next| next.part == Part::Angles))
    }

    /// `Foo` in `Foo::bar` and `Foo<T>::bar`.
    fn is_scope(&self, items: &[Item], at: usize) -> bool {
        let next =
            at + 1 + usize::from(items.get(at + 1).is_some_and(|item| item.part == Part::Angles));
        matches!((items.get(next), items.get(next + 1)), (Some(a), Some(b)) if a.part == Part::Punct(b':') && b.part == Part::Punct(b':'))
    }

    /// `f(…) NOEXCEPT {` and `int x_ GUARDED_BY(mu_);`.
    fn after_name(&mut self, items: &[Item], stop: usize) {
        let Some(group) = items.get(stop) else {
            return self.after_variable(items, items.len());
        };
        if group.part != Part::Group {
            return self.after_variable(items, stop);
        }
        if stop >= 3 && items[stop - 1].part == Part::Macro && self.is_variable(items, stop - 2) {
            self.blank(items[stop - 1].first, group.last);
            return;
        }
        let mut at = stop + 1;
        while at < items.len() {
            match items[at].part {
                Part::Punct(b'=' | b':' | b'-' | b',') => return,
                Part::Macro => {
                    let end = unit_end(items, at);
                    self.blank(items[at].first, items[end].last);
                    at = end;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn after_variable(&mut self, items: &[Item], stop: usize) {
        if stop >= 3 && items[stop - 1].part == Part::Macro && self.is_variable(items, stop - 2) {
            self.blank(items[stop - 1].first, items[stop - 1].last);
        }
    }

    /// True when the item at `name` is a name with its type before it.
    fn is_variable(&self, items: &[Item], name: usize) -> bool {
        let word = self.word(items[name].first);
        let named = items[name].part == Part::Word && !is_specifier(word) && !is_builtin(word);
        let Some(before) = name.checked_sub(1).map(|at| items[at]) else { return false };
        let before_word = self.word(before.first);
        named
            && match before.part {
                Part::Word => {
                    !is_specifier(before_word)
                        && !matches!(
                            before_word,
                            "const"
                                | "volatile"
                                | "struct"
                                | "class"
                                | "enum"
                                | "union"
                                | "typename"
                        )
                }
                Part::Angles | Part::Punct(b'*' | b'&') => true,
                _ => false,
            }
    }

    /// Macros among parameters: `(T x BOUND)` and `(CALLBACK *name)(…)`.
    fn in_brackets(&mut self, head: &[usize]) {
        for window in head.windows(3) {
            let [before, at, after] = [window[0], window[1], window[2]];
            if self.parts.tokens[at].kind != Kind::Word || !self.is_macro(at) {
                continue;
            }
            let closes = matches!(self.parts.tokens[after].kind, Kind::Punct(b')' | b','));
            let named = self.parts.tokens[before].kind == Kind::Word
                && !self.is_macro(before)
                && !is_builtin(self.word(before))
                && !matches!(
                    self.word(before),
                    "const" | "struct" | "enum" | "class" | "typename" | "operator" | "sizeof"
                );
            let pointer = self.parts.tokens[before].kind == Kind::Punct(b'(')
                && self.parts.tokens[after].kind == Kind::Punct(b'*')
                && self.is_function_pointer(after);
            if closes && named && self.word(at).contains('_') || pointer {
                self.blank(at, at);
            }
        }
    }

    /// `char *NONNULL name`: of two words after a star the first is an attribute.
    fn after_stars(&mut self, head: &[usize]) {
        for window in head.windows(3) {
            let [star, at, name] = [window[0], window[1], window[2]];
            let both = self.parts.tokens[at].kind == Kind::Word
                && self.parts.tokens[name].kind == Kind::Word;
            if both
                && matches!(self.parts.tokens[star].kind, Kind::Punct(b'*' | b'&'))
                && !is_word_after_star(self.word(at))
                && !is_word_after_star(self.word(name))
            {
                self.blank(at, at);
            }
        }
    }

    /// `* name ) (` at `star`.
    fn is_function_pointer(&self, star: usize) -> bool {
        let kinds: Vec<Kind> =
            self.parts.tokens.iter().skip(star + 1).take(3).map(|token| token.kind).collect();
        kinds == [Kind::Word, Kind::Punct(b')'), Kind::Punct(b'(')]
    }
}

/// Words of a declaration that are neither type nor name.
fn is_specifier(word: &str) -> bool {
    matches!(
        word,
        "static"
            | "extern"
            | "inline"
            | "register"
            | "typedef"
            | "virtual"
            | "explicit"
            | "friend"
            | "constexpr"
            | "consteval"
            | "constinit"
            | "mutable"
            | "template"
            | "using"
            | "thread_local"
            | "operator"
            | "namespace"
            | "__inline"
            | "__inline__"
            | "__forceinline"
            | "__extension__"
            | "class"
            | "public"
            | "private"
            | "protected"
    )
}

fn is_builtin(word: &str) -> bool {
    matches!(
        word,
        "int"
            | "char"
            | "void"
            | "long"
            | "short"
            | "float"
            | "double"
            | "unsigned"
            | "signed"
            | "bool"
            | "auto"
            | "size_t"
    )
}

/// Words of the language that may stand beside a name after a star.
fn is_word_after_star(word: &str) -> bool {
    is_specifier(word)
        || word.starts_with("__")
        || matches!(
            word,
            "const"
                | "volatile"
                | "restrict"
                | "override"
                | "noexcept"
                | "final"
                | "requires"
                | "throw"
                | "mutable"
                | "and"
                | "or"
                | "not"
                | "sizeof"
                | "decltype"
                | "struct"
                | "typename"
                | "new"
                | "this"
        )
}

/// Words by which many code bases name their attributes.
fn is_attribute_word(word: &str) -> bool {
    const PARTS: [&str; 18] = [
        "EXTERN",
        "API",
        "EXPORT",
        "INLINE",
        "CONSTEXPR",
        "EXPLICIT",
        "NORETURN",
        "DEPRECATED",
        "UNUSED",
        "PUBLIC",
        "VISIB",
        "ATTRIBUTE",
        "BEGIN",
        "END",
        "NODISCARD",
        "CONSTEVAL",
        "DLL",
        "HIDDEN",
    ];
    PARTS.iter().any(|part| word.contains(part))
}
