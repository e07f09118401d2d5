//! Which secret of a bundle goes to which host.

use mcp_bundle::plan::{Contents, VariableSite};
use mcp_bundle::wire_enums::PartKind;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct SecretsView<'a> {
    /// Version of this shape.
    pub version: u32,
    /// Sorted by name.
    pub secrets: Vec<SecretView<'a>>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct SecretView<'a> {
    pub name: &'a str,
    /// The origins that it is sent to; none for one that is only part of a URL.
    pub hosts: Vec<String>,
    /// What of a request it is, such as "header `authorization`", each once.
    pub uses: Vec<String>,
    /// The tools that need it.
    pub tools: Vec<&'a str>,
}

#[derive(Default)]
struct Found<'a> {
    hosts: BTreeSet<String>,
    uses: BTreeSet<String>,
    tools: BTreeSet<&'a str>,
}

impl<'a> SecretsView<'a> {
    pub fn new(contents: &'a Contents) -> SecretsView<'a> {
        let names: Vec<&str> = contents.variable_names().collect();
        let mut found: BTreeMap<&str, Found<'_>> =
            names.iter().map(|name| (*name, Found::default())).collect();
        for tool in &contents.tools {
            let Some(upstream) = tool.request().map(|http| http.upstream) else { continue };
            for used in tool.variables(contents).filter(|used| used.part.kind == PartKind::Variable) {
                let Some(entry) = names.get(used.part.id as usize).and_then(|name| found.get_mut(name))
                else {
                    continue;
                };
                let to = match used.site {
                    VariableSite::Origin(_) | VariableSite::TokenOrigin(_) => None,
                    VariableSite::Credential(_) => {
                        contents.credential(upstream).map(|credential| credential.reaches())
                    }
                    _ => Some(upstream),
                };
                let place = to.and_then(|index| contents.upstreams.get(index as usize));
                entry.hosts.extend(place.map(|place| contents.origin_text(place)));
                let site = used.site.to_string();
                let site = site.strip_prefix("its ").or(site.strip_prefix("the ")).unwrap_or(&site);
                entry.uses.insert(site.replace("its upstream", "upstream"));
                entry.tools.insert(contents.strings.get(tool.name));
            }
        }
        let secrets = found.into_iter().map(|(name, Found { hosts, uses, tools })| SecretView {
            name,
            hosts: hosts.into_iter().collect(),
            uses: uses.into_iter().collect(),
            tools: tools.into_iter().collect(),
        });
        SecretsView { version: 1, secrets: secrets.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    #[test]
    fn each_secret_comes_with_its_hosts() {
        let spec = r#"
[upstream.crm]
url = "https://${CRM_HOST}/v1"
headers = { x-key = "${KEY}" }
[upstream.crm.auth]
kind = "oauth2"
token_url = "https://id.example/token"
client_id = "${ID}"
client_secret = "${SECRET}"
[upstream.shop]
url = "https://shop.example"
[upstream.shop.auth]
kind = "api_key"
name = "key"
in = "query"
value = "${SHOP_KEY}"
[[tool]]
name = "a"
description = "Reads a thing of the API."
upstream = "crm"
method = "GET"
endpoint = "/a"
[[tool]]
name = "b"
description = "Reads a thing of the shop."
upstream = "shop"
method = "GET"
endpoint = "/b"
"#;
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let messages: Vec<_> = report.diagnostics.iter().map(|found| &found.message).collect();
        let contents = report.contents.as_ref().unwrap_or_else(|| panic!("{messages:?}"));
        let view = SecretsView::new(contents);
        let rows: Vec<_> = view
            .secrets
            .iter()
            .map(|secret| {
                (secret.name, secret.hosts.join(" "), secret.uses.join(", "), secret.tools.join(" "))
            })
            .collect();
        let row = |name, host: &str, uses: &str, tool: &str| {
            (name, host.to_owned(), uses.to_owned(), tool.to_owned())
        };
        assert_eq!(
            rows,
            [
                row("CRM_HOST", "", "URL of upstream `crm`", "a"),
                row("ID", "https://id.example", "`auth` of upstream `crm`", "a"),
                row("KEY", "https://${CRM_HOST}", "header `x-key`", "a"),
                row("SECRET", "https://id.example", "`auth` of upstream `crm`", "a"),
                row("SHOP_KEY", "https://shop.example", "query parameter `key`", "b"),
            ]
        );
    }
}
