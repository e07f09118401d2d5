//! `[auth]` and the file of tenants → who may call.

use crate::catalog;
use crate::config::AuthConfig;
use crate::jwt::Issuers;
use crate::runtime::exposed::is_exposed;
use crate::tenants::{self, Directory, Mode, TenantFile};
use crate::upstream::Network;
use mcp_bundle::bind;
use mcp_bundle::plan::Contents;
use mcp_diagnostics::{Diagnostic, EnvFile, Problems};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Why nobody could call.
#[derive(Debug, thiserror::Error)]
pub enum TenantsError {
    #[error("the file of tenants `{path}` cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("the file of tenants `{path}` has more than {LONGEST} bytes")]
    TooLarge { path: String },
    #[error("the file of tenants `{path}` is not UTF-8 text")]
    NotText { path: String },
    #[error("{0}")]
    Wrong(Arc<Problems>),
    #[error(
        "`mode = \"optional\"` needs a tenant `public` in `{path}`: what callers without a credential may see"
    )]
    NoPublic { path: String },
}

/// Some hundred thousand keys.
const LONGEST: u64 = 64 << 20;

/// Who may call. If everything is as before, it is the same directory, which callers in flight belong to.
pub fn read(
    auth: &AuthConfig,
    network: Option<&Network>,
    before: &Arc<Directory>,
) -> Result<Arc<Directory>, TenantsError> {
    let AuthConfig { mode, tenants, resource, issuers, certificates } = auth;
    let file = match tenants {
        Some(path) if *mode != Mode::None => read_file(path, before)?,
        _ => TenantFile::default(),
    };
    if before.is_made_of(*mode, resource.as_ref(), &file, issuers, certificates) {
        return Ok(Arc::clone(before));
    }
    if *mode == Mode::Optional && file.find(tenants::PUBLIC).is_none() {
        let path = tenants.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        return Err(TenantsError::NoPublic { path });
    }
    if *mode != Mode::None {
        certificates.check(&file).map_err(|problems| TenantsError::Wrong(Arc::new(problems)))?;
    }
    let issuers = Issuers::new(issuers, network, before.issuers());
    let directory = Directory::new(*mode, resource.clone(), file, issuers);
    Ok(Arc::new(directory.with_certificates(certificates.clone())))
}

/// The same for `check`: names are compared with a bundle's, and tenants' variables need values.
pub fn read_and_check(
    auth: &AuthConfig,
    contents: Option<&Contents>,
    secrets: Option<&EnvFile>,
    limits: &bind::Limits,
) -> Result<Arc<Directory>, TenantsError> {
    let directory = read(auth, None, &Arc::default())?;
    if let Some(contents) = contents {
        // A variable without a value is reported on its own.
        let value = |name: &str| secrets.and_then(|secrets| secrets.get(name));
        catalog::check_tenants(contents, &directory, &value, limits).map_err(TenantsError::Wrong)?;
    }
    Ok(directory)
}

fn read_file(path: &Path, before: &Directory) -> Result<TenantFile, TenantsError> {
    let name = || path.display().to_string();
    let unreadable = |source| TenantsError::Unreadable { path: name(), source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let is_exposed = is_exposed(&file.metadata().map_err(unreadable)?);
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LONGEST {
        return Err(TenantsError::TooLarge { path: name() });
    }
    let text = String::from_utf8(bytes).map_err(|_| TenantsError::NotText { path: name() })?;
    if before.file().text() == text {
        return Ok(before.file().clone());
    }
    let file = tenants::parse(&text, &name()).map_err(|problems| TenantsError::Wrong(Arc::new(problems)))?;
    let exposed = file.tenants.iter().flat_map(|tenant| tenant.literal_variables());
    let exposed: Vec<Diagnostic> = exposed
        .filter(|_| is_exposed)
        .map(|span| {
            let message = format!(
                "this value is in a file that everyone on this machine can read; run `chmod o-rwx {}`",
                name()
            );
            Diagnostic::error(span, message)
                .help("or write `\"${NAME}\"`, and put the value into the secrets file")
                .hide_source()
        })
        .collect();
    if exposed.is_empty() { Ok(file) } else { Err(TenantsError::Wrong(Arc::new(file.problems(exposed)))) }
}
