//! A bundle made ready to serve: everything that does not depend on a request.

mod client_certificates;
mod cursor;
mod listing;
mod origins;
mod variables;
mod view;

pub use listing::Page;
pub use view::View;

use crate::observe::counts::{CallCounts, ToolCounts};
use crate::request::identity::Caller;
use crate::settings::Settings;
use crate::upstream::credentials::{BadUserName, Credentials};
use crate::upstream::{Origin, OriginKey, Upstream};
use http::HeaderName;
use listing::{CacheScope, Listing};
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{PreparedTool, PreparedTools};
use mcp_bundle::format::{Bundle, Revision};
use mcp_bundle::origin::ResolveError;
use mcp_bundle::plan::{Contents, ToolPlan};
use mcp_bundle::strings::StrId;
use std::sync::Arc;

/// Built once, then only read. A request keeps the catalog it began with.
#[derive(Debug)]
pub struct Catalog {
    pub revision: Revision,
    /// What it is served with.
    pub settings: Arc<Settings>,
    pub contents: Contents,
    pub matchers: Matchers,
    /// Indexed like the manifest's variables.
    pub variables: Variables,
    /// Indexed like `contents.upstreams`.
    pub origins: Vec<Arc<Origin>>,
    /// Indexed like `contents.upstreams`.
    pub credentials: Credentials,
    /// Parameters that headers repeat, indexed like `contents.tools`.
    mirrored: Vec<Box<[Mirrored]>>,
    /// The tools, ready to be called.
    pub prepared: PreparedTools,
    /// Their calls.
    pub counts: ToolCounts,
    /// All tools first, then one for each toolset, sorted by name.
    listings: Vec<Listing>,
}

/// Values of `${NAME}`; never shown.
pub struct Variables(pub Vec<Box<str>>);

/// A parameter that a header repeats.
#[derive(Debug)]
pub struct Mirrored {
    /// `mcp-param-…`
    pub header: HeaderName,
    pub parameter: StrId,
}

/// Why a bundle that is whole cannot be served here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    #[error("`${{{name}}}` has no value, and {need}: set it in the environment or in the secrets file")]
    MissingVariable { name: String, need: String },
    #[error("the value of `${{{name}}}` cannot stand in a header of `{tool}`: it has a control character")]
    InvalidVariable { name: String, tool: String },
    #[error("the URL of upstream `{upstream}`, `{url}`, cannot be used: {error}")]
    Origin { upstream: String, url: String, error: ResolveError },
    #[error("`[upstream.{name}]` in `edge.toml` is not an upstream of the bundle{}", did_you_mean(.nearest))]
    UnknownUpstream { name: String, nearest: Option<String> },
    #[error(
        "`[upstream.{name}]` in `edge.toml` could be one of several upstreams of that name; rename one in its spec"
    )]
    AmbiguousUpstream { name: String },
    #[error("the certificate of the edge for upstream `{upstream}` cannot be used: {reason}")]
    ClientCertificate { upstream: String, reason: String },
    #[error(
        "the `username` of `[upstream.{upstream}.auth]` has a `:`, which ends a name in HTTP: correct its variables"
    )]
    UserName { upstream: String },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

impl Catalog {
    /// `variable` gives the value of a `${NAME}`.
    pub fn build(
        bundle: Bundle,
        variable: &dyn Fn(&str) -> Option<String>,
        upstream: &Upstream,
        calls: &CallCounts,
        settings: Arc<Settings>,
    ) -> Result<Catalog, BuildError> {
        let Bundle { mut contents, revision, .. } = bundle;
        let only_in_origins = origins::locate(&mut contents, variable, &settings.upstreams)?;
        // What only an origin needed has done its work.
        let done = |name: &str| only_in_origins.iter().any(|known| known == name).then(String::new);
        let variables = variables::resolve(&contents, &|name| variable(name).or_else(|| done(name)))?;
        let text = |id| contents.strings.get(id);
        let mut certificates = client_certificates::load(&contents, &settings.client_certificates)?;
        let origins = contents.upstreams.iter().enumerate().map(|(index, plan)| {
            let key = OriginKey { scheme: plan.scheme, host: text(plan.host).to_owned(), port: plan.port };
            match certificates.remove(&index) {
                None => Ok(upstream.origin(&key)),
                Some(certificate) => upstream.origin_with(&key, certificate).map_err(|reason| {
                    BuildError::ClientCertificate { upstream: text(plan.name).to_owned(), reason }
                }),
            }
        });
        let origins = origins.collect::<Result<_, _>>()?;
        let credentials = Credentials::build(&contents, &variables.0, upstream)
            .map_err(|BadUserName { upstream }| BuildError::UserName { upstream })?;
        let counts = calls.tools(contents.tools.iter().map(|tool| text(tool.name)));
        let mirrored = contents.tools.iter().map(|tool| mirrored(&contents, tool)).collect();
        let listing =
            |toolset| Listing::new(&contents, &revision, toolset, &settings.list, CacheScope::Public);
        // One pass over the tools, however many toolsets there are.
        let mut toolsets = vec![Vec::new(); contents.manifest.toolsets.len()];
        for (index, tool) in (0u32..).zip(&contents.tools) {
            if let Some(tools) = toolsets.get_mut(tool.toolset as usize) {
                tools.push(index);
            }
        }
        let listings = std::iter::once(None).chain(toolsets.into_iter().enumerate().map(Some));
        let listings = listings.map(listing).collect();
        let matchers = Matchers::new(&contents);
        let prepared = PreparedTools::new(&contents, &variables.0, &settings.limits.bind);
        Ok(Catalog {
            revision,
            settings,
            matchers,
            variables,
            origins,
            credentials,
            mirrored,
            prepared,
            counts,
            listings,
            contents,
        })
    }

    /// What a caller sees at an endpoint; `None` if there is no such toolset. Today all callers see the same.
    pub fn view(&self, _caller: &Caller, toolset: Option<&str>) -> Option<View<'_>> {
        let listing = match toolset {
            None => self.listings.first(),
            Some(_) => self.listings.iter().find(|listing| listing.toolset.as_deref() == toolset),
        };
        listing.map(|listing| View::new(self, listing))
    }

    /// The parameters of a tool that headers repeat.
    pub fn mirrored(&self, tool: &PreparedTool<'_>) -> &[Mirrored] {
        // Nearly none has any: that is known without a look at the list.
        if !tool.is_mirrored() {
            return &[];
        }
        self.mirrored.get(tool.index()).map(|mirrored| &**mirrored).unwrap_or_default()
    }

    /// Whether clients see other tools than in `other`, at any endpoint.
    pub fn lists_differ(&self, other: &Catalog) -> bool {
        let seen = |catalog: &Catalog| -> Vec<_> {
            let one = |listing: &Listing| (listing.toolset.clone(), listing.fingerprint(&catalog.contents));
            catalog.listings.iter().map(one).collect()
        };
        seen(self) != seen(other)
    }
}

impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values", self.0.len())
    }
}

fn mirrored(contents: &Contents, tool: &ToolPlan) -> Box<[Mirrored]> {
    let parameters = tool.parameters.iter();
    let mirrored = parameters.filter_map(|parameter| {
        let name = contents.strings.get(parameter.mcp_header?);
        // The compiler only lets names pass that a header can have.
        let header = HeaderName::try_from(format!("mcp-param-{name}")).ok()?;
        Some(Mirrored { header, parameter: parameter.name })
    });
    mirrored.collect()
}
