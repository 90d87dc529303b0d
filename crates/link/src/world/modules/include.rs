//! Includes: the text of another file, found by the end of its path.

use super::{Module, ModuleTable, basename, folder_of, join, shared_folders};
use crate::LinkFile;
use crate::key;
use crate::policy::{self, Modules as Style};

impl ModuleTable {
    pub(super) fn resolve_include(
        &self,
        files: &[LinkFile<'_>],
        file: u32,
        module: &str,
    ) -> Option<Module> {
        let from = files[file as usize].path;
        let include = policy::of(files[file as usize].view.language).modules == Style::Include;
        // `require 'tool'` loads `tool.rb`, never a script of that name.
        let as_written = include || basename(module).contains('.');
        let beside = join(folder_of(from), module).and_then(|path| {
            let whole = as_written.then(|| self.file_at(&path)).flatten();
            whole.or_else(|| self.file_at(&format!("{path}.rb")))
        });
        let whole = || as_written.then(|| self.by_ending(files, from, module)).flatten();
        beside
            .or_else(whole)
            .or_else(|| self.by_ending(files, from, &format!("{module}.rb")))
            .map(Module::File)
    }

    fn by_ending(&self, files: &[LinkFile<'_>], from: &str, module: &str) -> Option<u32> {
        let wanted = module.trim_start_matches("./").trim_start_matches("../");
        let ends = |path: &str| {
            path == wanted || path.strip_suffix(wanted).is_some_and(|before| before.ends_with('/'))
        };
        let candidates = self.by_basename.get(key::name(basename(wanted)));
        candidates
            .iter()
            .copied()
            .filter(|&at| {
                let path = files[at as usize].path;
                ends(path) && is_on_load_path(path, wanted)
            })
            .max_by_key(|&at| {
                (shared_folders(files[at as usize].path, from), std::cmp::Reverse(at))
            })
    }
}

/// `require 'logger'` means a file that lies directly in a folder which programs load from, not one
/// of that name anywhere.
fn is_on_load_path(path: &str, wanted: &str) -> bool {
    let folder = basename(folder_of(path));
    let is_root = matches!(folder, "" | "lib" | "spec" | "test" | "ext" | "app" | "support");
    is_root || wanted.contains('/') || !wanted.ends_with(".rb")
}
