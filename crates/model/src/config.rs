//! Configuration as plain structs; how it is written in `context.toml` is the business of [`parse`].
