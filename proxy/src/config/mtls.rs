//! Client certificates: which a listener accepts (`client_ca`), and whose they are (`[auth.mtls]`).

use super::keys::MTLS_TABLE;
use super::lower::Lowering;
use crate::process::{ClientAuthority, Listener};
use crate::tenants::CertificateNames;
use mcp_diagnostics::{Diagnostic, Fields, Spanned};

const WORDS: [(&str, bool); 2] = [("required", true), ("optional", false)];

impl<'d> Lowering<'_, 'd> {
    /// What a listener asks of its clients.
    pub(super) fn client_authority(&mut self, listener: &Fields<'_, '_>) -> Option<ClientAuthority> {
        let required = self.word(listener, "client_auth", &WORDS);
        let file = self.path(listener, "client_ca");
        let has_tls = listener.is_written("certificate") || listener.is_written("key");
        if file.is_some() && !has_tls {
            let problem = Diagnostic::error(listener.span, "`client_ca` needs `certificate` and `key`");
            self.reading.report(problem.help("only a listener with TLS can ask for certificates"));
        }
        if required.is_some() && !listener.is_written("client_ca") {
            let problem = Diagnostic::error(listener.span, "`client_auth` needs `client_ca`");
            self.reading.report(
                problem.help("name the file of the authorities that sign the certificates of clients"),
            );
        }
        Some(ClientAuthority { file: file?, required: required.unwrap_or(true) })
    }

    /// `[auth.mtls]`
    pub(super) fn certificate_names<'t, 'i>(&mut self, auth: &Fields<'t, 'i>) -> CertificateNames
    where
        'd: 't,
    {
        let Some((table, span)) = auth.table("mtls") else { return CertificateNames::default() };
        self.mtls = Some(span);
        let fields = self.reading.fields(&MTLS_TABLE, table, span);
        let mut names: Vec<(String, Spanned<String>)> = Vec::new();
        for (name, tenant) in fields.text_map("names") {
            if names.iter().any(|(known, _)| known.eq_ignore_ascii_case(&name.value)) {
                let problem = Diagnostic::error(name.span, format!("`{}` is written twice", name.value));
                self.reading.report(problem.note("upper and lower case are the same in DNS names"));
            } else if is_name(&name.value) {
                names.push((name.value, tenant));
            } else {
                let message = format!("`{}` is not a DNS name or a URI", name.value);
                let help = "write it as in the certificate's subject alternative names, like `robot.example.com` or `spiffe://example.com/robot`";
                self.reading.report(Diagnostic::error(name.span, message).help(help));
            }
        }
        if names.is_empty() && !fields.is_written("names") {
            let problem =
                Diagnostic::error(span, "`auth.mtls` needs `names`: no certificate would be anyone's");
            self.reading.report(problem.help("write `names = { \"robot.acme.example\" = \"acme\" }`"));
        }
        CertificateNames::new(names)
    }

    /// Somebody must ask for the certificates that `[auth.mtls]` knows.
    pub(super) fn certificates_are_asked_for(&mut self, listeners: &[Listener]) {
        let asks = |listener: &Listener| listener.tls.as_ref().is_some_and(|files| files.clients.is_some());
        let Some(span) = self.mtls.filter(|_| !listeners.iter().any(asks)) else { return };
        let message = "`auth.mtls` needs a listener that asks for client certificates";
        let help = "add `client_ca = \"clients-ca.pem\"` to a `[[listen]]` with TLS";
        self.reading.report(Diagnostic::error(span, message).help(help));
    }
}

/// URIs have a scheme, DNS names have letters, digits, hyphens and dots, and perhaps a `*` at their start.
fn is_name(text: &str) -> bool {
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    let is_dns = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let without_star = text.strip_prefix("*.").unwrap_or(text);
    is_visible && !text.is_empty() && (text.contains(':') || without_star.bytes().all(is_dns))
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use insta::assert_snapshot;
    use std::path::Path;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text, "edge.toml", Path::new("conf")).map_err(|problems| problems.render(false))
    }

    const TLS: &str = "[[listen]]\naddress = \"127.0.0.1:1\"\ncertificate = \"c.pem\"\nkey = \"k.pem\"\n";
    const AUTH: &str = "[auth]\ntenants = \"t.toml\"\n";

    #[test]
    fn a_listener_can_ask_for_certificates() {
        let names = "[auth.mtls.names]\n\"Robot.example\" = \"acme\"\n\"spiffe://a/B\" = \"beta\"\n";
        let config = parse(&format!("{TLS}client_ca = \"ca.pem\"\n{AUTH}{names}")).unwrap();
        let clients = config.listeners[0].tls.as_ref().unwrap().clients.as_ref().unwrap();
        assert!(clients.required && clients.file == Path::new("conf/ca.pem"));
        let auth = config.auth.unwrap();
        let names: Vec<_> = auth.certificates.iter().collect();
        assert_eq!(names, [("robot.example", "acme"), ("spiffe://a/B", "beta")]);
        let optional = format!("{TLS}client_ca = \"ca.pem\"\nclient_auth = \"optional\"\n");
        let config = parse(&optional).unwrap();
        assert!(!config.listeners[0].tls.as_ref().unwrap().clients.as_ref().unwrap().required);
    }

    #[test]
    fn what_could_never_work_is_reported() {
        let plain = "[[listen]]\naddress = \"127.0.0.1:1\"\nclient_ca = \"ca.pem\"\n";
        assert_snapshot!(parse(plain).unwrap_err(), @r"
        error: `client_ca` needs `certificate` and `key`
         --> edge.toml:1:1
          |
        1 | [[listen]]
          | ^^^^^^^^^^
          |
          = help: only a listener with TLS can ask for certificates

        error: `edge.toml` has 1 error
        ");
        let names = "[auth.mtls]\nnames = { \"a b\" = \"acme\", \"A.x\" = \"a\", \"a.x\" = \"b\" }\n";
        let told = parse(&format!("{TLS}client_auth = \"optional\"\n{AUTH}{names}")).unwrap_err();
        for (place, message) in [
            ("1:1", "`client_auth` needs `client_ca`"),
            ("8:1", "`auth.mtls` needs a listener that asks for client certificates"),
            ("9:11", "`a b` is not a DNS name or a URI"),
            ("9:40", "`a.x` is written twice"),
        ] {
            assert!(
                told.contains(&format!("error: {message}\n --> edge.toml:{place}\n")),
                "{message}: {told}"
            );
        }
        let told = parse(&format!("{TLS}client_ca = \"ca.pem\"\n{AUTH}[auth.mtls]\n")).unwrap_err();
        assert!(told.contains("`auth.mtls` needs `names`: no certificate would be anyone's"), "{told}");
    }
}
