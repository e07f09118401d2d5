//! Contents to bytes. The same contents give the same bytes, whatever the machine and the time.

use super::error::WriteError;
use super::header::{Header, Section};
use super::layout::{
    Features, HEADER_LENGTH, MAX_FILE_LENGTH, MAX_SIGNATURES, SectionId, TABLE_ROW_LENGTH, VERSION,
};
use super::signature::{SIGNATURE_BLOCK_HEADER_LENGTH, SIGNATURE_ENTRY_LENGTH, append_block};
use super::verify::verify;
use crate::plan::{Contents, ToolPlan};
use crate::strings::Strings;
use crate::template::{Function, Op, OpCode};
use crate::wire_enums::BodyKind;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The bytes of a bundle, unsigned. Contents that the reader would refuse are refused here.
pub fn write(contents: &Contents) -> Result<Vec<u8>, WriteError> {
    verify(contents)?;

    let features = features_of(contents);
    let mut bodies = Vec::with_capacity(SectionId::ALL.len());
    let is_there = |id: &SectionId| {
        id.is_in(VERSION, features) && (*id != SectionId::Release || contents.release.is_some())
    };
    for id in SectionId::ALL.into_iter().filter(is_there) {
        bodies.push((id, encode(id, contents)?));
    }
    let mut offset = (HEADER_LENGTH + bodies.len() * TABLE_ROW_LENGTH) as u64;
    let mut table = Vec::with_capacity(bodies.len());
    for (id, body) in &bodies {
        let length = body.len() as u64;
        let digest = Sha256::digest(body).into();
        let optional = *id == SectionId::FeatureNames || id.is_optional();
        table.push(Section { id: *id, version: id.version(), optional, offset, length, digest });
        offset += length;
    }
    let signed_length = offset;
    // Room for all signatures, so that whatever was written can be signed.
    let length =
        signed_length + (SIGNATURE_BLOCK_HEADER_LENGTH + MAX_SIGNATURES * SIGNATURE_ENTRY_LENGTH) as u64;
    if length > MAX_FILE_LENGTH {
        return Err(WriteError::TooLarge { length });
    }

    let mut out = Header::encode(features, &table, signed_length);
    out.reserve_exact(signed_length as usize - out.len() + SIGNATURE_BLOCK_HEADER_LENGTH);
    for (_, body) in &bodies {
        out.extend_from_slice(body);
    }
    append_block(&mut out, &[]);
    Ok(out)
}

/// What a reader must understand to serve these contents.
pub(super) fn features_of(contents: &Contents) -> Features {
    let mut features = Features::default();
    if !contents.templates.is_empty() {
        features = features.union(Features::TEMPLATE_PROGRAMS);
    }
    if contents.templates.ops.iter().any(calls_later_function) {
        features = features.union(Features::TEMPLATE_FUNCTIONS);
    }
    if !contents.limits.is_empty() {
        features = features.union(Features::LIMITS);
    }
    if !contents.manifest.schemas.is_empty() {
        features = features.union(Features::JSON_SCHEMA);
    }
    if !contents.credentials.is_empty() {
        features = features.union(Features::CREDENTIALS);
    }
    if !contents.servers.is_empty() {
        features = features.union(Features::MCP_SERVERS);
    }
    if !contents.shared.is_empty() {
        features = features.union(Features::SHARED_LIMITS);
    }
    if !contents.lenient.is_empty() {
        features = features.union(Features::LENIENT);
    }
    if contents.tools.iter().any(has_byte_body) {
        features = features.union(Features::BYTE_BODIES);
    }
    if contents.tools.iter().any(ToolPlan::answers_with_arguments) {
        features = features.union(Features::ARGUMENT_ANSWERS);
    }
    features
}

fn has_byte_body(tool: &ToolPlan) -> bool {
    tool.request().is_some_and(|http| matches!(http.body.kind, BodyKind::Multipart | BodyKind::Bytes))
}

fn calls_later_function(op: &Op) -> bool {
    let function = u8::try_from(op.a).ok().and_then(Function::from_tag);
    op.code == OpCode::Call && function.is_some_and(Function::is_later)
}

/// What the section of that name holds: the numbers of the bits and their names.
pub(super) fn feature_names(features: Features) -> Vec<(u8, String)> {
    let names = Features::NAMES.into_iter().filter(|(feature, _)| features.contains(*feature));
    names.map(|(feature, name)| (feature.0.trailing_zeros() as u8, name.to_owned())).collect()
}

fn encode(id: SectionId, contents: &Contents) -> Result<Vec<u8>, WriteError> {
    match id {
        SectionId::Manifest => encode_postcard(id, &contents.manifest),
        SectionId::Upstreams => encode_postcard(id, &contents.upstreams),
        SectionId::Tools => encode_postcard(id, &contents.tools),
        SectionId::Strings => Ok(encode_strings(&contents.strings)),
        SectionId::Templates => encode_postcard(id, &contents.templates),
        SectionId::List => encode_postcard(id, &contents.list),
        SectionId::Policies => encode_postcard(id, &contents.policies),
        SectionId::FeatureNames => encode_postcard(id, &feature_names(features_of(contents))),
        SectionId::Credentials => encode_postcard(id, &contents.credentials),
        SectionId::Limits => encode_postcard(id, &contents.limits),
        SectionId::Servers => encode_postcard(id, &contents.servers),
        SectionId::Lenient => encode_postcard(id, &contents.lenient),
        SectionId::SharedLimits => encode_postcard(id, &contents.shared),
        SectionId::Release => {
            contents.release.as_ref().map_or(Ok(Vec::new()), |release| encode_postcard(id, release))
        }
        SectionId::Unknown(_) => Ok(Vec::new()),
    }
}

fn encode_postcard<T: Serialize>(section: SectionId, value: &T) -> Result<Vec<u8>, WriteError> {
    postcard::to_allocvec(value).map_err(|e| WriteError::Unencodable { section, reason: e.to_string() })
}

fn encode_strings(pool: &Strings) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 + 4 * pool.len() + pool.text().len());
    out.extend_from_slice(&(pool.len() as u32).to_le_bytes());
    for end in pool.ends() {
        out.extend_from_slice(&end.to_le_bytes());
    }
    out.extend_from_slice(pool.text().as_bytes());
    out
}
