//! TOML files that are plainly something else than a spec, by what they say.

use mcp_diagnostics::toml_tree::{TomlTable, Value};

/// Why there is no toolset of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotASpec {
    /// It is not TOML, which is reported.
    Syntax,
    /// It configures `mcp-edge`.
    EdgeConfiguration,
    /// It lists the tenants of `mcp-edge`.
    Tenants,
}

/// Keys at the top of `edge.toml`. `upstream` is not among them: specs have it too.
const EDGE_KEYS: &[&str] = &[
    "access",
    "admin",
    "admin_open",
    "audit",
    "auth",
    "bundle",
    "bundle_copy",
    "ca_file",
    "cache",
    "drift",
    "interfaces",
    "keys",
    "limits",
    "list",
    "listen",
    "log",
    "mcp_servers",
    "metrics",
    "poll_seconds",
    "pool",
    "recent_calls",
    "secrets",
    "shared",
    "stdio",
    "tenants",
    "threads",
    "timeouts",
    "upgrade_socket",
];

/// What a file is, if it is plainly not a spec.
pub fn other_kind(root: &TomlTable<'_>) -> Option<NotASpec> {
    let has = |name: &str| root.get(name).is_some();
    if has("tool") || has("tools") || has("toolset") {
        return None;
    }
    let is_tables = |value: &Value<'_>| match value {
        Value::Table(table) => table.values().all(|value| value.get_ref().as_table().is_some()),
        Value::Array(items) => items.iter().all(|item| item.get_ref().as_table().is_some()),
        _ => false,
    };
    // `bundle` of `mcpc.toml` is a table.
    if root.get("bundle").is_some_and(|bundle| bundle.get_ref().as_table().is_some()) {
        return None;
    }
    if EDGE_KEYS.iter().any(|key| has(key)) {
        return Some(NotASpec::EdgeConfiguration);
    }
    root.get("tenant").filter(|tenants| is_tables(tenants.get_ref())).map(|_| NotASpec::Tenants)
}

impl NotASpec {
    /// What it is, and what to do with it; `None` if that is reported already.
    pub fn explain(self) -> Option<(&'static str, &'static str)> {
        match self {
            NotASpec::Syntax => None,
            NotASpec::EdgeConfiguration => Some((
                "a configuration of `mcp-edge`, not a spec",
                "`mcp-edge check FILE` checks it; a spec has a `[[tool]]`",
            )),
            NotASpec::Tenants => Some((
                "a list of tenants for `mcp-edge`, not a spec",
                "name it in `edge.toml`; a spec has a `[[tool]]`",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_diagnostics::toml_tree;

    fn kind(text: &str) -> Option<NotASpec> {
        other_kind(&toml_tree::read(text).0)
    }

    #[test]
    fn files_of_the_edge_are_recognised() {
        let edge = Some(NotASpec::EdgeConfiguration);
        assert_eq!(kind("bundle = \"x.mcpk\"\n[upstream.shop]\nurl = \"https://a\"\n"), edge);
        assert_eq!(kind("[[listen]]\naddress = \"127.0.0.1:1\"\n"), edge);
        assert_eq!(kind("[tenant.acme]\nkeys = []\n"), Some(NotASpec::Tenants));
    }

    #[test]
    fn a_spec_with_a_stray_key_is_a_spec() {
        for text in [
            "",
            "[upstream.shop]\nurl = \"https://a\"\n",
            "bundle = \"x\"\n[[tool]]\n",
            "[toolset]\n[log]\n",
            "[[tools]]\n[limits]\n",
            "[bundle]\nname = \"x\"\n",
            "tenant = \"acme\"\n",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }

    /// `mcp-edge` publishes its own keys.
    #[cfg(feature = "dev")]
    #[test]
    fn every_key_of_the_edge_is_known() {
        for key in mcp_edge::config::keys::TOP.names().filter(|key| *key != "upstream") {
            assert!(EDGE_KEYS.contains(&key), "{key}");
        }
    }
}
