//! What a file's name says about how values are written in it.

/// How values are written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathKind {
    /// Values that matter are quoted; a bare word is an identifier.
    Code,
    /// `key = value` or `key: value`, values bare.
    Config,
    /// `machine … login … password …`.
    Netrc,
    /// What a program is run with, written as [`PathKind::Config`]: a password there is one, whatever words it is made of.
    Environment,
}

/// Parts of the names of files that show others how to write theirs.
const SHOWING: &[&str] =
    &["example", "sample", "template", "dist", "defaults", "default", "schema"];

const CONFIG_EXTENSIONS: &[&str] = &[
    "env",
    "properties",
    "ini",
    "cfg",
    "conf",
    "cnf",
    "config",
    "yml",
    "yaml",
    "toml",
    "tfvars",
    "npmrc",
    "pypirc",
    "envrc",
    "pgpass",
    "secrets",
    "credentials",
    "desktop",
    "service",
    "curlrc",
    "wgetrc",
    "yarnrc",
    "s3cfg",
    "boto",
    "my",
    "ovpn",
];

const CONFIG_NAMES: &[&str] =
    &["credentials", "config", "dockerfile", "containerfile", "procfile", "htpasswd", "shadow"];

impl PathKind {
    /// Returns the kind of the file at `path`, from its last component alone.
    pub fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let lowered = name.to_ascii_lowercase();
        let bare = lowered.trim_start_matches(['.', '_']);
        if bare == "netrc" {
            return Self::Netrc;
        }
        let is_environment = lowered.starts_with(".env")
            && bare.split(['.', '-', '_']).next() == Some("env")
            || lowered.ends_with(".env");
        if is_environment && !lowered.split(['.', '-', '_']).any(|part| SHOWING.contains(&part)) {
            return Self::Environment;
        }
        let extension = bare.rsplit('.').next().unwrap_or(bare);
        let first = bare.split(['.', '-', '_']).next().unwrap_or(bare);
        let is_config = CONFIG_EXTENSIONS.contains(&extension)
            || first == "env"
            || CONFIG_NAMES.contains(&bare);
        if is_config { Self::Config } else { Self::Code }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_configuration_from_code() {
        for path in [".env", "deploy/.env.local", "a/prod.env", ".env_ci"] {
            assert_eq!(PathKind::of(path), PathKind::Environment, "{path}");
        }
        for path in [
            ".env.example",
            "sample.env",
            "env.list",
            "a/b.properties",
            "x.yml",
            ".npmrc",
            "Dockerfile",
            "~/.aws/credentials",
        ] {
            assert_eq!(PathKind::of(path), PathKind::Config, "{path}");
        }
        for path in ["main.rs", "environment.py", "README.md", "src/config.py", "", "a/"] {
            assert_eq!(PathKind::of(path), PathKind::Code, "{path}");
        }
        assert_eq!(PathKind::of("home/.netrc"), PathKind::Netrc);
        assert_eq!(PathKind::of("_netrc"), PathKind::Netrc);
    }
}
