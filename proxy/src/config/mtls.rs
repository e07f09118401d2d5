//! Client certificates: which a listener accepts (`client_ca`), and whose they are (`[auth.mtls]`).

use super::keys::MTLS_TABLE;
use super::lower::Lowering;
use crate::process::{ClientAuthority, Listener};
use crate::tenants::CertificateNames;
use mcp_diagnostics::{Diagnostic, Fields};

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
        let mut names = Vec::new();
        for (name, tenant) in fields.text_map("names") {
            if is_name(&name.value) {
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
