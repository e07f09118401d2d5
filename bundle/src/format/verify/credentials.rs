//! The credentials of upstreams.

use super::scan::{Class, Scanner, name};
use super::shared::{Checked, ensure, index, quote};
use super::text::is_scope;
use super::{Invalid, Subject, at};
use crate::plan::{Contents, Credential, Part, TokenServer};
use crate::strings::StrId;
use crate::wire_enums::{CredentialKind, PartKind};

pub(super) fn credentials(contents: &Contents) -> Result<(), Box<Invalid>> {
    let mut checker = Checker { contents, scanner: Scanner::new(&contents.strings) };
    let mut last = None;
    for (number, credential) in contents.credentials.iter().enumerate() {
        let ascends = last.replace(credential.upstream).is_none_or(|last| last < credential.upstream);
        ensure(ascends, || format!("upstream {} is duplicated or out of order", credential.upstream))
            .and_then(|()| checker.credential(credential))
            .map_err(at(Subject::Credential(number)))?;
    }
    Ok(())
}

struct Checker<'a> {
    contents: &'a Contents,
    scanner: Scanner<'a>,
}

impl Checker<'_> {
    fn credential(&mut self, credential: &Credential) -> Checked {
        index(credential.upstream, self.contents.upstreams.len(), "upstream")?;
        self.text(&credential.name).map_err(|problem| format!("name: {problem}"))?;
        self.text(&credential.secret).map_err(|problem| format!("secret: {problem}"))?;
        ensure(!credential.secret.is_empty(), || "no secret".to_owned())?;
        match (&credential.server, credential.kind) {
            (None, CredentialKind::Basic) => self.user_name(&credential.name),
            (Some(_), CredentialKind::Basic) => Err("a name and a password with a token server".to_owned()),
            (Some(server), _) => self.server(server).map_err(|problem| format!("token server: {problem}")),
            (None, kind) => Err(format!("`{kind}` without a token server")),
        }
    }

    fn server(&mut self, server: &TokenServer) -> Checked {
        index(server.upstream, self.contents.upstreams.len(), "upstream")?;
        let target = self.scanner.text(server.target, Class::TargetLiteral, "target")?;
        ensure(target.starts_with('/'), || "the target does not begin with `/`".to_owned())?;
        for scope in &server.scopes {
            let scope = name(&self.contents.strings, *scope, "scope")?;
            ensure(is_scope(scope), || format!("{} is not a scope", quote(scope)))?;
        }
        self.text(&server.audience).map_err(|problem| format!("audience: {problem}"))
    }

    /// The first `:` ends the name in the header.
    fn user_name(&self, parts: &[Part]) -> Checked {
        let mut literals = parts.iter().filter(|part| part.kind == PartKind::Literal);
        let has_colon = literals.any(|part| self.contents.strings.get(StrId(part.id)).contains(':'));
        ensure(!has_colon, || "a `:` in the name of a user".to_owned())
    }

    fn text(&mut self, parts: &[Part]) -> Checked {
        parts.iter().try_for_each(|part| match part.kind {
            PartKind::Literal => self.scanner.text(StrId(part.id), Class::HeaderLiteral, "literal").map(drop),
            PartKind::Variable => index(part.id, self.contents.manifest.variables.len(), "variable"),
            kind => Err(format!("`{kind}` in a credential")),
        })
    }
}
