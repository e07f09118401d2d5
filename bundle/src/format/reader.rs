//! Bytes to a bundle that can be trusted: each check comes before the work that relies on it.

use super::error::ReadError;
use super::header::{Header, Section, malformed};
use super::layout::{Features, MAX_FILE_LENGTH, MAX_TOOLS, Revision, SectionId};
use super::signature::{self, Trust};
use super::verify::{ToolVerifier, quote, verify_list, verify_lists_of_tools, verify_shared};
use super::version_1::{OldPolicy, OldToolPlan, OldUpstream};
use super::writer::{feature_names, features_of};
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
    /// Of the format; [`super::VERSION`] or an older one.
    pub version: u16,
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

/// Reads a bundle. In this order: header and table; signatures; whether all of it is understood; then for
/// each section its digest, its shape and its sense. The strings come first, as all others refer to them.
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
    file.check_understood()?;
    let mut contents = Contents {
        strings: file.decode(SectionId::Strings, decode_strings)?,
        manifest: file.decode(SectionId::Manifest, decode_postcard)?,
        upstreams: file.decode_either::<OldUpstream, _>(SectionId::Upstreams)?,
        policies: file.decode_either::<OldPolicy, _>(SectionId::Policies)?,
        templates: file.decode_if_there(SectionId::Templates, decode_postcard)?.unwrap_or_default(),
        credentials: file.decode_if_there(SectionId::Credentials, decode_postcard)?.unwrap_or_default(),
        limits: file.decode_if_there(SectionId::Limits, decode_postcard)?.unwrap_or_default(),
        servers: file.decode_if_there(SectionId::Servers, decode_postcard)?.unwrap_or_default(),
        lenient: file.decode_if_there(SectionId::Lenient, decode_postcard)?.unwrap_or_default(),
        release: file.decode_if_there(SectionId::Release, decode_postcard)?,
        shared: file.decode_if_there(SectionId::SharedLimits, decode_postcard)?.unwrap_or_default(),
        ..Contents::default()
    };
    // Whether the tools need what is said of them, they show once they are read.
    let of_tools = Features(header.features.0 & Features::OF_TOOLS.0);
    file.check_features(features_of(&contents).union(of_tools))?;
    verify_shared(&contents)?;
    contents.tools = file.tools(&contents)?;
    file.check_features(features_of(&contents))?;
    verify_lists_of_tools(&contents)?;
    contents.list = file.decode(SectionId::List, decode_postcard)?;
    verify_list(&contents)?;
    let Header { version, revision, features, .. } = header;
    Ok(Bundle { contents, version, revision, signers, features })
}

impl Bundle {
    /// The tool of that name, with its index.
    pub fn tool(&self, name: &str) -> Option<(usize, &ToolPlan)> {
        self.contents.tool(name)
    }
}

impl File<'_> {
    /// Whether this crate knows all that it has to know to serve the bundle, and the rest is whole.
    fn check_understood(&self) -> Result<(), ReadError> {
        let Header { version, features, sections, .. } = self.header;
        if features.unknown() != Features(0) {
            return Err(ReadError::UnknownFeatures { features: self.names_of(features.unknown()) });
        }
        for section in sections {
            match section.id {
                SectionId::Unknown(_) if section.optional => drop(self.body(section)?),
                SectionId::Unknown(id) => return Err(ReadError::UnknownSection { id }),
                id if section.version > id.version() => {
                    return Err(ReadError::NewerSection { section: id, found: section.version });
                }
                id if !id.is_in(*version, *features) => {
                    return Err(malformed(format!("section `{id}` is of a feature that is not announced")));
                }
                _ => {}
            }
        }
        let is_expected = |id: &SectionId| id.is_in(*version, *features) && !id.is_optional();
        let mut expected = SectionId::ALL.into_iter().filter(is_expected);
        expected.try_for_each(|id| self.section(id).map(drop))
    }

    /// What the bundle itself calls features that are unknown here.
    fn names_of(&self, features: Features) -> Vec<String> {
        let names = self.decode_if_there(SectionId::FeatureNames, decode_postcard::<Vec<(u8, String)>>);
        let names = names.ok().flatten().unwrap_or_default();
        let name_of = |bit: u32| match names.iter().find(|(number, _)| u32::from(*number) == bit) {
            Some((_, name)) => format!("{} (bit {bit})", quote(name)),
            None => format!("bit {bit}"),
        };
        features.bits().map(name_of).collect()
    }

    /// Whether the bundle announces just what its contents need, by the right names.
    fn check_features(&self, needed: Features) -> Result<(), ReadError> {
        let announced = self.header.features;
        if let Some(name) = needed.without(announced).names().next() {
            return Err(ReadError::MissingFeature { name });
        }
        if let Some(name) = announced.without(needed).names().next() {
            return Err(ReadError::NeedlessFeature { name });
        }
        let names = self.decode_if_there(SectionId::FeatureNames, decode_postcard)?;
        if names.is_some_and(|names: Vec<(u8, String)>| names != feature_names(announced)) {
            let reason = "its names are not those of the features".to_owned();
            return Err(undecodable(SectionId::FeatureNames)(reason));
        }
        Ok(())
    }

    /// Decodes a section after a look at its digest.
    fn decode<T>(&self, id: SectionId, decode: fn(&[u8]) -> Result<T, String>) -> Result<T, ReadError> {
        decode(self.body(self.section(id)?)?).map_err(undecodable(id))
    }

    /// Decodes a list whose elements had another structure in the section's first version.
    fn decode_either<Old, New>(&self, id: SectionId) -> Result<Vec<New>, ReadError>
    where
        Old: DeserializeOwned,
        New: DeserializeOwned + From<Old>,
    {
        match self.section(id)?.version {
            1 => Ok(self.decode(id, decode_postcard::<Vec<Old>>)?.into_iter().map(New::from).collect()),
            _ => self.decode(id, decode_postcard),
        }
    }

    fn decode_if_there<T>(
        &self,
        id: SectionId,
        decode: fn(&[u8]) -> Result<T, String>,
    ) -> Result<Option<T>, ReadError> {
        let Some(section) = self.header.section(id) else { return Ok(None) };
        decode(self.body(section)?).map(Some).map_err(undecodable(id))
    }

    /// Each plan is checked right after it is decoded: a pass of its own would fetch them all from memory again.
    fn tools(&self, shared: &Contents) -> Result<Vec<ToolPlan>, ReadError> {
        let id = SectionId::Tools;
        let section = self.section(id)?;
        let take_tool = match section.version {
            1 => take_old_tool,
            _ => take::<ToolPlan>,
        };
        let mut rest = self.body(section)?;
        let count: u64 = take(&mut rest).map_err(undecodable(id))?;
        if count > MAX_TOOLS as u64 {
            return Err(undecodable(id)(format!("{count} tools, the most is {MAX_TOOLS}")));
        }
        let mut verifier = ToolVerifier::new(shared);
        let mut tools = Vec::with_capacity((count as usize).min(rest.len() / SHORTEST_TOOL));
        for _ in 0..count {
            let tool = take_tool(&mut rest).map_err(undecodable(id))?;
            verifier.check(&tool)?;
            tools.push(tool);
        }
        nothing_left(rest).map_err(undecodable(id))?;
        Ok(tools)
    }

    fn section(&self, id: SectionId) -> Result<&Section, ReadError> {
        self.header.section(id).ok_or_else(|| malformed(format!("section `{id}` is missing")))
    }

    /// The bytes of a section, whose digest is right.
    fn body(&self, section: &Section) -> Result<&[u8], ReadError> {
        let bytes = || {
            let start = usize::try_from(section.offset).ok()?;
            self.bytes.get(start..start.checked_add(usize::try_from(section.length).ok()?)?)
        };
        let is_whole = |body: &&[u8]| <[u8; 32]>::from(Sha256::digest(body)) == section.digest;
        bytes().filter(is_whole).ok_or(ReadError::DigestMismatch { section: section.id })
    }
}

fn take_old_tool(body: &mut &[u8]) -> Result<ToolPlan, String> {
    take::<OldToolPlan>(body)?.try_into().map_err(str::to_owned)
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
