//! Operations about changes, on small repositories driven by the `git` program.

mod changes;
mod reach;
mod repositories;
mod sandbox;
