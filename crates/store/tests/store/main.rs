//! The ledger and the facts cache from outside: opening, damage, crashes, several processes.

mod cache;
mod child;
mod crash;
mod jobs;
mod model;
mod opening;
mod sample;
mod tables;
