//! Which process owns a job, and whether it still runs.

/// The process that works on a job, told apart from a later one with the same number by its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobOwner {
    pub pid: u32,
    /// Start of the process, in whatever unit the system counts; compared, never shown.
    pub started: u64,
    /// Space in which `pid` means something: a container has its own.
    pub space: u64,
}

/// What can be said about a [`JobOwner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Liveness {
    Running,
    Gone,
    /// Another container or an unknown system: only its silence tells.
    Unknown,
}

impl JobOwner {
    /// Returns this process.
    pub fn current() -> Self {
        let pid = std::process::id();
        Self { pid, started: system::started(pid).unwrap_or(0), space: system::space() }
    }

    pub(crate) fn liveness(&self) -> Liveness {
        if self.space != system::space() || !system::CAN_TELL {
            return Liveness::Unknown;
        }
        match system::started(self.pid) {
            Some(started) if started == self.started => Liveness::Running,
            _ => Liveness::Gone,
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    pub const CAN_TELL: bool = true;

    /// Returns the start of a running process in ticks since boot; a zombie does not run.
    pub fn started(pid: u32) -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The program's name stands in parentheses and may hold anything, parentheses included.
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        match fields.first() {
            Some(&"Z" | &"X") => None,
            _ => fields.get(19)?.parse().ok(),
        }
    }

    pub fn space() -> u64 {
        let link = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        let digits: String = link.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod system {
    pub const CAN_TELL: bool = true;

    /// Returns a hash of the start that `ps` prints.
    pub fn started(pid: u32) -> Option<u64> {
        let output = std::process::Command::new("ps")
            .args(["-o", "lstart=", "-p", &pid.to_string()])
            .output()
            .ok()?;
        let text = output.stdout.trim_ascii();
        (!text.is_empty()).then(|| contextd_model::ContentHash::of(text).short() >> 1)
    }

    pub fn space() -> u64 {
        0
    }
}

#[cfg(not(unix))]
mod system {
    pub const CAN_TELL: bool = false;

    pub fn started(_pid: u32) -> Option<u64> {
        None
    }

    pub fn space() -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_running_from_gone() {
        let mut child =
            std::process::Command::new("sleep").arg("60").spawn().expect("sleep exists");
        let owner = JobOwner {
            pid: child.id(),
            started: system::started(child.id()).expect("runs"),
            ..JobOwner::current()
        };
        assert_eq!(JobOwner::current().liveness(), Liveness::Running);
        assert_eq!(owner.liveness(), Liveness::Running);
        assert_eq!(JobOwner { started: owner.started + 1, ..owner }.liveness(), Liveness::Gone);
        assert_eq!(JobOwner { space: 1, ..owner }.liveness(), Liveness::Unknown);
        child.kill().expect("may be killed");
        child.wait().expect("was ours");
        assert_eq!(owner.liveness(), Liveness::Gone);
    }
}
