//! Rust's modules: a crate's files form a tree by their place below `src`.

use super::{Module, ModuleTable, basename, folder_of};
use crate::LinkFile;
use crate::key;
use crate::policy::{self, Modules as Style};
use rustc_hash::{FxHashMap, FxHashSet};

/// Files of crates by crate and module path.
#[derive(Default)]
pub struct Crates {
    /// Crate root file by crate name.
    by_name: FxHashMap<u64, u32>,
    /// (crate, module path) → file.
    modules: FxHashMap<u64, u32>,
    /// Per file: crate number and module path.
    places: FxHashMap<u32, (u32, String)>,
    /// Crates whose manifest depends on another crate by a name of the toolchain's own: (crate, name).
    replaced: FxHashSet<u64>,
}

/// Crates that come with the toolchain: a crate of that name elsewhere in the repository is another.
const TOOLCHAIN: [&str; 5] = ["alloc", "core", "proc_macro", "std", "test"];

impl Crates {
    pub fn build(files: &[LinkFile<'_>]) -> Self {
        let mut crates = Self::default();
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let declared: FxHashMap<&str, &str> = files
            .iter()
            .filter(|file| basename(file.path) == "Cargo.toml")
            .filter_map(|file| Some((folder_of(file.path), package_name(file)?)))
            .collect();
        let replacing: FxHashMap<&str, Vec<&str>> = files
            .iter()
            .filter(|file| basename(file.path) == "Cargo.toml")
            .map(|file| (folder_of(file.path), replaced(file)))
            .filter(|(_, names)| !names.is_empty())
            .collect();
        for (at, file) in files.iter().enumerate() {
            if policy::of(file.view.language).modules != Style::CrateTree {
                continue;
            }
            let (root, module) = place(file.path);
            let next = numbers.len() as u32;
            let number = *numbers.entry(root.clone()).or_insert(next);
            if number == next {
                let names = manifest_above(&replacing, &root);
                let keys = names.iter().map(|name| key::within(u64::from(number), key::name(name)));
                crates.replaced.extend(keys);
            }
            crates
                .modules
                .entry(key::within(u64::from(number), key::name(&module)))
                .or_insert(at as u32);
            let is_library = basename(file.path) == "lib.rs" || basename(file.path) == "main.rs";
            if module.is_empty() && is_library {
                let folder = root.trim_end_matches("src").trim_end_matches('/');
                let name = declared
                    .get(folder)
                    .copied()
                    .unwrap_or_else(|| basename(folder))
                    .replace('-', "_");
                let slot = crates.by_name.entry(key::name(&name)).or_insert(at as u32);
                if basename(file.path) == "lib.rs" {
                    *slot = at as u32;
                    crates.modules.insert(key::within(u64::from(number), key::name("")), at as u32);
                }
            }
            crates.places.insert(at as u32, (number, module));
        }
        crates
    }

    pub fn child(&self, file: u32, name: &str) -> Option<Module> {
        let (number, module) = self.places.get(&file)?;
        let path = if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") };
        self.at(*number, &path)
    }

    fn is_of_toolchain(&self, number: u32, name: &str) -> bool {
        TOOLCHAIN.contains(&name)
            && !self.replaced.contains(&key::within(u64::from(number), key::name(name)))
    }

    fn at(&self, number: u32, path: &str) -> Option<Module> {
        self.modules
            .get(&key::within(u64::from(number), key::name(path)))
            .copied()
            .map(Module::File)
    }

    /// Resolves `crate::a`, `super::a`, `self::a`, `krate::a`; what is no module is left for members.
    pub fn resolve(
        &self,
        _table: &ModuleTable,
        _files: &[LinkFile<'_>],
        file: u32,
        module: &str,
    ) -> Option<Module> {
        let normal = super::normal(module);
        let mut parts = normal.split('.').filter(|part| !part.is_empty());
        let head = parts.next()?;
        let (number, own) = self.places.get(&file)?;
        let mut at = match head {
            "crate" => self.at(*number, "")?,
            "self" => Module::File(file),
            "super" => self.at(*number, own.rsplit_once('.').map_or("", |(parent, _)| parent))?,
            name if self.is_of_toolchain(*number, name) => self.child(file, name)?,
            name => self
                .child(file, name)
                .or_else(|| self.at(*number, name))
                .or_else(|| self.by_name.get(&key::name(name)).copied().map(Module::File))?,
        };
        for part in parts {
            let Module::File(current) = at else {
                return None;
            };
            at = match part {
                "super" => {
                    let (number, own) = self.places.get(&current)?;
                    self.at(*number, own.rsplit_once('.').map_or("", |(parent, _)| parent))?
                }
                name => self.child(current, name)?,
            };
        }
        Some(at)
    }
}

/// Returns the name that a manifest gives its package, where its facts show it.
fn package_name<'f>(file: &LinkFile<'f>) -> Option<&'f str> {
    // A library may be called differently from its package.
    let named = |key: &str| {
        let mut rows = file.view.symbols.iter();
        let row = rows.find(|row| file.view.str(row.qualified) == key)?;
        Some(file.view.str(row.type_text)).filter(|name| !name.is_empty())
    };
    named("lib.name").or_else(|| named("package.name"))
}

/// Returns the names of the toolchain's crates that a manifest takes from elsewhere.
fn replaced<'f>(file: &LinkFile<'f>) -> Vec<&'f str> {
    let names = file.view.symbols.iter().map(|row| file.view.str(row.qualified));
    let named = names.filter_map(|path| {
        let (_, after) = path.split_once("dependencies.")?;
        Some(after.split('.').next().unwrap_or(after))
    });
    named.filter(|name| TOOLCHAIN.contains(name)).collect()
}

/// Returns what the nearest manifest above a crate's first folder says.
fn manifest_above<'a>(manifests: &'a FxHashMap<&str, Vec<&str>>, root: &'a str) -> &'a [&'a str] {
    if manifests.is_empty() {
        return &[];
    }
    let mut folder = root;
    loop {
        if let Some(names) = manifests.get(folder) {
            return names;
        }
        if folder.is_empty() {
            return &[];
        }
        folder = folder_of(folder);
    }
}

/// Returns the folder in which a file's crate begins, and the file's module path in it.
fn place(path: &str) -> (String, String) {
    let (root, inner) = match path.rfind("src/") {
        Some(at) if at == 0 || path.as_bytes()[at - 1] == b'/' => {
            (&path[..at + 3], &path[at + 4..])
        }
        _ => (folder_of(path), basename(path)),
    };
    let stem = inner.strip_suffix(".rs").unwrap_or(inner);
    let module = match basename(stem) {
        "mod" => folder_of(stem),
        "lib" | "main" if !stem.contains('/') => "",
        _ => stem,
    };
    (root.to_owned(), module.replace('/', "."))
}
