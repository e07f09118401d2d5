//! The version in `mcpc.toml`.

use super::changes;

changes! {
    /// The `version` in `mcpc.toml` did not move as far as the changes demand.
    ///
    /// A breaking change needs the next major version, a risky one or something new the next minor one,
    /// and any other change the next patch. Below 1.0.0, a breaking change needs the next minor version
    /// and all others the next patch.
    VERSION_NOT_MOVED = "MCD0801", "version-not-moved", Breaking;
    /// The `version` in `mcpc.toml` is lower than it was, or gone.
    ///
    /// Versions only go up: two different bundles would have the same one.
    VERSION_MOVED_BACK = "MCD0802", "version-moved-back", Breaking;
}
