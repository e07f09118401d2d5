//! What tenants say of a bundle: whether its names are the bundle's, and their own values of its variables.

use super::{BuildError, Variables, variables};
use crate::tenants::{Directory, TenantEntry, TenantFile, variable_value};
use mcp_bundle::bind;
use mcp_bundle::plan::Contents;
use mcp_bundle::wire_enums::{CredentialKind, PartKind};
use mcp_diagnostics::{Diagnostic, Problems, Spanned, suggest};
use std::sync::Arc;

/// Values up to here are no matter for the length of a header.
const PLAIN: usize = 256;

/// Whether a file of tenants fits a bundle: its names, and the values of its variables.
pub fn check_tenants(
    contents: &Contents,
    directory: &Directory,
    variable: &dyn Fn(&str) -> Option<String>,
    limits: &bind::Limits,
) -> Result<(), Arc<Problems>> {
    let checked = check(contents, directory).and_then(|()| {
        // The place's own values are checked elsewhere.
        let any = |name: &str| {
            variable(name).or_else(|| contents.variable_names().any(|known| known == name).then(String::new))
        };
        variables(contents, directory, &any, limits).map(drop)
    });
    match checked {
        Err(BuildError::Tenants(problems)) => Err(problems),
        _ => Ok(()),
    }
}

/// Every name in the file of tenants that the bundle does not have.
pub fn check(contents: &Contents, directory: &Directory) -> Result<(), BuildError> {
    let file = directory.file();
    let mut problems = Vec::new();
    let toolsets: Vec<&str> =
        contents.manifest.toolsets.iter().map(|toolset| contents.strings.get(toolset.name)).collect();
    let variable_names: Vec<&str> = contents.variable_names().collect();
    let tools = || contents.tools.iter().map(|tool| contents.strings.get(tool.name));
    for tenant in &file.tenants {
        let named = tenant.toolsets.iter().filter(|name| name.value != "*");
        problems.extend(named.filter_map(|name| unknown(name, "toolset", toolsets.iter().copied())));
        let exact = tenant.allow.iter().chain(&tenant.deny).filter(|glob| !glob.value.0.contains(['*', '?']));
        for glob in exact.filter(|glob| contents.tool(&glob.value.0).is_none()) {
            problems.extend(unknown(&Spanned::new(glob.value.0.clone(), glob.span), "tool", tools()));
        }
        let names = tenant.variables.iter().map(|(name, _)| name);
        problems.extend(names.filter_map(|name| unknown(name, "variable", variable_names.iter().copied())));
    }
    if problems.is_empty() { Ok(()) } else { Err(BuildError::Tenants(Arc::new(file.problems(problems)))) }
}

fn unknown<'n>(
    name: &Spanned<String>,
    what: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> Option<Diagnostic> {
    if known.clone().any(|known| known == name.value) {
        return None;
    }
    let problem = Diagnostic::error(name.span, format!("the bundle has no {what} `{}`", name.value));
    Some(match suggest::nearest(&name.value, known.clone().collect::<Vec<_>>()) {
        Some(meant) => problem.help(format!("did you mean `{meant}`?")),
        None => problem.note(format!("it has {}", suggest::one_of(known.take(20)))),
    })
}

/// The values of each tenant that has its own; empty if none has.
pub fn variables(
    contents: &Contents,
    directory: &Directory,
    variable: &dyn Fn(&str) -> Option<String>,
    limits: &bind::Limits,
) -> Result<Vec<Option<Box<Variables>>>, BuildError> {
    let mut all = Vec::new();
    let file = directory.file();
    let user_names = in_user_names(contents);
    for (index, tenant) in file.tenants.iter().enumerate().filter(|(_, tenant)| !tenant.variables.is_empty())
    {
        let mut own = Vec::new();
        for (name, written) in &tenant.variables {
            let value = variable_value(&written.value, variable).map_err(|missing| {
                let message =
                    format!("`${{{missing}}}` has no value, and tenant `{}` needs it", tenant.name.value);
                let problem = Diagnostic::error(written.span, message)
                    .help("set it in the environment or in the secrets file")
                    .hide_source();
                BuildError::Tenants(Arc::new(file.problems(vec![problem])))
            })?;
            own.push((name.value.as_str(), value));
        }
        let of_tenant = |name: &str| own.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone());
        let value = |name: &str| of_tenant(name).or_else(|| variable(name));
        // There may be many tenants and many tools. A plain value that is short, or no longer than the place's own, fits where
        // that does.
        let is_plain = own.iter().all(|(name, value)| {
            let length = variable(name).map_or(0, |value| value.len()).max(PLAIN);
            value.len() <= length && value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        });
        let limits = if is_plain && limits.header_value >= 16 * PLAIN { None } else { Some(limits) };
        let resolved = variables::resolve(contents, &value, limits).map_err(|error| {
            let written = match &error {
                BuildError::InvalidVariable { name, .. } => {
                    tenant.variables.iter().find(|(own, _)| own.value == *name)
                }
                _ => None,
            };
            let Some((_, written)) = written else { return error };
            // The value may stand in the line.
            let message = format!("tenant `{}`: {error}", tenant.name.value);
            let problem = Diagnostic::error(written.span, message).hide_source();
            BuildError::Tenants(Arc::new(file.problems(vec![problem])))
        })?;
        let wrong = own.iter().find(|(name, value)| value.contains(':') && user_names.contains(name));
        if let Some((name, _)) = wrong {
            return Err(not_a_user_name(file, tenant, name));
        }
        all.resize_with(index, || None);
        all.push(Some(Box::new(resolved)));
    }
    Ok(all)
}

/// The variables that user names are made of.
fn in_user_names(contents: &Contents) -> Vec<&str> {
    let basic = contents.credentials.iter().filter(|credential| credential.kind == CredentialKind::Basic);
    let parts = basic.flat_map(|credential| &credential.name).filter(|part| part.kind == PartKind::Variable);
    parts.filter_map(|part| contents.variable_names().nth(part.id as usize)).collect()
}

fn not_a_user_name(file: &TenantFile, tenant: &TenantEntry, name: &str) -> BuildError {
    let message = format!(
        "tenant `{}`: the value of `{name}` has a `:`, which ends a user name in HTTP",
        tenant.name.value
    );
    let written = tenant.variables.iter().find(|(own, _)| own.value == name);
    let span = written.map_or(tenant.name.span, |(_, value)| value.span);
    let help = "write another user name; what follows the `:` belongs into the password";
    let problem = Diagnostic::error(span, message).help(help).hide_source();
    BuildError::Tenants(Arc::new(file.problems(vec![problem])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jwt::Issuers;
    use crate::tenants::{self, Mode};

    fn checked(variables: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
        let spec = r#"
            [upstream.crm]
            url = "https://crm.example"
            [upstream.crm.auth]
            kind = "basic"
            username = "org-${CRM_USER}"
            password = "${CRM_PASSWORD}"
            [[tool]]
            name = "contacts"
            description = "Lists the contacts of the company."
            upstream = "crm"
            method = "GET"
            endpoint = "/contacts"
        "#;
        let files = mcpc::files::MemoryFiles::one("spec.toml", spec);
        let contents = mcpc::check::check_files(&files).contents.unwrap();
        let text = format!("[tenant.acme]\nvariables = {{ {variables} }}\n");
        let file = tenants::parse(&text, "tenants.toml").unwrap();
        let directory = Directory::new(Mode::Required, None, file, Issuers::default());
        check_tenants(&contents, &directory, variable, &bind::Limits::default())
            .map_err(|problems| problems.render(false))
    }

    #[test]
    fn a_tenants_own_user_name_has_no_colon() {
        let own = |name: &str| (name == "ACME_USER").then(|| "ann:hunter2".to_owned());
        assert_eq!(checked("CRM_USER = \"ann\", CRM_PASSWORD = \"a:b\"", &own), Ok(()));
        for written in ["ann:hunter2", "${ACME_USER}"] {
            let told = checked(&format!("CRM_USER = \"{written}\""), &own).unwrap_err();
            let message = "tenant `acme`: the value of `CRM_USER` has a `:`, which ends a user name in HTTP";
            assert!(told.contains(message) && told.contains("tenants.toml:2:26"), "{told}");
            assert!(told.contains("help: write another user name") && !told.contains("hunter2"), "{told}");
        }
    }
}
