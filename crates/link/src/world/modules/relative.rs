//! ECMAScript's modules: relative paths without extensions, folders with an index, packages of the
//! workspace by their name.

use super::{Module, ModuleTable, basename, folder_of, join};
use crate::LinkFile;
use contextd_model::facts::FactsView;
use std::collections::BTreeMap;

const EXTENSIONS: [&str; 13] = [
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.mts", ".d.cts",
    ".vue", ".svelte",
];

/// Folders of a workspace's packages, by package name.
#[derive(Default)]
pub struct Workspace {
    packages: BTreeMap<String, String>,
    /// Targets of `paths` in a `tsconfig.json`: folder of the file, pattern, target.
    paths: Vec<(String, String, String)>,
}

impl Workspace {
    pub fn build(files: &[LinkFile<'_>]) -> Self {
        let mut workspace = Self::default();
        for file in files {
            let folder = folder_of(file.path);
            match basename(file.path) {
                "package.json" => {
                    let name = json_string(&file.view, "name")
                        .unwrap_or_else(|| basename(folder).to_owned());
                    let shorter = |old: &String| folder.len() < old.len();
                    if !name.is_empty() && workspace.packages.get(&name).is_none_or(shorter) {
                        workspace.packages.insert(name, folder.to_owned());
                    }
                }
                name if name.starts_with("tsconfig") && name.ends_with(".json") => {
                    workspace.add_paths(folder, &file.view)
                }
                _ => {}
            }
        }
        workspace
    }

    fn add_paths(&mut self, folder: &str, view: &FactsView<'_>) {
        for row in view.symbols {
            let qualified = view.str(row.qualified);
            if qualified.starts_with("compilerOptions.paths.") {
                let signature = view.str(row.signature);
                let mut strings = signature.split('"').skip(1).step_by(2);
                if let (Some(pattern), Some(target)) = (strings.next(), strings.next()) {
                    self.paths.push((folder.to_owned(), pattern.to_owned(), target.to_owned()));
                }
            }
        }
    }
}

/// Returns a string of a JSON file's top level, where its facts show it.
fn json_string(view: &FactsView<'_>, name: &str) -> Option<String> {
    let row = view.symbols.iter().find(|row| row.parent == 0 && view.str(row.name) == name)?;
    let value = view.str(row.signature).split_once(':')?.1.trim();
    Some(value.strip_prefix('"')?.split('"').next()?.to_owned())
}

impl ModuleTable {
    pub(super) fn resolve_relative(
        &self,
        files: &[LinkFile<'_>],
        file: u32,
        module: &str,
    ) -> Option<Module> {
        let module =
            module.split(['?', '#']).next().filter(|part| !part.is_empty()).unwrap_or(module);
        let folder = folder_of(files[file as usize].path);
        if module.starts_with('.') {
            return self.script(&join(folder, module)?).map(Module::File);
        }
        if let Some(rest) = module.strip_prefix("@/").or_else(|| module.strip_prefix("~/")) {
            return self.below_source_root(folder, rest).map(Module::File);
        }
        self.by_pattern(folder, module)
            .or_else(|| self.workspace_file(files, module))
            .map(Module::File)
    }

    /// Finds the file that an extensionless path means.
    fn script(&self, path: &str) -> Option<u32> {
        let exact = self.file_at(path);
        if exact.is_some() && path.rsplit('/').next().is_some_and(|name| name.contains('.')) {
            return exact;
        }
        // A `.js` in the source may mean the `.ts` it is built from.
        let stems = [
            Some(path),
            path.strip_suffix(".js"),
            path.strip_suffix(".mjs"),
            path.strip_suffix(".cjs"),
            path.strip_suffix(".jsx"),
        ];
        for stem in stems.into_iter().flatten() {
            for extension in EXTENSIONS {
                if let Some(file) = self.file_at(&format!("{stem}{extension}")) {
                    return Some(file);
                }
            }
        }
        let index = if path.is_empty() { "index".to_owned() } else { format!("{path}/index") };
        EXTENSIONS.iter().find_map(|extension| self.file_at(&format!("{index}{extension}")))
    }

    fn below_source_root(&self, folder: &str, rest: &str) -> Option<u32> {
        let mut at = folder;
        loop {
            for base in ["src/", "", "app/"] {
                let path = if at.is_empty() {
                    format!("{base}{rest}")
                } else {
                    format!("{at}/{base}{rest}")
                };
                if let Some(file) = self.script(&path) {
                    return Some(file);
                }
            }
            if at.is_empty() {
                return None;
            }
            at = folder_of(at);
        }
    }

    fn by_pattern(&self, folder: &str, module: &str) -> Option<u32> {
        self.workspace.paths.iter().find_map(|(root, pattern, target)| {
            if !folder.starts_with(root.as_str()) {
                return None;
            }
            let target = match pattern.split_once('*') {
                Some((before, after)) => {
                    target.replace('*', module.strip_prefix(before)?.strip_suffix(after)?)
                }
                None => (module == pattern).then(|| target.clone())?,
            };
            self.script(&join(root, &target)?)
        })
    }

    /// `name` and `name/sub` of a package in the workspace: its sources stand in `src`, else beside.
    fn workspace_file(&self, files: &[LinkFile<'_>], module: &str) -> Option<u32> {
        let depth = if module.starts_with('@') { 2 } else { 1 };
        let end = module.match_indices('/').nth(depth - 1).map_or(module.len(), |(at, _)| at);
        let (name, rest) = (&module[..end], module[end..].trim_start_matches('/'));
        let folder = self.workspace.packages.get(name).or_else(|| {
            self.workspace.packages.get(name.rsplit('/').next()?).filter(|_| depth == 2)
        })?;
        let below = |base: &str| {
            [folder.as_str(), base, rest]
                .iter()
                .filter(|part| !part.is_empty())
                .copied()
                .collect::<Vec<_>>()
                .join("/")
        };
        let direct = ["src", "", "lib", "source"].iter().find_map(|base| self.script(&below(base)));
        direct.or_else(|| {
            self.entry_by_name(
                files,
                folder,
                if rest.is_empty() { "index" } else { basename(rest) },
            )
        })
    }

    /// The file of that name nearest to the package's root, when one is nearer than the others.
    fn entry_by_name(&self, files: &[LinkFile<'_>], folder: &str, stem: &str) -> Option<u32> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut found: Vec<(usize, u32)> = Vec::new();
        for extension in &EXTENSIONS[..5] {
            for &file in self.by_basename.get(crate::key::name(&format!("{stem}{extension}"))) {
                let path = files[file as usize].path;
                if path.starts_with(&prefix) && !contextd_lang::paths::is_test(path) {
                    found.push((path.matches('/').count(), file));
                }
            }
        }
        found.sort_unstable();
        match found.as_slice() {
            [(_, file)] => Some(*file),
            [(first, file), (second, _), ..] if first < second => Some(*file),
            _ => None,
        }
    }
}
