//! Packages: folders of Go, declared packages and namespaces of the languages that declare them.

use super::folder_of;
use crate::LinkFile;
use crate::key;
use crate::policy::{self, Modules as Style};
use contextd_model::SymbolKind;
use contextd_model::facts::modifier;
use rustc_hash::FxHashMap;

/// Numbers of packages, by folder and by name.
#[derive(Default)]
pub struct Packages {
    of_file: Vec<u32>,
    first_file: Vec<u32>,
    /// Go: package by folder; the package that is not the external test's comes first.
    folders: FxHashMap<u64, u32>,
    /// Go: folders by every run of components at their end, for vendored and staged modules.
    endings: FxHashMap<u64, u32>,
    named: FxHashMap<u64, u32>,
    /// Declared packages: the family and the full name.
    names: FxHashMap<u32, (u8, String)>,
}

/// True where blocks of one name, wherever they stand, are one namespace.
pub fn has_namespaces(style: Style) -> bool {
    matches!(style, Style::Declared | Style::Include | Style::Shared)
}

const NO_PACKAGE: u32 = u32::MAX;
const NO_FILE: u32 = u32::MAX;

impl Packages {
    pub fn build(files: &[LinkFile<'_>]) -> Self {
        let mut packages = Self::default();
        for (at, file) in files.iter().enumerate() {
            let policy = policy::of(file.view.language);
            let name = file.view.package_name();
            let number = match policy.modules {
                Style::Folder => packages.folder(files, at as u32, name),
                Style::Declared => packages.declared(at as u32, policy.family, name),
                _ => NO_PACKAGE,
            };
            packages.of_file.push(number);
            if has_namespaces(policy.modules) {
                for row in file.view.symbols.iter().filter(|row| {
                    matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module)
                        && !row.has(modifier::TITLE)
                }) {
                    packages.declared(at as u32, policy.family, file.view.str(row.qualified));
                }
            }
        }
        packages
    }

    fn folder(&mut self, files: &[LinkFile<'_>], file: u32, name: &str) -> u32 {
        let is_test = |path: &str| path.ends_with("_test.go");
        let folder = folder_of(files[file as usize].path);
        let number = self.number(key::within(key::name(folder), key::name(name)), file);
        // Those that import a package never see its tests, so another file stands for it.
        let first = &mut self.first_file[number as usize];
        if is_test(files[*first as usize].path) && !is_test(files[file as usize].path) {
            *first = file;
        }
        if !name.ends_with("_test") {
            self.folders.entry(key::name(folder)).or_insert(number);
            let mut end = folder;
            while let Some((_, rest)) = end.split_once('/') {
                self.endings.entry(key::name(rest)).or_insert(number);
                end = rest;
            }
        }
        number
    }

    fn declared(&mut self, file: u32, family: u8, name: &str) -> u32 {
        let number = self.around(family, &super::normal(name));
        if self.first_file[number as usize] == NO_FILE {
            self.first_file[number as usize] = file;
        }
        number
    }

    /// Numbers a package and those that hold it, whether or not a file declares them.
    fn around(&mut self, family: u8, name: &str) -> u32 {
        let number = self.number(key::within(key::family_scope(family), key::name(name)), NO_FILE);
        if !self.names.contains_key(&number) {
            if !name.is_empty() {
                self.around(family, name.rsplit_once('.').map_or("", |(outer, _)| outer));
            }
            self.names.insert(number, (family, name.to_owned()));
        }
        number
    }

    /// Returns the package that is declared with a further name behind that of another.
    pub fn inside(&self, package: u32, name: &str) -> Option<u32> {
        let (family, outer) = self.names.get(&package)?;
        if outer.is_empty() {
            self.named(*family, name)
        } else {
            self.named(*family, &format!("{outer}.{name}"))
        }
    }

    fn number(&mut self, key: u64, file: u32) -> u32 {
        let next = self.first_file.len() as u32;
        let number = *self.named.entry(key).or_insert(next);
        if number == next {
            self.first_file.push(file);
        }
        number
    }

    pub fn of_file(&self, file: u32) -> Option<u32> {
        self.of_file.get(file as usize).copied().filter(|&number| number != NO_PACKAGE)
    }

    /// Returns the first file that declares a package; none declares what only holds others.
    pub fn first_file(&self, package: u32) -> Option<u32> {
        self.first_file.get(package as usize).copied().filter(|&file| file != NO_FILE)
    }

    pub fn in_folder(&self, folder: &str) -> Option<u32> {
        self.folders.get(&key::name(folder)).copied()
    }

    /// Returns the package whose folder ends in all of `path`.
    pub fn ending(&self, path: &str) -> Option<u32> {
        path.contains('.').then(|| self.endings.get(&key::name(path)).copied()).flatten()
    }

    pub fn named(&self, family: u8, name: &str) -> Option<u32> {
        self.named.get(&key::within(key::family_scope(family), key::name(name))).copied()
    }
}
