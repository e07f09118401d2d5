//! Client certificates as credentials: which of their names are whose.

use super::directory::{Directory, Distinct, Visibility, seconds_now};
use super::lower::TenantFile;
use crate::limits::bucket;
use crate::request::certificate::CallerCertificate;
use crate::request::failure::Failure;
use crate::request::identity::{Caller, Identity};
use crate::request::resource as challenge;
use mcp_diagnostics::{Diagnostic, Problems, Sources, Spanned, suggest};
use std::sync::Arc;

/// Names in certificates (DNS names in lower case, and URIs), each with its tenant, as `edge.toml` has them.
#[derive(Debug, Clone, Default)]
pub struct CertificateNames {
    /// Sorted by name.
    names: Vec<(String, Spanned<String>)>,
    sources: Sources,
}

impl CertificateNames {
    pub fn new(mut names: Vec<(String, Spanned<String>)>) -> CertificateNames {
        for (name, _) in names.iter_mut().filter(|(name, _)| !name.contains(':')) {
            name.make_ascii_lowercase();
        }
        names.sort_by(|a, b| a.0.cmp(&b.0));
        CertificateNames { names, sources: Sources::default() }
    }

    /// Where they are written.
    pub fn located(self, sources: Sources) -> CertificateNames {
        CertificateNames { sources, ..self }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names.iter().map(|(name, tenant)| (name.as_str(), tenant.value.as_str()))
    }

    /// Whether all their tenants exist.
    pub fn check(&self, file: &TenantFile) -> Result<(), Problems> {
        let unknown = self.names.iter().filter(|(_, tenant)| file.find(&tenant.value).is_none());
        let diagnostics: Vec<Diagnostic> = unknown.map(|(_, tenant)| unknown_tenant(tenant, file)).collect();
        if diagnostics.is_empty() {
            return Ok(());
        }
        Err(Problems { sources: self.sources.clone(), diagnostics })
    }
}

impl Directory {
    /// The same, where clients can show certificates. Names of tenants that do not exist are nobody's.
    pub fn with_certificates(mut self, names: CertificateNames) -> Directory {
        let mut visibilities = Distinct::new(std::mem::take(&mut self.visibilities));
        for (name, tenant) in names.iter() {
            let Some((index, _)) = self.find(tenant) else { continue };
            let Some(entry) = self.file.tenants.get(index as usize) else { continue };
            let identity = Identity {
                tenant: Some(tenant.to_owned()),
                principal: Some(name.to_owned()),
                scopes: entry.scopes.clone(),
                limits: entry.limits(None),
                visibility: visibilities.number(Visibility::of(entry, Some(&entry.scopes))),
                tenant_index: Some(index),
                tenant_bucket: bucket(tenant),
                generation: self.generation,
                ..Identity::default()
            };
            self.certificates.push((name.to_owned(), Arc::new(identity)));
        }
        self.visibilities = visibilities.all;
        self.certificate_names = names;
        self
    }

    /// What a name in a certificate is worth.
    pub(super) fn certificate(&self, name: &str) -> Option<&Arc<Identity>> {
        let index = self.certificates.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        self.certificates.get(index).map(|(_, identity)| identity)
    }

    /// The caller whose certificate the handshake has verified.
    pub(super) fn of_certificate(&self, certificate: &CallerCertificate) -> Result<Caller, Failure> {
        let refuse = |reason| Err(challenge::unauthenticated(self.resource.as_ref(), Some(reason)));
        if seconds_now() > certificate.until {
            return refuse("the client certificate has expired");
        }
        let mut known = certificate.names.iter().filter_map(|name| self.certificate(name));
        let Some(identity) = known.next() else { return refuse("the client certificate names no tenant") };
        if known.any(|other| other.tenant_index != identity.tenant_index) {
            return refuse("the client certificate names more than one tenant");
        }
        Ok(Caller::Known(Arc::clone(identity)))
    }
}

fn unknown_tenant(tenant: &Spanned<String>, file: &TenantFile) -> Diagnostic {
    let known = file.tenants.iter().map(|tenant| tenant.name.value.as_str());
    let help = match suggest::nearest(&tenant.value, known.collect::<Vec<_>>()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("write `[tenant.{}]` in the file of tenants", tenant.value),
    };
    Diagnostic::error(tenant.span, format!("there is no tenant `{}`", tenant.value)).help(help)
}

/// Whether they say the same, wherever it is written.
impl PartialEq for CertificateNames {
    fn eq(&self, other: &CertificateNames) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for CertificateNames {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jwt::Issuers;
    use crate::tenants::{Mode, parse};
    use mcp_diagnostics::Span;

    fn directory(tenants: &str, names: &[(&str, &str)]) -> Directory {
        let file = parse(tenants, "tenants.toml").unwrap();
        let mut sources = Sources::default();
        let span = Span::whole_file(sources.add("edge.toml", ""));
        let spanned =
            |(name, tenant): &(&str, &str)| ((*name).to_owned(), Spanned::new((*tenant).to_owned(), span));
        let names = CertificateNames::new(names.iter().map(spanned).collect()).located(sources);
        Directory::new(Mode::Required, None, file, Issuers::default()).with_certificates(names)
    }

    fn shown(names: &[&str]) -> CallerCertificate {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        CallerCertificate { names, until: i64::MAX }
    }

    fn reason(refused: Result<Caller, Failure>) -> &'static str {
        match refused.unwrap_err() {
            Failure::Unauthenticated { reason, .. } => reason,
            other => panic!("{other:?}"),
        }
    }

    const TENANTS: &str = "[tenant.acme]\nscopes = [\"a\"]\n[tenant.beta]\n";

    #[test]
    fn a_certificate_is_of_the_tenant_that_one_of_its_names_has() {
        let names = [("Robot.ACME.example", "acme"), ("spiffe://x/Beta", "beta"), ("b.example", "beta")];
        let directory = directory(TENANTS, &names);
        let caller = directory.of_certificate(&shown(&["other.example", "robot.acme.example"])).unwrap();
        assert_eq!((caller.tenant(), caller.principal()), (Some("acme"), Some("robot.acme.example")));
        assert_eq!(caller.identity().unwrap().scopes, ["a"]);
        let caller = directory.of_certificate(&shown(&["spiffe://x/Beta", "b.example"])).unwrap();
        assert_eq!((caller.tenant(), caller.principal()), (Some("beta"), Some("spiffe://x/Beta")));
        for names in [&[][..], &["other.example"], &["spiffe://x/beta"], &["example"]] {
            let refused = reason(directory.of_certificate(&shown(names)));
            assert_eq!(refused, "the client certificate names no tenant", "{names:?}");
        }
        let both = directory.of_certificate(&shown(&["b.example", "robot.acme.example"]));
        assert_eq!(reason(both), "the client certificate names more than one tenant");
    }

    #[test]
    fn a_connection_does_not_outlive_its_certificate() {
        let directory = directory(TENANTS, &[("a.example", "acme")]);
        let old = CallerCertificate { until: seconds_now() - 1, ..shown(&["a.example"]) };
        assert_eq!(reason(directory.of_certificate(&old)), "the client certificate has expired");
    }

    #[test]
    fn a_stream_goes_on_only_while_its_certificate_is_of_the_same_tenant() {
        let before = directory(TENANTS, &[("a.example", "acme")]);
        let caller = before.of_certificate(&shown(&["a.example"])).unwrap();
        let visibility = |names: &[(&str, &str)]| directory(TENANTS, names).visibility(&caller);
        assert!(before.visibility(&caller).is_some() && visibility(&[("a.example", "acme")]).is_some());
        assert_eq!(visibility(&[("a.example", "beta")]), None);
        assert_eq!(visibility(&[]), None);
    }

    #[test]
    fn an_unknown_tenant_is_reported_with_what_was_meant() {
        let directory = directory(TENANTS, &[("a.example", "acne")]);
        let problems = directory.certificate_names.check(&directory.file).unwrap_err();
        let text = problems.render(false);
        assert!(
            text.contains("there is no tenant `acne`") && text.contains("did you mean `acme`?"),
            "{text}"
        );
    }
}
