//! Client certificates as credentials: which of their names are whose.

use super::lower::TenantFile;
use mcp_diagnostics::{Diagnostic, Problems, Sources, Spanned, suggest};

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
