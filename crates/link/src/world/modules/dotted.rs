//! Python's modules: packages are folders, imports are dotted and may be relative.

use super::{Module, ModuleTable, folder_of, join, shared_folders};
use crate::LinkFile;
use crate::key::{self, Index};
use crate::policy::{self, Modules as Style};
use rustc_hash::FxHashSet;

/// Registers each file under its name from the root of its packages, and under its whole path.
pub fn index(files: &[LinkFile<'_>]) -> Index {
    let is_dotted = |file: &&LinkFile<'_>| policy::of(file.view.language).modules == Style::Dotted;
    let packages: FxHashSet<&str> = files
        .iter()
        .filter(is_dotted)
        .filter(|file| is_init(file.path))
        .map(|file| folder_of(file.path))
        .collect();
    let mut pairs = Vec::new();
    for (at, file) in files.iter().enumerate().filter(|(_, file)| is_dotted(file)) {
        let whole = whole_name(file.path);
        let mut root = folder_of(file.path);
        while packages.contains(root) && !root.is_empty() {
            root = folder_of(root);
        }
        let inner = if root.is_empty() { file.path } else { &file.path[root.len() + 1..] };
        pairs.push((key::name(&whole), at as u32));
        pairs.push((key::name(&whole_name(inner)), at as u32));
    }
    Index::new(pairs)
}

fn is_init(path: &str) -> bool {
    matches!(super::basename(path), "__init__.py" | "__init__.pyi")
}

fn whole_name(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let stem = if is_init(path) { folder_of(path) } else { stem };
    stem.replace('/', ".")
}

impl ModuleTable {
    pub(super) fn resolve_dotted(
        &self,
        files: &[LinkFile<'_>],
        file: u32,
        module: &str,
    ) -> Option<Module> {
        let path = files[file as usize].path;
        let dots = module.bytes().take_while(|&byte| byte == b'.').count();
        if dots > 0 {
            let up = "../".repeat(dots - 1);
            let relative = format!("{up}{}", module[dots..].replace('.', "/"));
            return self.python_file(&join(folder_of(path), &relative)?).map(Module::File);
        }
        let candidates = self.dotted.get(key::name(module));
        // The nearest file wins: a script's neighbour, or the package it is part of.
        let best = candidates.iter().copied().max_by_key(|&candidate| {
            (shared_folders(files[candidate as usize].path, path), std::cmp::Reverse(candidate))
        });
        best.map(Module::File)
    }

    pub(super) fn python_child(&self, path: &str, name: &str) -> Option<Module> {
        is_init(path)
            .then(|| join(folder_of(path), name))
            .flatten()
            .and_then(|path| self.python_file(&path))
            .map(Module::File)
    }

    fn python_file(&self, stem: &str) -> Option<u32> {
        let stem = stem.trim_start_matches('/');
        let mut path = String::with_capacity(stem.len() + "/__init__.pyi".len());
        [".py", "/__init__.py", ".pyi", "/__init__.pyi"].iter().find_map(|end| {
            path.clear();
            path.push_str(stem);
            path.push_str(end);
            self.file_at(path.trim_start_matches('/'))
        })
    }
}
