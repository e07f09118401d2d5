//! Secrets go to token servers, so nobody on the way may read along. The compiler refuses an `http` URL that a spec writes out;
//! one that variables or `edge.toml` make is only known here.

use super::BuildError;
use mcp_bundle::origin::Origin;
use mcp_bundle::plan::Contents;
use mcp_bundle::wire_enums::Scheme;

pub fn check(contents: &Contents) -> Result<(), BuildError> {
    for credential in &contents.credentials {
        let server = credential.server.as_ref();
        let Some(place) = server.and_then(|server| contents.upstreams.get(server.upstream as usize)) else {
            continue;
        };
        let text = |id| contents.strings.get(id).to_owned();
        let origin = Origin {
            scheme: place.scheme,
            host: text(place.host),
            port: place.port,
            authority: text(place.authority),
        };
        if origin.scheme == Scheme::Http && !origin.is_loopback() {
            let upstream =
                contents.upstream_name(credential.upstream as usize).unwrap_or_default().to_owned();
            return Err(BuildError::PlainTokenServer { upstream });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents() -> Contents {
        let spec = r#"
            [upstream.crm]
            url = "https://crm.example"
            [upstream.crm.auth]
            kind = "oauth2"
            token_url = "${ID_URL}/token"
            client_id = "edge"
            client_secret = "${CRM_SECRET}"
            [[tool]]
            name = "contacts"
            description = "Lists the contacts of the company."
            upstream = "crm"
            method = "GET"
            endpoint = "/contacts"
        "#;
        let report = mcpc::check::check_files(&mcpc::check::MemoryFiles::one("spec.toml", spec));
        let messages: Vec<_> = report.diagnostics.iter().map(|found| &found.message).collect();
        report.contents.unwrap_or_else(|| panic!("{messages:?}"))
    }

    #[test]
    fn a_plain_token_server_is_refused_except_on_this_machine() {
        let checked = |url: &str| {
            let mut contents = contents();
            let server = contents.credentials[0].server.as_ref().unwrap().upstream as usize;
            contents.locate(server, &Origin::parse(url).unwrap());
            check(&contents).map_err(|error| error.to_string())
        };
        assert!(checked("https://id.example").is_ok());
        assert!(checked("http://127.0.0.1:9000").is_ok());
        let message = checked("http://id.example").unwrap_err();
        assert!(
            message.contains("token server of upstream `crm`") && message.contains("`https`"),
            "{message}"
        );
    }
}
