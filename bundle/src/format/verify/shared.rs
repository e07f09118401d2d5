//! What all tools share: manifest, upstreams and policies; and the helpers of all rules.

use super::scan::name;
use super::text::{is_host, is_scope, is_toolset_name, is_version};
use crate::origin::{self, Piece};
use crate::plan::{Contents, Policy, Upstream};
use crate::strings::{StrId, Strings};
use crate::wire_enums::Scheme;

/// What is wrong, or nothing; the caller knows where.
pub(super) type Checked<T = ()> = Result<T, String>;

pub(super) fn manifest(contents: &Contents) -> Checked {
    let (strings, manifest) = (&contents.strings, &contents.manifest);
    text(strings, manifest.name, "name")?;

    let mut toolsets = Ascending::new("toolset");
    for toolset in &manifest.toolsets {
        let toolset_name = name(strings, toolset.name, "toolset name")?;
        ensure(is_toolset_name(toolset_name), || format!("{} cannot name a toolset", quote(toolset_name)))?;
        toolsets.next(toolset_name)?;
        optional_text(strings, toolset.title, "toolset title")?;
        optional_text(strings, toolset.instructions, "toolset instructions")?;
    }
    let mut variables = Ascending::new("variable");
    for id in &manifest.variables {
        let variable = name(strings, *id, "variable")?;
        ensure(!variable.is_empty(), || "a variable without a name".to_owned())?;
        variables.next(variable)?;
    }
    if let Some(release) = &contents.release {
        let version = text(strings, release.version, "version")?;
        ensure(is_version(version), || format!("{} is not a version", quote(version)))?;
    }
    for id in &manifest.patterns {
        text(strings, *id, "pattern")?;
    }
    for id in &manifest.schemas {
        text(strings, *id, "schema")?;
    }
    Ok(())
}

pub(super) fn upstream(contents: &Contents, upstream: &Upstream) -> Checked {
    let strings = &contents.strings;
    text(strings, upstream.name, "name")?;
    if upstream.scheme == Scheme::Stdio {
        return program(strings, upstream);
    }
    if let Some(url) = upstream.url {
        return variable_origin(contents, upstream, text(strings, url, "url")?);
    }
    let host = name(strings, upstream.host, "host")?;
    ensure(is_host(host), || format!("host {} is not a lower-case host name or address", quote(host)))?;
    ensure(upstream.port != 0, || "port 0".to_owned())?;

    let expected = origin::authority_of(upstream.scheme, host, upstream.port);
    let authority = text(strings, upstream.authority, "authority")?;
    ensure(authority == expected, || {
        format!("authority {} instead of {}", quote(authority), quote(&expected))
    })
}

/// A child process has no address. That an MCP server is behind it is checked with the servers.
fn program(strings: &Strings, upstream: &Upstream) -> Checked {
    let is_empty = |id, what| text(strings, id, what).map(str::is_empty);
    let is_unset = is_empty(upstream.host, "host")? && is_empty(upstream.authority, "authority")?;
    ensure(is_unset && upstream.port == 0 && upstream.url.is_none(), || {
        "a program with a host, a port or a url".to_owned()
    })
}

/// An origin that is known only when its variables have values.
fn variable_origin(contents: &Contents, upstream: &Upstream, url: &str) -> Checked {
    let strings = &contents.strings;
    ensure(url.len() <= origin::MAX_LENGTH, || "url is too long".to_owned())?;
    ensure(origin::is_possible(url), || format!("url {} can never be an origin", quote(url)))?;
    for piece in origin::pieces(url).unwrap_or_default() {
        if let Piece::Variable { name, default: None } = piece {
            let is_known = contents.variable_names().any(|known| known == name);
            ensure(is_known, || format!("variable {} of the url is not in the manifest", quote(name)))?;
        }
    }
    let is_empty = |id, what| text(strings, id, what).map(str::is_empty);
    let is_unset = is_empty(upstream.host, "host")? && is_empty(upstream.authority, "authority")?;
    ensure(is_unset && upstream.port == 0, || "both a url with variables and a host".to_owned())
}

pub(super) fn policy(strings: &Strings, policy: &Policy) -> Checked {
    let mut scopes = Ascending::new("scope");
    for id in &policy.scopes {
        let scope = name(strings, *id, "scope")?;
        ensure(is_scope(scope), || format!("{} is not a scope", quote(scope)))?;
        scopes.next(scope)?;
    }
    Ok(())
}

/// Checks that names come in ascending order, each once.
pub(super) struct Ascending<'a> {
    what: &'static str,
    last: Option<&'a str>,
}

impl<'a> Ascending<'a> {
    pub(super) fn new(what: &'static str) -> Ascending<'a> {
        Ascending { what, last: None }
    }

    pub(super) fn next(&mut self, name: &'a str) -> Checked {
        let last = self.last.replace(name);
        match last {
            Some(last) if last == name => Err(format!("{} {} is duplicated", self.what, quote(name))),
            Some(last) if last > name => {
                Err(format!("{} {} comes after {}, not sorted", self.what, quote(name), quote(last)))
            }
            _ => Ok(()),
        }
    }
}

/// The string of an id, which must be in the pool.
pub(super) fn text<'a>(strings: &'a Strings, id: StrId, what: &str) -> Checked<&'a str> {
    strings.find(id).ok_or_else(|| format!("{what} is string {}, which does not exist", id.0))
}

pub(super) fn optional_text<'a>(
    strings: &'a Strings,
    id: Option<StrId>,
    what: &str,
) -> Checked<Option<&'a str>> {
    id.map(|id| text(strings, id, what)).transpose()
}

pub(super) fn index(index: u32, length: usize, what: &str) -> Checked {
    ensure((index as usize) < length, || format!("{what} {index} does not exist, there are {length}"))
}

pub(super) fn optional_index(found: Option<u32>, length: usize, what: &str) -> Checked {
    found.map_or(Ok(()), |found| index(found, length, what))
}

pub(super) fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(problem()) }
}

/// A string of the bundle for a message: on one line, and not endless.
pub(in crate::format) fn quote(text: &str) -> String {
    const LONGEST: usize = 80;
    let shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
    format!("`{shown}{more}`")
}
