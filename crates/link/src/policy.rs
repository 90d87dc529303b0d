//! What linking must know of each language, in one table.

use contextd_lang::LanguageId;
use std::sync::OnceLock;

/// How a language finds the module that an import names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modules {
    /// Dotted names over folders, relative with leading dots.
    Dotted,
    /// Paths relative to the importing file, packages by name.
    RelativePath,
    /// A folder is a package; imports end in its path.
    Folder,
    /// Files declare the package they belong to.
    Declared,
    /// Modules follow the files of a crate.
    CrateTree,
    /// Includes by the end of a path; names with external linkage are shared by all files.
    Include,
    /// All files see each other.
    Shared,
    /// Nothing is linked but the structure.
    None,
}

/// One language's rules of linking.
pub struct Policy {
    pub language: &'static str,
    /// Languages of one family see each other's symbols.
    pub family: u8,
    pub modules: Modules,
    /// Members of the enclosing type are visible without `self`.
    pub implicit_self: bool,
    /// A method is called by its bare name, without brackets.
    pub bare_calls: bool,
    /// Fields are written apart from methods (`@x`), and `x=` is a method of its own.
    pub fields_apart: bool,
    /// Names of constructors, besides symbols of that kind.
    pub constructors: &'static [&'static str],
    /// Several callables of one name may stand in one place, told apart by types or labels.
    pub overloads: bool,
    /// A call writes all its arguments in one pair of brackets, but for those that have defaults.
    pub all_arguments: bool,
    /// Names of the packages around a package are visible in it.
    pub outer_packages: bool,
    /// Names outside of all packages are visible in every package.
    pub root_is_seen: bool,
    /// Functions outside of all packages are visible in every package.
    pub root_functions: bool,
    /// What is internal is visible in its module alone, which is a folder.
    pub internal_to_module: bool,
    /// Types of one name are told apart by how many type arguments they take.
    pub types_by_arity: bool,
    /// Every parameter has a name and calls count all arguments, so bindings tell the number of parameters.
    pub names_parameters: bool,
    /// Sources are kept in sets, one for all platforms and one for each.
    pub source_sets: bool,
    /// The parts of a type may stand in several files.
    pub partial_types: bool,
    /// Private members are seen in their file alone.
    pub private_to_file: bool,
    /// Objects are terms and no types: where a type is wanted, one of that name is passed over.
    pub terms_apart: bool,
    /// A block may run as if it stood in another object, which hides what stands around it.
    pub moved_blocks: bool,
    /// Words that stand for the base type.
    pub supers: &'static [&'static str],
}

const fn policy(
    language: &'static str,
    family: u8,
    modules: Modules,
    implicit_self: bool,
) -> Policy {
    Policy {
        language,
        family,
        modules,
        implicit_self,
        bare_calls: false,
        fields_apart: false,
        overloads: matches!(family, 4 | 5 | 10),
        all_arguments: false,
        outer_packages: true,
        root_is_seen: !matches!(family, 4 | 6),
        root_functions: family == 6,
        internal_to_module: false,
        source_sets: false,
        names_parameters: false,
        types_by_arity: family == 5,
        partial_types: matches!(family, 5 | 9 | 10),
        moved_blocks: false,
        terms_apart: false,
        private_to_file: matches!(family, 4 | 10),
        constructors: &[],
        supers: &["super"],
    }
}

/// One line a language; those without a line keep their structure only.
static ALL: &[Policy] = &[
    policy("text", 0, Modules::None, false),
    Policy {
        constructors: &["__init__", "__new__"],
        ..policy("python", 1, Modules::Dotted, false)
    },
    policy("typescript", 2, Modules::RelativePath, false),
    policy("tsx", 2, Modules::RelativePath, false),
    policy("javascript", 2, Modules::RelativePath, false),
    Policy { supers: &[], ..policy("go", 3, Modules::Folder, false) },
    Policy {
        outer_packages: false,
        all_arguments: true,
        ..policy("java", 4, Modules::Declared, true)
    },
    Policy {
        outer_packages: false,
        internal_to_module: true,
        source_sets: true,
        names_parameters: true,
        ..policy("kotlin", 4, Modules::Declared, true)
    },
    Policy { bare_calls: true, terms_apart: true, ..policy("scala", 4, Modules::Declared, true) },
    Policy {
        supers: &["base"],
        all_arguments: true,
        ..policy("csharp", 5, Modules::Declared, true)
    },
    Policy {
        constructors: &["__construct"],
        supers: &["parent"],
        outer_packages: false,
        ..policy("php", 6, Modules::Declared, false)
    },
    Policy { supers: &[], ..policy("rust", 7, Modules::CrateTree, false) },
    Policy { supers: &[], ..policy("c", 8, Modules::Include, false) },
    Policy { supers: &[], overloads: true, ..policy("cpp", 8, Modules::Include, true) },
    Policy {
        bare_calls: true,
        fields_apart: true,
        constructors: &["initialize"],
        moved_blocks: true,
        ..policy("ruby", 9, Modules::Shared, true)
    },
    Policy { constructors: &["init"], ..policy("swift", 10, Modules::Shared, true) },
];

/// Returns the rules of a language.
pub fn of(language: u8) -> &'static Policy {
    static BY_NUMBER: OnceLock<Vec<&'static Policy>> = OnceLock::new();
    let table = BY_NUMBER.get_or_init(|| {
        let by_name = |id: LanguageId| {
            ALL.iter().find(|policy| policy.language == id.name()).unwrap_or(&ALL[0])
        };
        LanguageId::all().map(by_name).collect()
    });
    table.get(usize::from(language)).copied().unwrap_or(&ALL[0])
}

/// Returns the numbers of the families that have symbols to link to.
pub fn families() -> impl Iterator<Item = u8> {
    let last = ALL.iter().map(|policy| policy.family).max().unwrap_or(0);
    1..=last
}

/// Members that the standard types of many languages have: met on a receiver of unknown type, such
/// a name says next to nothing about a type of the repository.
pub fn is_common_member(name: &str) -> bool {
    const NAMES: [&str; 84] = [
        "Add",
        "Close",
        "Error",
        "Get",
        "Len",
        "Read",
        "Set",
        "String",
        "Unwrap",
        "Write",
        "add",
        "append",
        "apply",
        "as_ref",
        "as_str",
        "at",
        "bind",
        "call",
        "catch",
        "charAt",
        "clear",
        "clone",
        "close",
        "concat",
        "contains",
        "copy",
        "count",
        "decode",
        "delete",
        "encode",
        "endsWith",
        "entries",
        "equals",
        "error",
        "exec",
        "extend",
        "filter",
        "find",
        "flush",
        "forEach",
        "format",
        "get",
        "has",
        "hashCode",
        "includes",
        "index",
        "indexOf",
        "insert",
        "items",
        "iter",
        "join",
        "keys",
        "len",
        "length",
        "lower",
        "map",
        "match",
        "name",
        "open",
        "pop",
        "push",
        "put",
        "read",
        "reduce",
        "remove",
        "replace",
        "set",
        "size",
        "slice",
        "some",
        "sort",
        "split",
        "startsWith",
        "strip",
        "test",
        "then",
        "toString",
        "trim",
        "unwrap",
        "update",
        "upper",
        "value",
        "values",
        "write",
    ];
    NAMES.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_their_line() {
        for id in LanguageId::all().filter(|id| id.get().full) {
            assert_eq!(of(id.0).language, id.name(), "no policy for {}", id.name());
        }
        assert_eq!(of(255).modules, Modules::None);
    }

    #[test]
    fn common_members_are_sorted_for_the_search() {
        for name in ["Add", "get", "write", "values", "join"] {
            assert!(is_common_member(name), "{name}");
        }
        assert!(!is_common_member("handle_request"));
    }
}
