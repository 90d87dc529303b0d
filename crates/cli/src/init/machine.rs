//! What registration needs to know of the machine; handed in, so that tests bring their own.

use std::path::PathBuf;

/// A family of systems that keep configuration in the same places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    Linux,
    MacOs,
    Windows,
}

/// The user's home, the environment and the system.
pub struct Machine {
    pub platform: Platform,
    home: PathBuf,
    variables: Variables,
}

/// Finds a variable of the environment by its name.
type Variables = Box<dyn Fn(&str) -> Option<String>>;

impl Machine {
    pub fn new(platform: Platform, home: PathBuf, variables: Variables) -> Self {
        Self { platform, home, variables }
    }

    /// Returns the machine this program runs on, unless its user has no home folder.
    pub fn own() -> Option<Self> {
        let platform = if cfg!(windows) {
            Platform::Windows
        } else if cfg!(target_os = "macos") {
            Platform::MacOs
        } else {
            Platform::Linux
        };
        let home = std::env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
            .filter(|home| !home.is_empty())?;
        Some(Self::new(platform, PathBuf::from(home), Box::new(|name| std::env::var(name).ok())))
    }

    /// Returns a variable of the environment; an empty one counts as absent.
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name).filter(|value| !value.is_empty())
    }

    /// Puts the folders of this machine into a place of the table.
    pub fn expand(&self, place: &str) -> PathBuf {
        let (base, rest) = place.split_once('/').unwrap_or((place, ""));
        let base = match base {
            "~" => self.home.clone(),
            "{xdg}" => self.xdg("XDG_CONFIG_HOME", ".config"),
            "{config}" => match self.platform {
                Platform::Linux => self.xdg("XDG_CONFIG_HOME", ".config"),
                Platform::MacOs => self.home.join("Library/Application Support"),
                Platform::Windows => self
                    .variable("APPDATA")
                    .map_or_else(|| self.home.join("AppData/Roaming"), PathBuf::from),
            },
            other => PathBuf::from(other),
        };
        base.join(rest)
    }

    /// Returns the folder where this program keeps what it wrote down about itself.
    pub fn state(&self) -> PathBuf {
        let base = match self.platform {
            Platform::Linux => self.xdg("XDG_STATE_HOME", ".local/state"),
            Platform::MacOs => self.home.join("Library/Application Support"),
            Platform::Windows => self
                .variable("LOCALAPPDATA")
                .map_or_else(|| self.home.join("AppData/Local"), PathBuf::from),
        };
        base.join("contextd")
    }

    /// Returns a path with the home folder written as `~`.
    pub fn short(&self, path: &std::path::Path) -> String {
        path.strip_prefix(&self.home)
            .map_or_else(|_| path.display().to_string(), |rest| format!("~/{}", rest.display()))
    }

    /// True when a command of that name is on the search path.
    pub fn has_program(&self, name: &str) -> bool {
        let Some(path) = self.variable("PATH") else { return false };
        let endings: &[&str] =
            if self.platform == Platform::Windows { &[".exe", ".cmd", ".bat"] } else { &[""] };
        std::env::split_paths(&path).any(|folder| {
            endings.iter().any(|ending| folder.join(format!("{name}{ending}")).is_file())
        })
    }

    fn xdg(&self, variable: &str, otherwise: &str) -> PathBuf {
        self.variable(variable).map_or_else(|| self.home.join(otherwise), PathBuf::from)
    }
}
