//! The root that is served; another one may take its place while the server runs.

use crate::fresh::Fresh;
use contextd_ops::Context;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

/// Opens a root; the binary knows about homes, environments and settings.
pub type Opener = Arc<dyn Fn(&Path) -> Result<Context, String> + Send + Sync>;

/// One root with what keeps it fresh.
pub struct Root {
    pub context: Context,
    pub fresh: Arc<Fresh>,
}

/// What all clients of a process share.
pub struct Served {
    current: RwLock<Arc<Root>>,
    open: Option<Opener>,
    /// True when the user named the root, so that clients do not choose another.
    pinned: bool,
}

impl Served {
    /// Serves a root; with an opener, clients may name another one unless it is pinned.
    pub fn new(context: Context, open: Option<Opener>, pinned: bool) -> Arc<Self> {
        let root = Root { context, fresh: Arc::default() };
        Arc::new(Self { current: RwLock::new(Arc::new(root)), open, pinned })
    }

    /// Returns the root that is served now.
    pub(crate) fn root(&self) -> Arc<Root> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes what is remembered of the answers and not yet kept.
    pub fn flush(&self) {
        self.root().context.flush();
    }

    /// Begins to index behind the answers, once a root.
    pub(crate) fn begin(self: &Arc<Self>) {
        self.root().fresh.begin(self);
    }

    pub(crate) fn is_pinned(&self) -> bool {
        self.pinned || self.open.is_none()
    }

    /// Serves another folder, or the same one with its configuration read again.
    pub(crate) fn switch(self: &Arc<Self>, path: &Path) -> Result<(), String> {
        let Some(open) = &self.open else { return Err("this server serves one root".to_owned()) };
        let next = Arc::new(Root { context: open(path)?, fresh: Arc::default() });
        let before = {
            let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, next)
        };
        before.fresh.stop();
        before.context.flush();
        self.begin();
        Ok(())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.root().fresh.stop();
    }
}
