//! From the text of an import to the module it names, for each style of modules.

mod crates;
mod dotted;
mod folder;
mod include;
pub mod packages;
mod relative;

use crate::LinkFile;
use crate::key::{self, Index};
use crate::policy::{self, Modules as Style};
use rustc_hash::FxHashMap;

/// What an import's module turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Module {
    File(u32),
    Package(u32),
    /// Outside of the repository, as far as its files can tell.
    External,
}

/// Files and folders by the names that imports use.
pub struct ModuleTable {
    by_path: FxHashMap<u64, u32>,
    /// Files by the last component of their path.
    by_basename: Index,
    /// Dotted module names of the languages that use them.
    dotted: Index,
    packages: packages::Packages,
    go: folder::Roots,
    workspace: relative::Workspace,
    crates: crates::Crates,
}

impl ModuleTable {
    pub fn build(files: &[LinkFile<'_>]) -> Self {
        let by_path =
            files.iter().enumerate().map(|(at, file)| (key::name(file.path), at as u32)).collect();
        let by_basename = Index::new(
            files
                .iter()
                .enumerate()
                .map(|(at, file)| (key::name(basename(file.path)), at as u32))
                .collect(),
        );
        let packages = packages::Packages::build(files);
        let mut table = Self {
            by_path,
            by_basename,
            dotted: dotted::index(files),
            go: folder::Roots::default(),
            workspace: relative::Workspace::build(files),
            crates: crates::Crates::build(files),
            packages,
        };
        table.go = folder::Roots::build(files, &table.packages);
        table
    }

    /// True when the imports of all files still tell the same of where Go's modules begin. `changed` are those that have
    /// come or gone, with how many rows more there are.
    pub fn learns_the_same<'i>(
        &self,
        files: &[LinkFile<'_>],
        changed: impl IntoIterator<Item = (&'i str, i64)>,
    ) -> bool {
        let is_untouched =
            |(import, more): (&str, i64)| self.go.is_untouched_by(import, more, &self.packages);
        changed.into_iter().all(is_untouched)
            || folder::Roots::build(files, &self.packages).are(&self.go)
    }

    /// Returns the package a file belongs to, where its language has packages.
    pub fn package_of(&self, file: u32) -> Option<u32> {
        self.packages.of_file(file)
    }

    /// Returns the first file of a package, which stands for it where an edge needs a symbol.
    pub fn package_file(&self, package: u32) -> Option<u32> {
        self.packages.first_file(package)
    }

    pub fn package_named(&self, family: u8, name: &str) -> Option<u32> {
        self.packages.named(family, name)
    }

    /// Returns the package of that name inside another.
    pub fn package_inside(&self, package: u32, name: &str) -> Option<u32> {
        self.packages.inside(package, name)
    }

    pub fn file_at(&self, path: &str) -> Option<u32> {
        self.by_path.get(&key::name(path)).copied()
    }

    /// Resolves the module of an import that stands in `file`.
    pub fn resolve(&self, files: &[LinkFile<'_>], file: u32, module: &str) -> Module {
        let from = &files[file as usize];
        let found = match policy::of(from.view.language).modules {
            Style::Dotted => self.resolve_dotted(files, file, module),
            Style::RelativePath => self.resolve_relative(files, file, module),
            Style::Folder => self.go.resolve(module, &self.packages).map(Module::Package),
            Style::Declared => self.resolve_declared(files, file, module),
            Style::CrateTree => self.crates.resolve(self, files, file, module),
            Style::Include | Style::Shared => self.resolve_include(files, file, module),
            Style::None => None,
        };
        found.unwrap_or(Module::External)
    }

    /// Returns the module below another one: a file in a package's folder, a child of a Rust module.
    pub fn child(&self, files: &[LinkFile<'_>], module: Module, name: &str) -> Option<Module> {
        let Module::File(file) = module else {
            return None;
        };
        let from = &files[file as usize];
        match policy::of(from.view.language).modules {
            Style::Dotted => self.python_child(from.path, name),
            Style::CrateTree => self.crates.child(file, name),
            _ => None,
        }
    }

    fn resolve_declared(&self, files: &[LinkFile<'_>], file: u32, module: &str) -> Option<Module> {
        let family = policy::of(files[file as usize].view.language).family;
        self.package_named(family, &normal(module)).map(Module::Package)
    }
}

/// Separators as dots: `a\b` and `a::b` are `a.b`.
pub fn normal(module: &str) -> String {
    module.trim_start_matches('\\').replace("::", ".").replace(['\\', '/'], ".")
}

/// True for a file that names packages and paths, which other files' imports are read by.
pub fn is_manifest(path: &str) -> bool {
    let name = basename(path);
    matches!(name, "Cargo.toml" | "package.json")
        || name.starts_with("tsconfig") && name.ends_with(".json")
}

/// True for a file that others include.
pub fn is_header(path: &str) -> bool {
    let ending = basename(path).rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "h" | "hh" | "hpp" | "hxx" | "inl" | "inc" | "ipp" | "def")
}

pub fn basename(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the folder of a path without a trailing slash; empty at the root.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a folder and a relative path, `.` and `..` resolved; `None` when it leaves the root.
pub fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Counts the leading folders that two paths share.
pub fn shared_folders(left: &str, right: &str) -> usize {
    folder_of(left).split('/').zip(folder_of(right).split('/')).take_while(|(a, b)| a == b).count()
}
