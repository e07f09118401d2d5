//! `[shared]`: the store where edges agree about limits that they share.

use super::keys::SHARED_TABLE;
use super::lower::Lowering;
use crate::limits::shared::NodeAddress;
use crate::settings::SharedSettings;
use mcp_diagnostics::{Diagnostic, Fields, Spanned};

impl Lowering<'_, '_> {
    pub(super) fn shared(&mut self, top: &Fields<'_, '_>) -> Option<SharedSettings> {
        let (table, span) = top.table("shared")?;
        let fields = self.reading.fields(&SHARED_TABLE, table, span);
        if !cfg!(feature = "redis") {
            let message = "this `mcp-edge` was built without Redis, so it cannot share limits";
            let help =
                "build it without `--no-default-features`, or with `--features redis`, or remove `[shared]`";
            self.reading.report(Diagnostic::error(span, message).help(help));
        }
        if !fields.is_written("url") {
            let problem = Diagnostic::error(span, "`shared` needs a `url`");
            self.reading.report(problem.help("write `url = \"redis://cache.internal:6379\"`"));
        }
        let mut urls: Vec<Spanned<String>> = self.text(&fields, "url").into_iter().collect();
        urls.extend(fields.texts("nodes"));
        let nodes: Vec<NodeAddress> = urls.into_iter().filter_map(|url| self.node(&url)).collect();
        let cluster = fields.boolean("cluster").filter(|cluster| cluster.value);
        let sentinel_service = self.text(&fields, "sentinel_service");
        if let (Some(cluster), Some(_)) = (&cluster, &sentinel_service) {
            let message = "a store is a cluster or a service of sentinels, not both";
            let problem = Diagnostic::error(cluster.span, message);
            self.reading.report(problem.help("remove `cluster` or `sentinel_service`"));
        }
        if let Some(nodes) = fields.value("nodes")
            && cluster.is_none()
            && sentinel_service.is_none()
        {
            let message = "`nodes` has no effect without `cluster` or `sentinel_service`";
            let problem = Diagnostic::error(fields.at(nodes), message);
            self.reading.report(problem.help("one server is named by `url` alone"));
        }
        for key in ["sentinel_username", "sentinel_password"] {
            if let (Some(value), None) = (fields.value(key), &sentinel_service) {
                let message = format!("`{key}` has no effect without `sentinel_service`");
                let problem = Diagnostic::error(fields.at(value), message);
                self.reading
                    .report(problem.help("log in at a server or a cluster with `username` and `password`"));
            }
        }
        let username = self.text(&fields, "username").map(|text| text.value);
        let password = self.text(&fields, "password").and_then(|text| self.password("password", &text));
        let sentinel_username = self.text(&fields, "sentinel_username").map(|text| text.value);
        let sentinel_password = self.text(&fields, "sentinel_password");
        let sentinel_password = sentinel_password.and_then(|text| self.password("sentinel_password", &text));
        let prefix = self.text(&fields, "prefix").and_then(|text| self.prefix(text));
        Some(SharedSettings {
            nodes,
            is_cluster: cluster.is_some(),
            sentinel_service: sentinel_service.map(|text| text.value),
            username,
            password,
            sentinel_username,
            sentinel_password,
            prefix: prefix.unwrap_or_else(|| SharedSettings::PREFIX.to_owned()),
            edges: fields.integer("edges").map_or(1, |edges| edges.value),
        })
    }

    fn node(&mut self, url: &Spanned<String>) -> Option<NodeAddress> {
        NodeAddress::parse(&url.value)
            .map_err(|error| {
                let message = format!("this is not the URL of a store: {error}");
                let help = "write `redis://HOST:PORT`, with `username` and `password` as keys of their own";
                // It may hold a password.
                self.reading.report(Diagnostic::error(url.span, message).help(help).hide_source());
            })
            .ok()
    }

    /// The variable that has the password.
    fn password(&mut self, key: &str, text: &Spanned<String>) -> Option<String> {
        let name = text.value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let is_name =
            |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let name = name.filter(is_name);
        if name.is_none() {
            let problem = Diagnostic::error(text.span, format!("`{key}` must be one `${{NAME}}` alone"));
            let help = "put the password into the environment or the secrets file, and write `\"${NAME}\"`";
            self.reading.report(problem.help(help).hide_source());
        }
        name.map(str::to_owned)
    }

    fn prefix(&mut self, text: Spanned<String>) -> Option<String> {
        let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/');
        if text.value.len() <= 128 && text.value.chars().all(is_good) {
            return Some(text.value);
        }
        let message = format!("`{}` cannot begin the names of keys", text.value);
        let help = "use letters, digits, `-`, `_`, `.`, `:` and `/`, at most 128 of them";
        self.reading.report(Diagnostic::error(text.span, message).help(help));
        None
    }
}

#[cfg(all(test, feature = "redis"))]
mod tests {
    use super::*;
    use crate::config::Config;
    use std::path::Path;

    fn parsed(text: &str) -> Result<Option<SharedSettings>, String> {
        let parsed = Config::parse(text, "edge.toml", Path::new(""));
        parsed.map(|config| config.settings.shared).map_err(|problems| problems.render(false))
    }

    #[test]
    fn a_store_is_a_server_a_cluster_or_a_service() {
        assert_eq!(parsed(""), Ok(None));
        let one = parsed("[shared]\nurl = \"redis://a\"").unwrap().unwrap();
        assert_eq!((one.prefix.as_str(), one.edges, one.is_cluster), ("mcp-edge", 1, false));
        let text = "[shared]\nurl = \"rediss://a:7000\"\nnodes = [\"rediss://b:7000\"]\ncluster = true\n\
                    username = \"edge\"\npassword = \"${REDIS_PASSWORD}\"\nprefix = \"eu/edge\"\nedges = 4";
        let cluster = parsed(text).unwrap().unwrap();
        assert!(cluster.is_cluster && cluster.nodes.len() == 2 && cluster.nodes.iter().all(|node| node.tls));
        assert_eq!(cluster.password.as_deref(), Some("REDIS_PASSWORD"));
        assert_eq!((cluster.prefix.as_str(), cluster.edges), ("eu/edge", 4));
        let text = "[shared]\nurl = \"redis://a\"\nnodes = [\"redis://b\"]\nsentinel_service = \"main\"";
        assert_eq!(parsed(text).unwrap().unwrap().sentinel_service.as_deref(), Some("main"));
        let text = format!("{text}\nsentinel_username = \"edge\"\nsentinel_password = \"${{SENTINEL}}\"");
        let sentinels = parsed(&text).unwrap().unwrap();
        assert_eq!(sentinels.sentinel_username.as_deref(), Some("edge"));
        assert_eq!(sentinels.sentinel_password.as_deref(), Some("SENTINEL"));
    }

    #[test]
    fn what_is_wrong_is_said_without_secrets() {
        for (lines, message) in [
            ("prefix = \"a\"", "`shared` needs a `url`"),
            ("url = \"http://a\"", "its scheme must be `redis`, or `rediss` for TLS"),
            ("url = \"redis://me:hunter2@a\"", "a name or a password does not belong into the URL"),
            ("url = \"redis://a\"\npassword = \"hunter2\"", "`password` must be one `${NAME}` alone"),
            (
                "url = \"redis://a\"\nsentinel_service = \"main\"\nsentinel_password = \"hunter2\"",
                "`sentinel_password` must be one",
            ),
            ("url = \"redis://a\"\nsentinel_password = \"${A}\"", "no effect without `sentinel_service`"),
            ("url = \"redis://a\"\nprefix = \"{a}\"", "`{a}` cannot begin the names of keys"),
            ("url = \"redis://a\"\nnodes = [\"redis://b\"]", "`nodes` has no effect without `cluster`"),
            (
                "url = \"redis://a\"\ncluster = true\nsentinel_service = \"main\"",
                "a cluster or a service of sentinels, not both",
            ),
            ("url = \"redis://a\"\nedges = 0", "`edges` must be between 1 and 100000"),
            ("url = \"redis://a\"\nurls = 1", "`shared` has no key `urls`"),
        ] {
            let told = parsed(&format!("[shared]\n{lines}")).unwrap_err();
            assert!(told.contains(message) && !told.contains("hunter2"), "{lines}: {told}");
        }
    }
}
