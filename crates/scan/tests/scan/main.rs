//! The scanner on real trees, against git itself and against hostile ones.

mod agreement;
mod boundaries;
#[cfg(unix)]
mod hostile;
mod repositories;
mod sandbox;
