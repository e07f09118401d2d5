//! The section of credentials: what it may hold, and that a reader without it refuses the bundle.
#![cfg(test)]

use crate::container::message_of;
use crate::encoder::{assemble, features, sections};
use crate::rules::{ORDER, accepted, refused, tool_refused};
use crate::support::{http, sample};
use mcp_bundle::format::{Features, Header, SectionId, Trust, read, write};
use mcp_bundle::plan::*;
use mcp_bundle::wire_enums::{CredentialKind, PartKind};

#[test]
fn they_are_written_and_read() {
    accepted(|_| {});
    accepted(|d| drop(d.contents.credentials.remove(0)));
    accepted(|d| d.contents.credentials[0].kind = CredentialKind::ClientCredentials);
    accepted(|d| d.contents.credentials[0].name.clear());
    let contents = sample().finish();
    assert_eq!(contents.credential(1), Some(&contents.credentials[0]));
    assert_eq!(contents.credential(0), None);
    assert_eq!(contents.credentials.iter().map(Credential::reaches).collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn a_bundle_without_any_has_neither_the_section_nor_the_feature() {
    let mut contents = sample().finish();
    contents.credentials.clear();
    let bytes = write(&contents).unwrap();
    let header = Header::parse(&bytes).unwrap();
    assert!(!header.features.contains(Features::CREDENTIALS));
    assert!(header.sections.iter().all(|section| section.id != SectionId::Credentials));
    assert_eq!(read(&bytes, &Trust::Any).unwrap().contents, contents);
}

#[test]
fn the_section_stands_behind_its_feature() {
    let contents = sample().finish();
    let bit = Features::CREDENTIALS.0;
    // Without the bit an edge that does not know the section would send requests without credentials.
    let message = message_of(&assemble(features(&contents) - bit, &sections(&contents)));
    assert!(message.contains("section `credentials` is of a feature that is not announced"), "{message}");
    let mut rows = sections(&contents);
    rows.retain(|row| row.id != SectionId::Credentials.id());
    let message = message_of(&assemble(features(&contents), &rows));
    assert!(message.contains("section `credentials` is missing"), "{message}");
    let mut rows = sections(&contents);
    rows.iter_mut().find(|row| row.id == SectionId::Credentials.id()).unwrap().body = vec![0];
    let message = message_of(&assemble(features(&contents), &rows));
    assert!(message.contains("credentials"), "a feature that nothing needs: {message}");
}

#[test]
fn each_upstream_has_one_at_most() {
    refused("credential 0: upstream 9 does not exist, there are 4", |d| {
        d.contents.credentials[0].upstream = 9;
    });
    refused("credential 1: upstream 1 is duplicated or out of order", |d| {
        d.contents.credentials[1].upstream = 1;
    });
    refused("credential 1: upstream 1 is duplicated or out of order", |d| d.contents.credentials.swap(0, 1));
}

#[test]
fn texts_are_literals_and_variables() {
    refused("credential 0: name: literal `a\\nb` has control characters", |d| {
        d.contents.credentials[0].name = vec![d.literal("a\nb")];
    });
    refused("credential 0: secret: variable 2 does not exist, there are 2", |d| {
        d.contents.credentials[0].secret = vec![Part::variable(2)];
    });
    refused("credential 1: secret: `tenant.id` in a credential", |d| {
        d.contents.credentials[1].secret = vec![Part { kind: PartKind::TenantId, id: 0 }];
    });
    refused("credential 1: no secret", |d| d.contents.credentials[1].secret.clear());
    refused("credential 1: a `:` in the name of a user", |d| {
        d.contents.credentials[1].name = vec![d.literal("a:b")];
    });
    refused("credential 0: token server: audience: `parameter` in a credential", |d| {
        d.contents.credentials[0].server.as_mut().unwrap().audience = vec![Part::parameter(0)];
    });
}

#[test]
fn tokens_come_from_a_server() {
    refused("credential 0: `exchange` without a token server", |d| d.contents.credentials[0].server = None);
    refused("credential 0: a name and a password with a token server", |d| {
        d.contents.credentials[0].kind = CredentialKind::Basic;
    });
    refused("credential 0: token server: upstream 4 does not exist, there are 4", |d| {
        d.contents.credentials[0].server.as_mut().unwrap().upstream = 4;
    });
    refused("credential 0: token server: the target does not begin with `/`", |d| {
        d.contents.credentials[0].server.as_mut().unwrap().target = d.s("token");
    });
    refused("credential 0: token server: target `/a b` does not belong here", |d| {
        d.contents.credentials[0].server.as_mut().unwrap().target = d.s("/a b");
    });
    refused("credential 0: token server: `a b` is not a scope", |d| {
        d.contents.credentials[0].server.as_mut().unwrap().scopes = vec![d.s("a b")];
    });
}

#[test]
fn the_header_of_a_credential_is_nobody_elses() {
    tool_refused(ORDER, "header `authorization` belongs to the credential of the upstream", |d, tool| {
        let value = vec![d.literal("Bearer x")];
        http(tool).headers.push(d.placed("authorization", value));
    });
}

#[test]
fn its_variables_are_needed_by_the_tools_of_the_upstream() {
    let contents = sample().finish();
    let uses: Vec<String> = contents
        .uses_of(1)
        .map(|(tool, site)| format!("{} in {site}", contents.strings.get(tool.name)))
        .collect();
    assert_eq!(
        uses,
        [
            "create_user in its header `authorization`",
            "get_order in the `auth` of its upstream `six`",
            "wiki_search in its header `authorization`",
        ]
    );
}
