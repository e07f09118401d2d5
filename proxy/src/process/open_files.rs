//! The limit of open files: every connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What listeners, logs, bundles and the runtime need.
const OWN: u64 = 128;

/// What the system allows this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenFiles {
    /// `None`: as many as there is memory for.
    limit: Option<u64>,
}

impl OpenFiles {
    /// Asks for as many as the system gives without a privilege.
    pub fn raise() -> OpenFiles {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        // No limit at all is refused by some systems; then the old one stays.
        let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
        OpenFiles { limit: if raised.is_ok() { maximum } else { current } }
    }

    /// How many connections of clients there may be, so that something is left for upstreams and for the admin listener.
    pub fn most_connections(self) -> usize {
        let Some(limit) = self.limit else { return usize::MAX };
        let most = (limit / 4 * 3).saturating_sub(OWN).max(1);
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// What to tell if more connections are wanted than there can be.
    pub fn warning(self, wanted: usize) -> Option<String> {
        let most = self.most_connections();
        let limit = self.limit.filter(|_| wanted > most)?;
        Some(format!(
            "`limits.connections` is {wanted}, but this process may open only {limit} files, so no more than {most} clients \
             are served at once; raise the limit (`LimitNOFILE=` of systemd, `ulimit -Hn`, `--ulimit nofile` of a container), \
             or lower `limits.connections`"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_left_beside_the_connections_of_clients() {
        for (limit, most) in [(1024, 640), (4000, 2872), (1 << 20, 786_304), (100, 1), (0, 1)] {
            let files = OpenFiles { limit: Some(limit) };
            assert_eq!(files.most_connections(), most);
            assert_eq!(files.warning(most), None);
            let warning = files.warning(most + 1).unwrap();
            assert!(warning.contains(&limit.to_string()) && warning.contains("LimitNOFILE"), "{warning}");
        }
        assert_eq!(OpenFiles { limit: None }.warning(usize::MAX), None);
    }

    #[test]
    fn the_soft_limit_is_raised_to_the_hard_one() {
        let files = OpenFiles::raise();
        assert_eq!(getrlimit(Resource::Nofile).current, files.limit);
        assert_eq!(getrlimit(Resource::Nofile).maximum, files.limit);
    }
}
