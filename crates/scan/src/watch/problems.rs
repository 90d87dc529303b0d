//! Why events cannot be had, said to the user.

use std::time::Duration;

use contextd_model::Problem;
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

/// `EMFILE` and `ENFILE`: the limit of watchers, as opposed to that of folders.
const TOO_MANY_FILES: [i32; 2] = [24, 23];

impl Trouble {
    pub fn of(error: &notify::Error) -> Self {
        match &error.kind {
            ErrorKind::MaxFilesWatch => Self::Limit,
            ErrorKind::PathNotFound | ErrorKind::WatchNotFound => Self::Folder,
            ErrorKind::Io(source)
                if source
                    .raw_os_error()
                    .is_some_and(|code| TOO_MANY_FILES.contains(&code)) =>
            {
                Self::Limit
            }
            ErrorKind::Io(source) if is_about_folder(source.kind()) => Self::Folder,
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
        Problem::error(
            code,
            format!("{what}, and polling is switched off; {remedy}"),
            remedy,
        )
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
        let io = |code| notify::Error::io(std::io::Error::from_raw_os_error(code));
        assert_eq!(
            Trouble::of(&notify::Error::new(ErrorKind::MaxFilesWatch)),
            Trouble::Limit
        );
        assert_eq!(Trouble::of(&io(24)), Trouble::Limit);
        assert_eq!(Trouble::of(&io(13)), Trouble::Folder);
        assert_eq!(Trouble::of(&io(2)), Trouble::Folder);
        assert!(matches!(Trouble::of(&io(38)), Trouble::Unsupported(_)));
    }

    #[test]
    fn the_remedy_names_the_setting() {
        let problem = Trouble::Limit.polling(Duration::from_secs(2));
        assert!(
            problem
                .remedy
                .contains("sysctl fs.inotify.max_user_watches")
        );
        assert!(problem.message.contains("every 2 s"));
    }
}
