//! What the format fixes: magic, limits, section ids, feature bits, and what a revision is.

use super::error::ReadError;
use sha2::{Digest, Sha256};
use std::fmt;

/// The first bytes of a bundle. The high bit, the line end and the Ctrl-Z show what a text-mode copy did.
pub const MAGIC: [u8; 8] = *b"\x89MCPK\r\n\x1a";
/// The format version that this crate writes.
pub const VERSION: u16 = 2;
/// The oldest one that it reads.
pub const OLDEST_VERSION: u16 = 1;

/// Bytes before the section table.
pub const HEADER_LENGTH: usize = 32;
/// Bytes of one row of the section table.
pub const TABLE_ROW_LENGTH: usize = 56;

/// The largest file that is read or written.
pub const MAX_FILE_LENGTH: u64 = 512 * 1024 * 1024;
/// The most sections that a table may announce, whatever the version.
pub const MAX_SECTIONS: u32 = 64;
/// The most tools in one bundle.
pub const MAX_TOOLS: usize = 1_000_000;
/// The longest name of anything: toolset, variable, scope, host, parameter, property, header, field.
pub const MAX_NAME_LENGTH: usize = 1024;
/// The longest fixed JSON value that is made of several parts, and all of them together.
pub const MAX_FIXED_JSON_LENGTH: usize = 1024 * 1024;
pub const MAX_FIXED_JSON_TOTAL: usize = 1024 * 1024 * 1024;
/// The most signatures on one bundle.
pub const MAX_SIGNATURES: usize = 16;

/// A section of the bundle. Ids are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionId {
    Manifest,
    Upstreams,
    Tools,
    Strings,
    Templates,
    List,
    Policies,
    FeatureNames,
    Limits,
    Credentials,
    Servers,
    Lenient,
    SharedLimits,
    Release,
    /// Of a later compiler.
    Unknown(u32),
}

/// What a reader must understand to serve a bundle, as a set of bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Features(pub u64);

/// The identity of a bundle: the SHA-256 of its header and section table, which pin every section by digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub [u8; 32]);

impl SectionId {
    /// Every section that this crate knows, in the order of the file.
    pub const ALL: [SectionId; 14] = [
        SectionId::Manifest,
        SectionId::Upstreams,
        SectionId::Tools,
        SectionId::Strings,
        SectionId::Templates,
        SectionId::List,
        SectionId::Policies,
        SectionId::FeatureNames,
        SectionId::Limits,
        SectionId::Credentials,
        SectionId::Servers,
        SectionId::Lenient,
        SectionId::SharedLimits,
        SectionId::Release,
    ];

    pub fn from_id(id: u32) -> SectionId {
        SectionId::ALL.into_iter().find(|known| known.id() == id).unwrap_or(SectionId::Unknown(id))
    }

    pub const fn id(self) -> u32 {
        match self {
            SectionId::Manifest => 1,
            SectionId::Upstreams => 2,
            SectionId::Tools => 3,
            SectionId::Strings => 4,
            SectionId::Templates => 5,
            SectionId::List => 6,
            SectionId::Policies => 7,
            SectionId::FeatureNames => 8,
            SectionId::Limits => 9,
            SectionId::Credentials => 10,
            SectionId::Servers => 11,
            SectionId::Lenient => 12,
            SectionId::SharedLimits => 13,
            SectionId::Release => 14,
            SectionId::Unknown(id) => id,
        }
    }

    /// The version in which it is written; all earlier ones are read.
    pub const fn version(self) -> u16 {
        match self {
            SectionId::Upstreams | SectionId::Tools | SectionId::Policies => 2,
            _ => 1,
        }
    }

    /// Whether it is only for people and tools, so that a bundle may have it or not and any reader may skip it.
    pub const fn is_optional(self) -> bool {
        matches!(self, SectionId::Release)
    }

    /// Whether a bundle of this format version has it, or may have it. A section that not every bundle needs has
    /// its own feature. Readers that do not know the feature refuse the bundle by its name.
    pub const fn is_in(self, version: u16, features: Features) -> bool {
        match self {
            SectionId::Templates => version < 2 || features.contains(Features::TEMPLATE_PROGRAMS),
            SectionId::FeatureNames => version >= 2 && features.0 != 0,
            SectionId::Limits => features.contains(Features::LIMITS),
            SectionId::Credentials => features.contains(Features::CREDENTIALS),
            SectionId::Servers => features.contains(Features::MCP_SERVERS),
            SectionId::Lenient => features.contains(Features::LENIENT),
            SectionId::SharedLimits => features.contains(Features::SHARED_LIMITS),
            SectionId::Release => version >= 2,
            SectionId::Unknown(_) => false,
            _ => true,
        }
    }
}

impl Features {
    /// Templates are carried as programs. (Bit 0 once stood for templates as text and is not used again.)
    pub const TEMPLATE_PROGRAMS: Features = Features(1 << 2);
    /// Some arguments or answers need a full JSON Schema validator.
    pub const JSON_SCHEMA: Features = Features(1 << 1);

    /// Rates, places and breakers that differ from the defaults.
    pub const LIMITS: Features = Features(1 << 8);
    /// Upstreams want an `authorization` header that has to be made or fetched.
    pub const CREDENTIALS: Features = Features(1 << 9);
    /// Some tools are those of MCP servers.
    pub const MCP_SERVERS: Features = Features(1 << 10);
    /// Some limits hold for all edges together.
    pub const SHARED_LIMITS: Features = Features(1 << 11);
    /// Some tools also take arguments that can be converted without loss.
    pub const LENIENT: Features = Features(1 << 12);
    /// Some requests have bytes in their bodies: multipart, or an argument in base64.
    pub const BYTE_BODIES: Features = Features(1 << 13);
    /// Templates call functions that the first readers of programs do not have.
    pub const TEMPLATE_FUNCTIONS: Features = Features(1 << 14);

    /// The answers of some tools are made of their arguments.
    pub const ARGUMENT_ANSWERS: Features = Features(1 << 16);

    /// Those that only tools need.
    pub const OF_TOOLS: Features = Features::BYTE_BODIES.union(Features::ARGUMENT_ANSWERS);

    /// The known features with their names, lowest bit first.
    pub const NAMES: [(Features, &str); 10] = [
        (Features::JSON_SCHEMA, "json-schema"),
        (Features::TEMPLATE_PROGRAMS, "template-programs"),
        (Features::LIMITS, "limits"),
        (Features::CREDENTIALS, "credentials"),
        (Features::MCP_SERVERS, "mcp-servers"),
        (Features::SHARED_LIMITS, "shared-limits"),
        (Features::LENIENT, "lenient"),
        (Features::BYTE_BODIES, "byte-bodies"),
        (Features::TEMPLATE_FUNCTIONS, "template-functions"),
        (Features::ARGUMENT_ANSWERS, "argument-answers"),
    ];

    pub const fn contains(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn union(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    pub const fn without(self, other: Features) -> Features {
        Features(self.0 & !other.0)
    }

    /// The bits that this crate has no name for.
    pub fn unknown(self) -> Features {
        Features::NAMES.iter().fold(self, |rest, (known, _)| rest.without(*known))
    }

    /// The names of the known features in the set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Features::NAMES.into_iter().filter(move |(feature, _)| self.contains(*feature)).map(|(_, name)| name)
    }

    /// The numbers of the bits in the set, lowest first.
    pub fn bits(self) -> impl Iterator<Item = u32> {
        (0..u64::BITS).filter(move |bit| self.0 >> bit & 1 == 1)
    }
}

impl Revision {
    /// The revision of a bundle whose header and table are `head`.
    pub(super) fn of(head: &[u8]) -> Revision {
        Revision(Sha256::digest(head).into())
    }
}

impl fmt::Display for SectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SectionId::Manifest => "manifest",
            SectionId::Upstreams => "upstreams",
            SectionId::Tools => "tools",
            SectionId::Strings => "strings",
            SectionId::Templates => "templates",
            SectionId::List => "list",
            SectionId::Policies => "policies",
            SectionId::FeatureNames => "feature-names",
            SectionId::Limits => "limits",
            SectionId::Credentials => "credentials",
            SectionId::Servers => "mcp-servers",
            SectionId::Lenient => "lenient",
            SectionId::SharedLimits => "shared-limits",
            SectionId::Release => "release",
            SectionId::Unknown(id) => return write!(f, "{id}"),
        })
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl fmt::Debug for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Revision({self})")
    }
}

pub(super) fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// The `N` bytes at `at`; that they are missing means that the file was cut.
pub(super) fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], ReadError> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
    found.copied().ok_or(ReadError::Truncated { expected: (at + N) as u64, actual: bytes.len() as u64 })
}
