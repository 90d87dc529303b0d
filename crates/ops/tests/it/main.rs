//! Operations about changes and declared parts, on small repositories driven by the `git` program.

mod ahead;
mod changes;
mod declared;
mod not_code;
mod outlines;
mod reach;
mod recent;
mod repositories;
mod sandbox;
