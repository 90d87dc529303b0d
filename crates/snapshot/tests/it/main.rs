//! Laws of the index on disk, over random facts.

mod damage;
mod graph;
mod postings;
mod publication;
mod random;
mod segments;
mod snapshots;
