//! Why events cannot be had, said to the user.

use std::time::Duration;

use contextd_model::Problem;
#[cfg(not(target_os = "linux"))]
use notify::ErrorKind;

/// What a native watcher ran into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// No more folders or watchers are allowed.
    Limit,
    /// One folder cannot be watched: gone, or not readable.
    Folder,
    /// The filesystem or the system sends no events.
    Unsupported(String),
}

/// `EMFILE` and `ENFILE`, the limit of watchers, and `ENOSPC`, that of folders.
const TOO_MANY: [i32; 3] = [24, 23, 28];

impl Trouble {
    /// Returns what an error of the system means.
    pub fn of(error: &std::io::Error) -> Self {
        match error.raw_os_error() {
            Some(code) if TOO_MANY.contains(&code) => Self::Limit,
            _ if is_about_folder(error.kind()) => Self::Folder,
            _ => Self::Unsupported(error.to_string()),
        }
    }

    /// Returns what an error of the library that watches means.
    #[cfg(not(target_os = "linux"))]
    pub fn told(error: &notify::Error) -> Self {
        match &error.kind {
            ErrorKind::MaxFilesWatch => Self::Limit,
            ErrorKind::PathNotFound | ErrorKind::WatchNotFound => Self::Folder,
            ErrorKind::Io(source) => Self::of(source),
            _ => Self::Unsupported(error.to_string()),
        }
    }

    /// Returns the warning that polling every `interval` takes the place of events.
    pub fn polling(&self, interval: Duration) -> Problem {
        let (code, what, remedy) = self.words();
        let seconds = interval.as_secs_f64();
        Problem::warning(
            code,
            format!("{what}; changes are looked for every {seconds} s instead"),
            remedy,
        )
    }

    /// Returns the error that nothing takes the place of events.
    pub fn fatal(&self) -> Problem {
        let (code, what, remedy) = self.words();
        Problem::error(code, format!("{what}, and polling is switched off; {remedy}"), remedy)
    }

    fn words(&self) -> (&'static str, String, &'static str) {
        match self {
            Self::Limit => (
                "CTX_W_WATCH_LIMIT",
                "the limit of watched folders is reached".into(),
                "Raise it with `sudo sysctl fs.inotify.max_user_watches=1048576 fs.inotify.max_user_instances=1024`, or ignore folders that need no index.",
            ),
            Self::Folder => (
                "CTX_W_WATCH_FOLDER",
                "the folder cannot be watched".into(),
                "Check that it exists and can be read.",
            ),
            Self::Unsupported(reason) => (
                "CTX_W_WATCH_UNSUPPORTED",
                format!("the system sends no events for this folder ({reason})"),
                "Move the folder to a local filesystem for immediate updates, or keep polling.",
            ),
        }
    }
}

fn is_about_folder(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(kind, NotFound | PermissionDenied | NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_from_missing_folders() {
        let of = |code| Trouble::of(&std::io::Error::from_raw_os_error(code));
        assert_eq!(of(28), Trouble::Limit);
        assert_eq!(of(24), Trouble::Limit);
        assert_eq!(of(13), Trouble::Folder);
        assert_eq!(of(2), Trouble::Folder);
        assert!(matches!(of(38), Trouble::Unsupported(_)));
    }

    #[test]
    fn the_remedy_names_the_setting() {
        let problem = Trouble::Limit.polling(Duration::from_secs(2));
        assert!(problem.remedy.contains("sysctl fs.inotify.max_user_watches"));
        assert!(problem.message.contains("every 2 s"));
    }
}
