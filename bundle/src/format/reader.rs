//! Bytes to a bundle that can be trusted: each check comes before the work that relies on it.

use super::error::ReadError;
use super::header::Header;
use super::layout::{Features, MAX_FILE_LENGTH, MAX_TOOLS, Revision, SectionId};
use super::signature::{self, Trust};
use super::verify::{ToolVerifier, verify_list, verify_shared};
use super::writer::features_of;
use crate::plan::{Contents, ToolPlan};
use crate::strings::Strings;
use ed25519_dalek::VerifyingKey;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// The fewest bytes that a plan can have: one for each of its fields, with a fixed answer.
const SHORTEST_TOOL: usize = 13;

/// A bundle that was read: whole, signed as demanded, and with no index out of range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    pub contents: Contents,
    pub revision: Revision,
    /// Everyone who signed it, trusted or not, in the order of their keys.
    pub signers: Vec<VerifyingKey>,
    pub features: Features,
}

/// A file whose header holds.
struct File<'a> {
    bytes: &'a [u8],
    header: &'a Header,
}

/// Reads a bundle. In this order: header and table, signatures; then for each section its digest, its
/// shape and its sense. The strings come first, as all others refer to them.
pub fn read(bytes: &[u8], trust: &Trust<'_>) -> Result<Bundle, ReadError> {
    let actual = bytes.len() as u64;
    if actual > MAX_FILE_LENGTH {
        return Err(ReadError::TooLarge { length: actual });
    }
    let header = Header::parse(bytes)?;
    if header.signed_length > actual {
        return Err(ReadError::Truncated { expected: header.signed_length, actual });
    }
    let entries = signature::parse_block(bytes, header.signed_length as usize)?;
    let signers = signature::check(&entries, &header.revision, trust)?;

    let file = File { bytes, header: &header };
    let mut contents = Contents {
        strings: file.decode(SectionId::Strings, decode_strings)?,
        manifest: file.decode(SectionId::Manifest, decode_postcard)?,
        upstreams: file.decode(SectionId::Upstreams, decode_postcard)?,
        policies: file.decode(SectionId::Policies, decode_postcard)?,
        templates: file.decode(SectionId::Templates, decode_postcard)?,
        ..Contents::default()
    };
    if let Some(name) = features_of(&contents).without(header.features).names().next() {
        return Err(ReadError::MissingFeature { name });
    }
    verify_shared(&contents)?;
    contents.tools = file.tools(&contents)?;
    contents.list = file.decode(SectionId::List, decode_postcard)?;
    verify_list(&contents)?;
    Ok(Bundle { contents, revision: header.revision, signers, features: header.features })
}

impl Bundle {
    /// The tool of that name, with its index.
    pub fn tool(&self, name: &str) -> Option<(usize, &ToolPlan)> {
        let Contents { strings, tools, .. } = &self.contents;
        let index = tools.binary_search_by(|tool| strings.get(tool.name).cmp(name)).ok()?;
        Some((index, tools.get(index)?))
    }
}

impl File<'_> {
    /// Decodes a section whose digest has been checked.
    fn decode<T>(&self, id: SectionId, decode: fn(&[u8]) -> Result<T, String>) -> Result<T, ReadError> {
        decode(self.body(id)?).map_err(undecodable(id))
    }

    /// Each plan is checked right after it is decoded: a pass of its own would fetch them all from memory again.
    fn tools(&self, shared: &Contents) -> Result<Vec<ToolPlan>, ReadError> {
        let id = SectionId::Tools;
        let mut rest = self.body(id)?;
        let count: u64 = take(&mut rest).map_err(undecodable(id))?;
        if count > MAX_TOOLS as u64 {
            return Err(undecodable(id)(format!("{count} tools, the most is {MAX_TOOLS}")));
        }
        let mut verifier = ToolVerifier::new(shared);
        let mut tools = Vec::with_capacity((count as usize).min(rest.len() / SHORTEST_TOOL));
        for _ in 0..count {
            let tool = take(&mut rest).map_err(undecodable(id))?;
            verifier.check(&tool)?;
            tools.push(tool);
        }
        nothing_left(rest).map_err(undecodable(id))?;
        Ok(tools)
    }

    fn body(&self, id: SectionId) -> Result<&[u8], ReadError> {
        let body = self.header.section(id).and_then(|section| {
            let start = usize::try_from(section.offset).ok()?;
            let body = self.bytes.get(start..start.checked_add(usize::try_from(section.length).ok()?)?)?;
            (<[u8; 32]>::from(Sha256::digest(body)) == section.digest).then_some(body)
        });
        body.ok_or(ReadError::DigestMismatch { section: id })
    }
}

fn undecodable(section: SectionId) -> impl FnOnce(String) -> ReadError {
    move |reason| ReadError::Undecodable { section, reason }
}

/// A hostile length costs little: serde reserves 1 MiB at most ahead of the elements, and every element
/// takes at least a byte of the section.
fn decode_postcard<T: DeserializeOwned>(mut body: &[u8]) -> Result<T, String> {
    let value = take(&mut body)?;
    nothing_left(body)?;
    Ok(value)
}

/// Takes one value off the front.
fn take<T: DeserializeOwned>(body: &mut &[u8]) -> Result<T, String> {
    let (value, rest) = postcard::take_from_bytes(body).map_err(|e| e.to_string())?;
    *body = rest;
    Ok(value)
}

fn nothing_left(rest: &[u8]) -> Result<(), String> {
    if rest.is_empty() { Ok(()) } else { Err(format!("{} bytes are left over", rest.len())) }
}

fn decode_strings(body: &[u8]) -> Result<Strings, String> {
    let (count, rest) = body.split_first_chunk::<4>().ok_or("the count is cut")?;
    let ends_length = u64::from(u32::from_le_bytes(*count)) * 4;
    let (ends, text) = usize::try_from(ends_length)
        .ok()
        .and_then(|length| rest.split_at_checked(length))
        .ok_or("there are fewer ends than announced")?;
    let (ends, _) = ends.as_chunks::<4>();
    let ends = ends.iter().map(|end| u32::from_le_bytes(*end));
    let text = str::from_utf8(text).map_err(|e| format!("not UTF-8 after byte {}", e.valid_up_to()))?;
    Strings::new(text.to_owned(), ends).ok_or_else(|| "the ends do not fit the text".to_owned())
}
