use crate::lint::helpers::reach::{self, Destination};
use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_diagnostics::Diagnostic;
use std::collections::BTreeSet;

rule! {
    /// ## What it does
    /// Finds a `${NAME}` that is sent to two hosts, over all files, or that is both sent and part of
    /// a URL.
    ///
    /// Without this finding, each variable reaches one host. `mcpc inspect BUNDLE --secrets` prints
    /// which one.
    ///
    /// ## Why is this bad
    /// A variable is a secret. Whoever runs the second host learns what the first one accepts. A part
    /// of a URL shows in DNS and in certificates.
    ///
    /// ## Fails
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com"
    /// headers = { authorization = "Bearer ${TOKEN}" }
    ///
    /// [upstream.tracker]
    /// url = "https://tracker.example.org"
    /// headers = { authorization = "Bearer ${TOKEN}" }
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    ///
    /// [[tool]]
    /// name = "list_issues"
    /// description = "The open issues of the tracker."
    /// upstream = "tracker"
    /// method = "GET"
    /// endpoint = "/issues"
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [upstream.shop]
    /// url = "https://api.example.com"
    /// headers = { authorization = "Bearer ${SHOP_TOKEN}" }
    ///
    /// [upstream.tracker]
    /// url = "https://tracker.example.org"
    /// headers = { authorization = "Bearer ${TRACKER_TOKEN}" }
    ///
    /// [[tool]]
    /// name = "list_orders"
    /// description = "The latest orders of the shop."
    /// upstream = "shop"
    /// method = "GET"
    /// endpoint = "/orders"
    ///
    /// [[tool]]
    /// name = "list_issues"
    /// description = "The open issues of the tracker."
    /// upstream = "tracker"
    /// method = "GET"
    /// endpoint = "/issues"
    /// ```
    pub SHARED_SECRET = "MCP0219", "shared-secret", Error, Check::Toolset(check);
}

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    let mut told = BTreeSet::new();
    for found in reach::uses(context.toolset) {
        let Some(first) = context.reach.first(&found.name) else { continue };
        if first.to == found.to || !told.insert((found.name.clone(), found.to.clone())) {
            continue;
        }
        let name = &found.name;
        let message = match (&first.to, &found.to) {
            (Destination::Host(first), Destination::Host(other)) => {
                format!("`${{{name}}}` is sent to `{other}`, and to `{first}` as well")
            }
            _ => format!("`${{{name}}}` is part of a URL, and is sent as well"),
        };
        findings.report(
            Diagnostic::new(&SHARED_SECRET, found.written(context.sources), message)
                .related(first.written(context.sources), "it is used here first")
                .note("each secret reaches only its own host, so that no host learns the secret of another")
                .help("use another variable; if it is no secret, allow the rule with the reason"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};
    use crate::lint::testing::{found, underlined};

    /// An upstream with a tool.
    fn part(name: &str, url: &str, rest: &str) -> String {
        format!(
            "[upstream.{name}]\nurl = \"{url}\"\n{rest}\n[[tool]]\nname = \"get_{name}\"\n\
             description = \"Reads a thing of the API.\"\nupstream = \"{name}\"\nmethod = \"GET\"\nendpoint = \"/a\"\n"
        )
    }

    fn header(name: &str, url: &str) -> String {
        part(name, url, "headers = { x-key = \"a ${KEY}\" }")
    }

    #[test]
    fn one_origin_is_one_host_however_often_it_is_written() {
        for (first, second, count) in [
            ("https://a.example/v1", "https://a.example:443/v2", 0),
            ("https://${HOST}/v1", "https://${HOST}/v2", 0),
            ("https://a.example", "http://a.example", 1),
            ("https://a.example", "https://a.example:8443", 1),
            ("https://${HOST}", "https://${OTHER}", 1),
        ] {
            let spec = header("one", first) + &header("two", second);
            assert_eq!(underlined(&SHARED_SECRET, &spec), vec!["${KEY}"; count], "{first} {second}");
        }
    }

    #[test]
    fn a_token_server_is_a_host_of_its_own() {
        let auth = |secret: &str| {
            format!(
                "headers = {{ x-client = \"${{ID}}\" }}\n[upstream.one.auth]\nkind = \"oauth2\"\n\
                 token_url = \"https://id.example/token\"\nclient_id = \"edge\"\nclient_secret = \"${{{secret}}}\""
            )
        };
        let good = part("one", "https://a.example", &auth("SECRET"));
        assert_eq!(found(&SHARED_SECRET, &good), []);
        let bad = part("one", "https://a.example", &auth("ID"));
        let [(message, text)] = found(&SHARED_SECRET, &bad).try_into().unwrap();
        assert_eq!(
            (message.as_str(), text.as_str()),
            ("`${ID}` is sent to `https://id.example`, and to `https://a.example` as well", "${ID}")
        );
        let basic = "headers = { x-a = \"${P}\" }\n[upstream.one.auth]\nkind = \"basic\"\nusername = \"u\"\npassword = \"${P}\"";
        assert_eq!(found(&SHARED_SECRET, &part("one", "https://a.example", basic)), [], "the API's own");
    }

    #[test]
    fn a_part_of_a_url_is_not_sent() {
        let spec = part("one", "https://${KEY}.example", "") + &header("two", "https://a.example");
        let [(message, _)] = found(&SHARED_SECRET, &spec).try_into().unwrap();
        assert_eq!(message, "`${KEY}` is part of a URL, and is sent as well");
        let places =
            part("one", "https://${H}.one.example", "") + &part("two", "https://${H}.two.example", "");
        assert_eq!(found(&SHARED_SECRET, &places), [], "a place may be part of many URLs");
    }

    #[test]
    fn constants_and_templates_send_it_too() {
        let tool = |rest: &str| {
            header("one", "https://a.example")
                + "[[tool]]\nname = \"b\"\ndescription = \"Writes a thing of the API.\"\nmethod = \"POST\"\n\
                   endpoint = \"https://b.example/b\"\n"
                + rest
        };
        let constant = "[[tool.parameters]]\nname = \"k\"\nposition = \"query\"\nvalue = \"${KEY}\"\n";
        let template = "body_template = '{\"k\": \"${KEY}\"}'\n";
        for rest in [constant, template, "headers = { x-k = \"${KEY}\" }\n"] {
            assert_eq!(found(&SHARED_SECRET, &tool(rest)).len(), 1, "{rest}");
        }
    }

    #[test]
    fn files_are_looked_at_together_and_the_later_one_may_allow_it() {
        let allow = "[[toolset.allow]]\nrule = \"shared-secret\"\nreason = \"It is a public key.\"\n";
        for (start, count) in [("", 1), (allow, 0)] {
            let mut files = MemoryFiles::one("a.toml", &header("one", "https://a.example"));
            files.add("b.toml", &format!("{start}{}", header("two", "https://b.example")));
            let report = check_files(&files);
            assert_eq!(report.diagnostics.iter().filter(|d| d.is(&SHARED_SECRET)).count(), count);
            let unused = report.diagnostics.iter().filter(|d| d.name() == "unused-allow").count();
            assert_eq!(unused, 0);
        }
    }
}
