//! Builds what reads the parser's trees and what guards its scanners, against the headers that the parser's library is
//! built with.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=src/tree/flatten.c");
    println!("cargo:rerun-if-changed=src/guard/guard.c");
    println!("cargo:rerun-if-changed=build.rs");
    let include = PathBuf::from(
        std::env::var_os("DEP_TREE_SITTER_INCLUDE")
            .expect("the parser's library tells where its headers are"),
    );
    cc::Build::new()
        .std("c11")
        .include(include.join("../src"))
        .include(include)
        .file("src/tree/flatten.c")
        .file("src/guard/guard.c")
        .compile("contextd-parsing");
}
