//! Documents: a section of prose that names a symbol in code form documents it, more or less surely.

use super::FileLinker;
use crate::key;
use crate::world::FEW_DOCUMENTED;
use contextd_model::EdgeKind;

impl FileLinker<'_, '_> {
    /// Links every mention of a document to the symbols of that name, whatever their language.
    pub(super) fn documents(&mut self) {
        let world = self.world;
        let view = world.own();
        for row in view.refs {
            let (name, qualifier) = (view.str(row.name), view.str(row.qualifier));
            let found = self.documented(name, qualifier);
            let sure = if qualifier.is_empty() { 70 } else { 85 };
            let count = found.len();
            for target in found {
                self.push(
                    world.global(self.file, row.owner),
                    target,
                    EdgeKind::Documents,
                    row.line,
                    (sure / count) as u8,
                    row.count,
                );
            }
        }
    }

    fn documented(&self, name: &str, qualifier: &str) -> Vec<u32> {
        let world = self.world;
        let key = key::name(name);
        let scope = qualifier.rsplit('.').next().unwrap_or("");
        if scope.is_empty() {
            return world.few_documented(key).unwrap_or_default();
        }
        let mut found = world.documented(key);
        let qualified = |symbol: &u32| {
            world.qualified(*symbol).rsplit('.').nth(1).is_some_and(|outer| outer == scope)
        };
        if found.iter().any(&qualified) {
            found.retain(qualified);
        }
        if found.len() > FEW_DOCUMENTED { Vec::new() } else { found }
    }
}
