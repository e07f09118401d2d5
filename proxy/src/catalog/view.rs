//! The one door to the tools: what one caller sees at one endpoint. What is not in the view does not exist for the caller: not in
//! a list, not in a call, not in a notice of changes, in no interface.

use super::Catalog;
use super::listing::{Listing, Page};
use mcp_bundle::bind::PreparedTool;
use mcp_bundle::wire_enums::ProtocolVersion;

#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    catalog: &'a Catalog,
    listing: &'a Listing,
    variables: Option<&'a [Box<str>]>,
}

impl<'a> View<'a> {
    pub(super) fn new(
        catalog: &'a Catalog,
        listing: &'a Listing,
        variables: Option<&'a [Box<str>]>,
    ) -> View<'a> {
        View { catalog, listing, variables }
    }

    /// The caller's own values of variables; `None` for those that the tools are prepared with.
    pub fn variables(&self) -> Option<&'a [Box<str>]> {
        self.variables
    }

    pub fn catalog(&self) -> &'a Catalog {
        self.catalog
    }

    /// The toolset of the endpoint; `None` for one with all tools.
    pub fn toolset(&self) -> Option<&'a str> {
        self.listing.toolset.as_deref()
    }

    /// The tool with this name.
    #[inline]
    pub fn find(&self, name: &str) -> Option<PreparedTool<'a>> {
        self.listing.find(&self.catalog.prepared, name)
    }

    /// The members of the result that lists the tools after `cursor`; `None` if that is not a cursor.
    pub fn page(&self, version: ProtocolVersion, cursor: Option<&str>) -> Option<Page<'a>> {
        self.listing.page(&self.catalog.contents, version, cursor)
    }

    /// How many tools there are.
    pub fn count(&self) -> usize {
        self.listing.count(&self.catalog.contents)
    }

    /// The entries from `start` on, at most `most`, as JSON objects with commas between them.
    pub fn write_entries(&self, version: ProtocolVersion, start: usize, most: usize, out: &mut Vec<u8>) {
        self.listing.write_entries(&self.catalog.contents, version, start, most, out);
    }

    /// The answer of `GET /mcp/tools`.
    pub fn gateway_list(&self, make: impl FnOnce() -> Vec<u8>) -> &'a [u8] {
        self.listing.gateway_list.get_or_init(make)
    }

    /// `"resultType":"complete","_meta":{…},`: how results of the stateless revision begin.
    pub fn modern_start(&self) -> &'a [u8] {
        &self.listing.modern_start
    }

    /// The members of the result of `server/discover`.
    pub fn discover(&self) -> &'a [u8] {
        &self.listing.discover
    }

    /// The members of the result of `initialize`.
    pub fn initialize(&self, version: ProtocolVersion) -> &'a [u8] {
        self.listing.initialize(version)
    }

    /// Tells lists apart.
    pub fn fingerprint(&self) -> u64 {
        self.listing.fingerprint(&self.catalog.contents)
    }
}
