//! From names in one file to symbols of all files.
//!
//! A [`Resolver`] belongs to one file. Of other files it reads what their interfaces hold, never the
//! local variables of a body.

mod around;
mod imports;
mod members;
mod names;
mod pick;
mod values;

use crate::key::{self, Index};
use crate::world::{Look, Module};
use contextd_model::SymbolKind;
use contextd_model::facts::{BaseRow, UNKNOWN_PARAMETERS, modifier};
use rustc_hash::FxHashMap;

/// Which of several symbols of one name is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    Type,
    Call,
    /// What stands behind `new`: never the object beside a class.
    Make,
    Any,
}

impl Want {
    /// True for what is followed by arguments.
    pub fn is_call(self) -> bool {
        matches!(self, Want::Call | Want::Make)
    }
}

/// A file and the row in it from whose scope a name is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: u32,
    pub owner: u32,
}

/// What an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind<'f> {
    Module(Module),
    /// The symbol itself: a type, a function, a variable.
    Symbol(u32),
    /// A value of the type.
    Instance(u32),
    /// A value of the type as written, seen from the place.
    Typed(Place, &'f str),
    /// What the type inherits: `super`.
    Super(u32),
    /// A local variable or an expression of unknown type.
    Local,
    /// Something from outside of the repository.
    External,
    /// Several symbols fit and nothing tells them apart.
    Ambiguous,
    Unknown,
}

/// A meaning and how sure it is, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value<'f> {
    pub kind: Kind<'f>,
    pub sure: u8,
}

/// How sure a step of resolution is.
pub mod sure {
    /// The scope that the source stands in.
    pub const SCOPE: u8 = 98;
    pub const IMPORT: u8 = 97;
    pub const PACKAGE: u8 = 96;
    /// A declared or constructed type.
    pub const TYPE: u8 = 95;
    /// A type that follows from a call's result or another name.
    pub const INFERRED: u8 = 92;
    /// One of several types may be meant.
    pub const UNION: u8 = 80;
    /// Several files define it and nothing tells them apart; whatever follows from it is no surer.
    pub const TWIN: u8 = 78;
    /// The only definition of a name that all files share.
    pub const SHARED: u8 = 92;
}

impl<'f> Value<'f> {
    pub const UNKNOWN: Value<'static> = Value { kind: Kind::Unknown, sure: 0 };
    pub const EXTERNAL: Value<'static> = Value { kind: Kind::External, sure: 0 };
    pub const LOCAL: Value<'static> = Value { kind: Kind::Local, sure: 0 };

    pub fn new(kind: Kind<'f>, sure: u8) -> Self {
        Self { kind, sure }
    }

    /// Returns the value, no surer than `sure`.
    pub fn at_most(self, sure: u8) -> Self {
        Self { sure: self.sure.min(sure), ..self }
    }

    /// Returns the value as a step from something so sure: only what has twins makes it less sure.
    fn after(self, sure: u8) -> Self {
        if sure <= sure::TWIN { self.at_most(sure) } else { self }
    }

    fn is_found(&self) -> bool {
        !matches!(self.kind, Kind::Unknown)
    }
}

/// Steps that one question may take, bindings and types of types included.
const MAX_DEPTH: u32 = 12;
/// Steps that one question may take in all, however they branch.
const MAX_STEPS: u32 = 400;

/// Resolves the names of one file.
pub struct Resolver<'w, 'f> {
    pub world: Look<'w, 'f>,
    pub file: u32,
    /// Bindings of this file by owner and name; empty while the world is being built.
    bindings: Index,
    qualifiers: FxHashMap<(u32, u32), Value<'f>>,
    /// What import rows of files bring all members of, where that is no package.
    opened: FxHashMap<(u32, u32), Value<'f>>,
    /// What was found depends on the line that asks, so it holds for no other line.
    line_matters: bool,
    /// The line that asks binds the name again.
    rebound: bool,
    /// What the line that asks binds does not count.
    is_before: bool,
    /// Arguments of the call whose callee is asked for; 255 when they do not count.
    arguments: u8,
    /// Type arguments of the type that is asked for; 255 when they do not count.
    arity: u8,
    depth: u32,
    steps: u32,
    family: members::Family,
}

impl<'w, 'f> Resolver<'w, 'f> {
    /// Makes a resolver that sees no local variables, as the world's tables need it.
    pub fn new(world: Look<'w, 'f>) -> Self {
        Self {
            world,
            file: world.file,
            bindings: Index::default(),
            qualifiers: FxHashMap::default(),
            opened: FxHashMap::default(),
            line_matters: false,
            rebound: false,
            is_before: false,
            arguments: UNKNOWN_PARAMETERS,
            arity: UNKNOWN_PARAMETERS,
            depth: 0,
            steps: 0,
            family: members::Family::default(),
        }
    }

    /// Makes a resolver that sees the file's local variables.
    pub fn with_locals(world: Look<'w, 'f>) -> Self {
        let view = world.own();
        let pairs = view
            .bindings
            .iter()
            .enumerate()
            .map(|(at, row)| {
                (key::within(u64::from(row.owner), key::name(view.str(row.name))), at as u32)
            })
            .collect();
        Self { bindings: Index::new(pairs), ..Self::new(world) }
    }

    /// Tells how many arguments the next names that are asked for are called with.
    pub fn with_arguments(&mut self, arguments: u8) {
        (self.arguments, self.arity) = (arguments, UNKNOWN_PARAMETERS);
    }

    /// Tells how many type arguments the next types that are asked for are written with.
    pub fn with_arity(&mut self, arity: u8) {
        (self.arguments, self.arity) = (UNKNOWN_PARAMETERS, arity);
    }

    /// Resolves a bare name of this file.
    pub fn bare(&mut self, owner: u32, name: &str, want: Want, line: u32) -> Value<'f> {
        self.steps = 0;
        self.name(Place { file: self.file, owner }, name, want, line)
    }

    /// Resolves a name behind a qualifier of this file.
    pub fn qualified(
        &mut self,
        owner: u32,
        qualifier: contextd_model::StrId,
        name: &str,
        want: Want,
        line: u32,
    ) -> Value<'f> {
        self.steps = 0;
        (self.line_matters, self.rebound) = (false, false);
        let receiver = match self.qualifiers.get(&(owner, qualifier.0)) {
            Some(&value) => value,
            None => {
                let text = self.world.own().str(qualifier);
                let value = self.path(Place { file: self.file, owner }, text, line);
                if !self.line_matters {
                    self.qualifiers.insert((owner, qualifier.0), value);
                }
                value
            }
        };
        let value = self.member(receiver, name, want);
        if !self.rebound {
            return value;
        }
        // In `r.route(func(r Router) …)` the first `r` is not the one that its line defines.
        let text = self.world.own().str(qualifier);
        let place = Place { file: self.file, owner };
        self.is_before = true;
        let receiver = self.path(place, text, line);
        self.is_before = false;
        let earlier = self.member(receiver, name, want);
        match (earlier.kind, value.kind) {
            (Kind::Symbol(earlier), Kind::Symbol(now)) if earlier == now => value,
            (Kind::Symbol(_), Kind::Symbol(_)) => earlier.at_most(sure::UNION),
            (Kind::Symbol(_), _) => earlier,
            _ => value,
        }
    }

    /// Resolves a base type.
    pub fn base(&mut self, row: &BaseRow) -> Value<'f> {
        self.steps = 0;
        let view = self.world.own();
        let owner = view.symbols.get(row.owner as usize).map_or(0, |symbol| {
            if symbol.parent == contextd_model::facts::NONE { 0 } else { symbol.parent }
        });
        let place = Place { file: self.file, owner };
        let (qualifier, name) = (view.str(row.qualifier), view.str(row.name));
        let (name, arity) = name.split_once('`').unwrap_or((name, "0"));
        self.arity = arity.parse().unwrap_or(UNKNOWN_PARAMETERS);
        let value = if qualifier.is_empty() {
            self.name(place, name, Want::Type, u32::MAX)
        } else {
            let receiver = self.path(place, qualifier, u32::MAX);
            self.member(receiver, name, Want::Type)
        };
        self.arity = UNKNOWN_PARAMETERS;
        // The object of a package stands in that package.
        match self.world.object_package(self.world.global(self.file, row.owner)) {
            Some(package) if !matches!(value.kind, Kind::Symbol(_)) => {
                self.module_member(self.file, Module::Package(package), name, Want::Type)
            }
            _ => value,
        }
    }

    /// Resolves the scope that a declaration outside of its type names.
    pub fn outer_scope(&mut self, parent: u32, scope: &str) -> Value<'f> {
        self.steps = 0;
        let place = Place { file: self.file, owner: parent };
        match scope.rsplit_once('.') {
            None => self.name(place, scope, Want::Type, u32::MAX),
            Some((qualifier, name)) => {
                let receiver = self.path(place, qualifier, u32::MAX);
                self.member(receiver, name, Want::Type)
            }
        }
    }

    /// Runs one step deeper; gives up beyond the caps.
    fn deeper(&mut self, step: impl FnOnce(&mut Self) -> Value<'f>) -> Value<'f> {
        self.steps += 1;
        if self.depth >= MAX_DEPTH || self.steps > MAX_STEPS {
            return Value::UNKNOWN;
        }
        self.depth += 1;
        let value = step(self);
        self.depth -= 1;
        value
    }

    /// A module that is only declared (`mod a;`) stands for its file.
    fn symbol_or_module(&self, symbol: u32, sure: u8) -> Value<'f> {
        let world = self.world;
        if world.kind(symbol) == SymbolKind::Module && world.has(symbol, modifier::DECLARATION) {
            let file = Module::File(world.file_of(symbol));
            if let Some(module) = world.module_below(file, world.name_of(symbol)) {
                return Value::new(Kind::Module(module), sure);
            }
        }
        Value::new(Kind::Symbol(symbol), sure)
    }
}
