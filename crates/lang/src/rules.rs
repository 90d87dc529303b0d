//! What a language's node kinds mean, read from its `language.toml` and compiled to tables that are
//! indexed by tree-sitter's kind numbers.

use contextd_model::facts::base_kind;
use contextd_model::{SymbolKind, Visibility};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;
use tree_sitter::Language as Grammar;

/// `language.toml` as written. See `languages/README.md` for what each key means.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Source {
    pub extensions: Vec<String>,
    pub filenames: Vec<String>,
    pub interpreters: Vec<String>,
    pub comments: Vec<String>,
    pub doc: DocStyle,
    pub doc_prefixes: Vec<String>,
    pub strings: Vec<String>,
    /// See [`Rules::alone`] and [`Rules::nested_comments`].
    pub alone: Vec<String>,
    pub nested_comments: bool,
    pub branches: Vec<String>,
    pub wrappers: Vec<String>,
    pub annotations: Vec<String>,
    pub identifiers: Vec<String>,
    pub type_identifiers: Vec<String>,
    pub type_contexts: Vec<String>,
    /// Fields in which an identifier is a type, where the grammar does not tell by its kind.
    pub type_fields: Vec<String>,
    pub throws: Vec<String>,
    pub transparent: Vec<String>,
    /// Nodes in which a lower-case identifier is a new local name.
    pub patterns: Vec<String>,
    /// Names that are words of the language and never references.
    pub ignore: Vec<String>,
    pub hooks: Vec<String>,
    pub skip: Vec<String>,
    pub self_names: Vec<String>,
    pub visibility: VisibilityStyle,
    pub default_visibility: Option<String>,
    pub env_calls: Vec<String>,
    pub process_calls: Vec<String>,
    pub base_lists: Vec<String>,
    pub base_skip: Vec<String>,
    /// Names with type arguments, where the number of them is part of a type's name.
    pub generic_names: Vec<String>,
    /// Arguments that stand for as many as a list holds.
    pub spreads: Vec<String>,
    pub bases: BTreeMap<String, String>,
    pub symbols: BTreeMap<String, SymbolSource>,
    pub calls: BTreeMap<String, CallSource>,
    pub constructs: BTreeMap<String, String>,
    pub members: BTreeMap<String, String>,
    pub bindings: BTreeMap<String, BindingSource>,
    pub tests: TestSource,
}

/// Where a symbol's documentation stands.
#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum DocStyle {
    /// In comments right before the declaration.
    #[default]
    Before,
    /// In a string that is the first statement of the body.
    Docstring,
}

/// How visibility is told.
#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum VisibilityStyle {
    /// By words of the declaration: `pub`, `private`, `export`.
    #[default]
    Words,
    /// A leading underscore means private.
    Underscore,
    /// A leading capital means public.
    Capital,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct SymbolSource {
    pub kind: String,
    /// Kind when the innermost symbol is a type.
    pub member_kind: Option<String>,
    pub name: String,
    pub body: Option<String>,
    pub r#type: Option<String>,
    pub generics: Option<String>,
    /// Where it counts as a symbol: any of `module`, `type`, `local`, joined by `|`; empty for all.
    pub r#where: String,
    /// One symbol for each child that the name field matches.
    pub many: bool,
    /// Kind by the node kind found in the field `value`; without an entry `kind` stands, and the
    /// entries count as a symbol everywhere.
    pub by_value: BTreeMap<String, String>,
    /// Field that `by_value` looks at.
    pub value: Option<String>,
    /// Child that lists base types.
    pub extends: Option<String>,
    /// Child that lists implemented interfaces.
    pub implements: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct CallSource {
    pub callee: String,
    /// Field in front of the callee, where the grammar keeps the receiver apart from the name.
    pub receiver: Option<String>,
    pub arguments: Option<String>,
    /// One more argument that stands behind the brackets.
    pub trailing: Option<String>,
    pub r#macro: bool,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct BindingSource {
    pub name: String,
    pub r#type: Option<String>,
    pub value: Option<String>,
    pub parameter: bool,
    /// Several names and values side by side, each a child.
    pub many: bool,
    /// The same, where one child is the list of names and another that of values.
    pub listed: bool,
}

#[derive(Deserialize, Default, Clone)]
#[serde(deny_unknown_fields, default)]
pub struct TestSource {
    pub annotations: Vec<String>,
    pub functions: Vec<String>,
    pub types: Vec<String>,
    pub modules: Vec<String>,
    pub signatures: Vec<String>,
}

/// How to find a child: alternatives tried in order.
pub type Finder = Vec<Step>;

#[derive(Clone, Debug)]
pub enum Step {
    /// The child in this field.
    Field(u16),
    /// The field followed as often as it is there, for nested declarators.
    Deep(u16),
    /// The first named child of this kind.
    Kind(u16),
    /// The second field of the child in the first: `declarator/name`.
    Inside(u16, u16),
    /// The first named child of the second kind in the first of the first kind.
    KindInside(u16, u16),
    /// The first named child.
    First,
    /// The last named child.
    Last,
}

pub struct SymbolRule {
    pub kind: SymbolKind,
    pub member_kind: SymbolKind,
    pub name: Finder,
    pub body: Finder,
    pub type_field: Finder,
    pub generics: Finder,
    pub parameters: Option<u16>,
    pub in_module: bool,
    pub in_type: bool,
    pub local: bool,
    pub many: bool,
    pub value: Finder,
    pub by_value: Vec<(u16, SymbolKind)>,
    pub extends: Finder,
    pub implements: Finder,
}

pub struct CallRule {
    pub callee: Finder,
    pub receiver: Finder,
    pub arguments: Finder,
    pub trailing: Finder,
    pub is_macro: bool,
}

pub struct BindingRule {
    pub name: Finder,
    pub type_field: Finder,
    pub value: Finder,
    pub parameter: bool,
    pub many: bool,
    pub listed: bool,
}

/// What one node kind means; all that apply are done in this order.
#[derive(Default)]
pub struct KindRule {
    pub hook: bool,
    pub skip: bool,
    pub comment: bool,
    pub string: bool,
    pub branch: bool,
    pub wrapper: bool,
    pub annotation: bool,
    pub identifier: bool,
    pub type_identifier: bool,
    pub type_context: bool,
    pub throw: bool,
    pub transparent: bool,
    pub pattern: bool,
    pub base: Option<u8>,
    pub base_list: bool,
    pub base_skip: bool,
    pub spread: bool,
    pub generic_name: bool,
    // Few kinds have the following, and a grammar has hundreds.
    pub symbol: Option<Box<SymbolRule>>,
    pub call: Option<Box<CallRule>>,
    pub construct: Option<Finder>,
    pub member: Option<Finder>,
    pub binding: Option<Box<BindingRule>>,
    /// Nothing to do: the walk passes on.
    pub plain: bool,
    /// A list or tuple: names and values side by side.
    pub listing: bool,
    /// The kind's name, so that hooks need not ask the grammar for it.
    pub name: String,
}

/// What the walk asks of every node's kind, in a table that stays close at hand.
pub mod brief {
    /// A node with a name of its own, no token.
    pub const NAMED: u8 = 1;
    /// See [`super::KindRule::plain`].
    pub const PLAIN: u8 = 2;
    /// See [`super::KindRule::identifier`].
    pub const IDENTIFIER: u8 = 4;
    /// A kind that the grammar does not list, as only errors have.
    pub const ERROR: u8 = NAMED | 8;
}

/// Compiled rules of one language.
pub struct Rules {
    /// A summary of each kind, see [`brief`].
    pub brief: Vec<u8>,
    pub kinds: Vec<KindRule>,
    pub doc: DocStyle,
    pub doc_prefixes: Vec<String>,
    pub self_names: Vec<String>,
    /// Names that are never references by themselves: the language's words and `self_names`.
    pub ignore: Vec<String>,
    pub type_fields: Vec<u16>,
    /// Numbers of the grammar's fields.
    pub fields: FxHashMap<String, u16>,
    pub visibility: VisibilityStyle,
    pub default_visibility: Visibility,
    pub env_calls: Vec<String>,
    pub process_calls: Vec<String>,
    pub tests: TestSource,
    /// Some kind of argument stands for many.
    pub has_spreads: bool,
    /// Types of one name are told apart by how many type arguments they take.
    pub tells_arity: bool,
    /// What may stand before a piece of source to make it readable alone, closed by a brace where it is not empty.
    pub alone: Vec<String>,
    /// Comments may stand in comments.
    pub nested_comments: bool,
}

impl Rules {
    /// Compiles a `language.toml` against its grammar; an unknown kind or field is an error, so that
    /// a test over all languages finds a typing mistake or a changed grammar.
    pub fn compile(source: &Source, grammar: &Grammar) -> Result<Rules, String> {
        let mut compiler = Compiler::new(grammar);
        compiler.flags(source)?;
        compiler.tables(source)?;
        let type_fields =
            source.type_fields.iter().map(|name| compiler.field(name)).collect::<Result<_, _>>()?;
        for (id, kind) in compiler.kinds.iter_mut().enumerate() {
            kind.plain = is_plain(kind);
            kind.name = grammar.node_kind_for_id(id as u16).unwrap_or("").to_owned();
            kind.listing = kind.name.contains("list") || kind.name.contains("tuple");
        }
        let brief = |(id, kind): (usize, &KindRule)| {
            let named = if grammar.node_kind_is_named(id as u16) { brief::NAMED } else { 0 };
            named
                | if kind.plain { brief::PLAIN } else { 0 }
                | if kind.identifier { brief::IDENTIFIER } else { 0 }
        };
        Ok(Rules {
            brief: compiler.kinds.iter().enumerate().map(brief).collect(),
            kinds: compiler.kinds,
            doc: source.doc,
            doc_prefixes: source.doc_prefixes.clone(),
            self_names: source.self_names.clone(),
            type_fields,
            fields: (1..=grammar.field_count() as u16)
                .filter_map(|id| Some((grammar.field_name_for_id(id)?.to_owned(), id)))
                .collect(),
            ignore: source.ignore.iter().chain(&source.self_names).cloned().collect(),
            visibility: source.visibility,
            default_visibility: match &source.default_visibility {
                Some(name) => Visibility::from_name(name)
                    .ok_or_else(|| format!("unknown visibility `{name}`"))?,
                None => Visibility::Public,
            },
            env_calls: source.env_calls.clone(),
            process_calls: source.process_calls.clone(),
            tests: source.tests.clone(),
            has_spreads: !source.spreads.is_empty(),
            tells_arity: !source.generic_names.is_empty(),
            alone: source.alone.clone(),
            nested_comments: source.nested_comments,
        })
    }
}

fn is_plain(rule: &KindRule) -> bool {
    let flagged = [
        rule.hook,
        rule.skip,
        rule.comment,
        rule.string,
        rule.branch,
        rule.wrapper,
        rule.annotation,
        rule.identifier,
        rule.type_identifier,
        rule.type_context,
        rule.throw,
        rule.pattern,
    ];
    !flagged.contains(&true)
        && rule.base.is_none()
        && rule.symbol.is_none()
        && rule.call.is_none()
        && rule.construct.is_none()
        && rule.member.is_none()
        && rule.binding.is_none()
}

struct Compiler<'g> {
    grammar: &'g Grammar,
    kinds: Vec<KindRule>,
    /// Numbers of the kinds of a name, and whether they are named nodes.
    numbers: FxHashMap<(&'g str, bool), Vec<u16>>,
}

impl<'g> Compiler<'g> {
    fn new(grammar: &'g Grammar) -> Self {
        let mut kinds = Vec::new();
        kinds.resize_with(grammar.node_kind_count(), KindRule::default);
        let mut numbers: FxHashMap<_, Vec<u16>> = FxHashMap::default();
        for id in 0..grammar.node_kind_count() as u16 {
            let name = grammar.node_kind_for_id(id).unwrap_or("");
            numbers.entry((name, grammar.node_kind_is_named(id))).or_default().push(id);
        }
        Self { grammar, kinds, numbers }
    }

    /// Returns the numbers of a kind: a grammar may have several (aliases) with one name. `+` in
    /// front means the anonymous node.
    fn kind_ids(&self, name: &str) -> Result<Vec<u16>, String> {
        let (named, name) = match name.strip_prefix('+') {
            Some(rest) => (false, rest),
            None => (true, name),
        };
        self.numbers
            .get(&(name, named))
            .cloned()
            .ok_or_else(|| format!("the grammar has no node kind `{name}`"))
    }

    fn field(&self, name: &str) -> Result<u16, String> {
        self.grammar
            .field_id_for_name(name)
            .map(|id| id.get())
            .ok_or_else(|| format!("the grammar has no field `{name}`"))
    }

    fn finder(&self, spec: &str) -> Result<Finder, String> {
        let mut steps = Vec::new();
        for step in spec.split('|').map(str::trim).filter(|step| !step.is_empty()) {
            if let Some((outer, inner)) =
                step.strip_prefix("kind:").and_then(|rest| rest.split_once("/kind:"))
            {
                for outer in self.kind_ids(outer)? {
                    steps.extend(
                        self.kind_ids(inner)?
                            .into_iter()
                            .map(|inner| Step::KindInside(outer, inner)),
                    );
                }
            } else if let Some(kind) = step.strip_prefix("kind:") {
                steps.extend(self.kind_ids(kind)?.into_iter().map(Step::Kind));
            } else if step == "first:" {
                steps.push(Step::First);
            } else if step == "last:" {
                steps.push(Step::Last);
            } else if let Some((outer, inner)) = step.split_once('/') {
                steps.push(Step::Inside(self.field(outer)?, self.field(inner)?));
            } else if let Some(field) = step.strip_prefix("deep:") {
                steps.push(Step::Deep(self.field(field)?));
            } else {
                steps.push(Step::Field(self.field(step)?));
            }
        }
        Ok(steps)
    }

    fn optional(&self, spec: &Option<String>) -> Result<Finder, String> {
        spec.as_deref().map_or(Ok(Vec::new()), |spec| self.finder(spec))
    }

    fn flags(&mut self, source: &Source) -> Result<(), String> {
        type Set = fn(&mut KindRule);
        let lists: [(&[String], Set); 16] = [
            (&source.hooks, |rule| rule.hook = true),
            (&source.skip, |rule| rule.skip = true),
            (&source.comments, |rule| rule.comment = true),
            (&source.strings, |rule| rule.string = true),
            (&source.branches, |rule| rule.branch = true),
            (&source.wrappers, |rule| rule.wrapper = true),
            (&source.annotations, |rule| rule.annotation = true),
            (&source.identifiers, |rule| rule.identifier = true),
            (&source.type_identifiers, |rule| rule.type_identifier = true),
            (&source.type_contexts, |rule| rule.type_context = true),
            (&source.throws, |rule| rule.throw = true),
            (&source.transparent, |rule| rule.transparent = true),
            (&source.patterns, |rule| rule.pattern = true),
            (&source.base_lists, |rule| rule.base_list = true),
            (&source.spreads, |rule| rule.spread = true),
            (&source.generic_names, |rule| rule.generic_name = true),
        ];
        for (names, set) in lists {
            for name in names {
                for id in self.kind_ids(name)? {
                    set(&mut self.kinds[id as usize]);
                }
            }
        }
        for name in &source.base_skip {
            for id in self.kind_ids(name)? {
                self.kinds[id as usize].base_skip = true;
            }
        }
        Ok(())
    }

    fn tables(&mut self, source: &Source) -> Result<(), String> {
        for (name, how) in &source.bases {
            let how = match how.as_str() {
                "extends" => base_kind::EXTENDS,
                "implements" => base_kind::IMPLEMENTS,
                "mixin" => base_kind::MIXIN,
                other => return Err(format!("unknown base kind `{other}`")),
            };
            self.each(name, |rule| rule.base = Some(how))?;
        }
        for (name, symbol) in &source.symbols {
            for id in self.kind_ids(name)? {
                self.kinds[id as usize].symbol = Some(Box::new(self.symbol(symbol)?));
            }
        }
        for (name, call) in &source.calls {
            for id in self.kind_ids(name)? {
                self.kinds[id as usize].call = Some(Box::new(CallRule {
                    callee: self.finder(&call.callee)?,
                    receiver: self.optional(&call.receiver)?,
                    arguments: self.optional(&call.arguments)?,
                    trailing: self.optional(&call.trailing)?,
                    is_macro: call.r#macro,
                }));
            }
        }
        for (name, field) in &source.constructs {
            let finder = self.finder(field)?;
            self.each(name, |rule| rule.construct = Some(finder.clone()))?;
        }
        for (name, field) in &source.members {
            let finder = self.finder(field)?;
            self.each(name, |rule| rule.member = Some(finder.clone()))?;
        }
        for (name, binding) in &source.bindings {
            for id in self.kind_ids(name)? {
                self.kinds[id as usize].binding = Some(Box::new(BindingRule {
                    name: self.finder(&binding.name)?,
                    type_field: self.optional(&binding.r#type)?,
                    value: self.optional(&binding.value)?,
                    parameter: binding.parameter,
                    many: binding.many,
                    listed: binding.listed,
                }));
            }
        }
        Ok(())
    }

    fn each(&mut self, name: &str, mut set: impl FnMut(&mut KindRule)) -> Result<(), String> {
        for id in self.kind_ids(name)? {
            set(&mut self.kinds[id as usize]);
        }
        Ok(())
    }

    fn symbol(&self, source: &SymbolSource) -> Result<SymbolRule, String> {
        let kind = symbol_kind(&source.kind)?;
        let anywhere = source.r#where.is_empty();
        let within =
            |place: &str| anywhere || source.r#where.split('|').any(|word| word.trim() == place);
        let mut by_value = Vec::new();
        for (name, kind) in &source.by_value {
            for id in self.kind_ids(name)? {
                by_value.push((id, symbol_kind(kind)?));
            }
        }
        Ok(SymbolRule {
            kind,
            member_kind: source.member_kind.as_deref().map_or(Ok(kind), symbol_kind)?,
            name: self.finder(&source.name)?,
            body: self.optional(&source.body)?,
            type_field: self.optional(&source.r#type)?,
            generics: self.optional(&source.generics)?,
            // Grammars agree on this field's name; those without it leave the number unknown.
            parameters: self.field("parameters").ok(),
            in_module: within("module"),
            in_type: within("type"),
            local: within("local"),
            many: source.many,
            value: self.optional(&source.value)?,
            by_value,
            extends: self.optional(&source.extends)?,
            implements: self.optional(&source.implements)?,
        })
    }
}

fn symbol_kind(name: &str) -> Result<SymbolKind, String> {
    SymbolKind::from_name(name).ok_or_else(|| format!("unknown symbol kind `{name}`"))
}
