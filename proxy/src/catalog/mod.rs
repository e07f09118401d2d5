//! A bundle made ready to serve: everything that does not depend on a request.

mod client_certificates;
mod cursor;
mod limits;
mod listing;
mod mcp;
mod origins;
pub mod programs;
pub mod shared_store;
mod tenants;
mod token_servers;
mod variables;
mod view;
mod views;

pub use limits::{CacheRules, ToolRate};
pub use listing::Page;
pub use tenants::check_tenants;
pub use variables::invalid as invalid_variables;
pub use view::View;

use crate::limits::Limiter;
use crate::limits::gates::Gate;
use crate::limits::shared::StoreAddress;
use crate::observe::counts::{CallCounts, Counts};
use crate::programs::NoProgram;
use crate::request::identity::Caller;
use crate::settings::Settings;
use crate::tenants::Directory;
use crate::upstream::credentials::{BadUserName, Credentials};
use crate::upstream::mcp::tool::McpTool;
use crate::upstream::{Origin, OriginKey, Upstream};
use http::HeaderName;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{PreparedTool, PreparedTools};
use mcp_bundle::format::{Bundle, Revision};
use mcp_bundle::origin::ResolveError;
use mcp_bundle::plan::{BackendKind, Contents, ToolPlan};
use mcp_bundle::strings::StrId;
use mcp_diagnostics::Problems;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};
use views::Views;

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
    /// What stands before them; indexed likewise.
    gates: Vec<Gate>,
    limits: limits::ToolTables,
    /// Where edges agree about limits.
    pub(crate) store: Option<StoreAddress>,
    /// The tools at MCP servers.
    pub(crate) mcp: mcp::McpTools,
    /// Parameters that headers repeat, indexed like `contents.tools`.
    mirrored: Vec<Box<[Mirrored]>>,
    /// The tools, ready to be called.
    pub prepared: PreparedTools,
    /// Their calls.
    pub counts: Counts,
    /// Of the tenants of the directory.
    pub tenant_counts: Counts,
    /// Who may call.
    pub directory: Arc<Directory>,
    views: Views,
    /// A tenant's own values, indexed like the directory's tenants and then like `variables`; empty if no tenant has any.
    tenant_variables: Vec<Option<Box<Variables>>>,
    /// Of all tools, made when first asked for.
    fingerprint: OnceLock<u64>,
}

/// What belongs to the place that a bundle is served at.
#[derive(Debug, Clone)]
pub struct Place {
    pub settings: Arc<Settings>,
    pub directory: Arc<Directory>,
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
#[derive(Debug, Clone, thiserror::Error)]
pub enum BuildError {
    #[error("`${{{name}}}` has no value, and {need}: set it in the environment or in the secrets file")]
    MissingVariable { name: String, need: String },
    #[error("the value of `${{{name}}}` cannot be sent by `{tool}` in {site}: {reason}")]
    InvalidVariable { name: String, tool: String, site: String, reason: String },
    #[error("the URL of upstream `{upstream}`, `{url}`, cannot be used: {error}")]
    Origin { upstream: String, url: String, error: ResolveError },
    #[error("`[upstream.{name}]` in `edge.toml` is not an upstream of the bundle{}", did_you_mean(.nearest))]
    UnknownUpstream { name: String, nearest: Option<String> },
    #[error(
        "`[upstream.{name}]` in `edge.toml` could be one of several upstreams of that name; rename one in its spec"
    )]
    AmbiguousUpstream { name: String },
    #[error("{0}")]
    Tenants(Arc<Problems>),
    #[error("the certificate of the edge for upstream `{upstream}` cannot be used: {reason}")]
    ClientCertificate { upstream: String, reason: String },
    #[error(
        "the `username` of `[upstream.{upstream}.auth]` has a `:`, which ends a name in HTTP: correct its variables"
    )]
    UserName { upstream: String },
    #[error(
        "the token server of upstream `{upstream}` is reached by plain `http`, so others could read its secrets: use `https`"
    )]
    PlainTokenServer { upstream: String },
    #[error(
        "`{upstream}` of the bundle is a program that this place has not named: write `[stdio.{program}]` with its `command` \
         into `edge.toml`, or name a file that has it with `mcp_servers`{}", did_you_mean(.nearest)
    )]
    UnnamedProgram { upstream: String, program: String, nearest: Option<String> },
    #[error("the program `{program}`, which is the MCP server `{upstream}`, cannot be started: {error}")]
    Program { upstream: String, program: String, error: NoProgram },
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
        (calls, tenant_calls): (&CallCounts, &CallCounts),
        limiter: &Limiter,
        Place { settings, directory }: Place,
    ) -> Result<Catalog, BuildError> {
        let Bundle { mut contents, revision, .. } = bundle;
        let only_in_origins = origins::locate(&mut contents, variable, &settings.upstreams)?;
        // What only an origin needed has done its work.
        let done = |name: &str| only_in_origins.iter().any(|known| known == name).then(String::new);
        let variable = |name: &str| variable(name).or_else(|| done(name));
        let variables = variables::resolve(&contents, &variable, Some(&settings.limits.bind))?;
        tenants::check(&contents, &directory)?;
        let tenant_variables = tenants::variables(&contents, &directory, &variable, &settings.limits.bind)?;
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
        let origins = origins.collect::<Result<Vec<_>, _>>()?;
        token_servers::check(&contents)?;
        let programs = match upstream {
            Upstream::Network(_) => programs::resolve(&contents, &settings.programs, &variable)?,
            // Nothing is started for answers that are fixed.
            Upstream::Fixed(_) => Vec::new(),
        };
        let credentials = Credentials::build(&contents, &variables.0, upstream)
            .map_err(|BadUserName { upstream }| BuildError::UserName { upstream })?;
        let mcp = mcp::McpTools::build(
            &contents,
            &mcp::Means {
                upstream,
                variables: &variables.0,
                origins: &origins,
                credentials: &credentials,
                limiter,
                settings: &settings,
                programs,
            },
        );
        let gates = limits::gates(&contents, limiter, settings.shared.is_some());
        let store = shared_store::resolve(&settings, upstream, &variable)?;
        let counts = calls.of(contents.tools.iter().map(|tool| text(tool.name)));
        let tenants = &directory.file().tenants;
        let tenant_counts = tenant_calls.of(tenants.iter().map(|tenant| tenant.name.value.as_str()));
        let mirrored = contents.tools.iter().map(|tool| mirrored(&contents, tool)).collect();
        let views = Views::new(directory.visibilities().len());
        let matchers = Matchers::new(&contents);
        let prepared = PreparedTools::new(&contents, &variables.0, &settings.limits.bind);
        Ok(Catalog {
            revision,
            settings,
            matchers,
            variables,
            origins,
            credentials,
            gates,
            store,
            limits: limits::ToolTables::new(&contents),
            mcp,
            mirrored,
            prepared,
            counts,
            tenant_counts,
            directory,
            views,
            tenant_variables,
            fingerprint: OnceLock::new(),
            contents,
        })
    }

    /// What a caller sees at an endpoint; `None` if there is no such toolset for it.
    pub fn view(&self, caller: &Caller, toolset: Option<&str>) -> Option<View<'_>> {
        let listings = self.views.of(self, self.directory.visibility(caller)?)?;
        let listing = match toolset {
            None => listings.first(),
            Some(_) => listings.iter().find(|listing| listing.toolset.as_deref() == toolset),
        };
        listing.map(|listing| View::new(self, listing, self.variables_of(caller)))
    }

    /// Whether there is such a caller, as far as it matters here.
    pub fn knows(&self, caller: &Caller) -> bool {
        self.directory.visibility(caller).is_some()
    }

    /// A caller's own values of variables.
    fn variables_of(&self, caller: &Caller) -> Option<&[Box<str>]> {
        if self.tenant_variables.is_empty() {
            return None;
        }
        let own = self.tenant_variables.get(self.directory.tenant_index(caller)?)?.as_ref();
        own.map(|variables| variables.0.as_slice())
    }

    /// What stands before an upstream.
    pub fn gate(&self, upstream: usize) -> Option<&Gate> {
        self.gates.get(upstream)
    }

    /// How many limits hold for all edges together, if there is a store for that.
    pub fn shared_limits(&self) -> usize {
        shared_store::count(&self.contents, &self.directory)
    }

    /// The rate of a tool, if its spec sets one.
    #[inline]
    pub fn tool_rate(&self, tool: usize) -> Option<&ToolRate> {
        self.limits.rate(tool)
    }

    /// How the answers of a tool are kept, if they are.
    #[inline]
    pub fn cache_rules(&self, tool: &PreparedTool<'_>) -> Option<&CacheRules> {
        // As below.
        if tool.is_cached() { self.limits.cache(tool.index()) } else { None }
    }

    /// A tool at an MCP server.
    #[inline]
    pub(crate) fn mcp_tool(&self, tool: &PreparedTool<'_>) -> Option<&McpTool> {
        match tool.kind() {
            BackendKind::Mcp => self.mcp.get(tool.index()),
            BackendKind::Http | BackendKind::Fixed | BackendKind::Arguments => None,
        }
    }

    /// The parameters of a tool that headers repeat.
    pub fn mirrored(&self, tool: &PreparedTool<'_>) -> &[Mirrored] {
        // Nearly none has any: that is known without a look at the list.
        if !tool.is_mirrored() {
            return &[];
        }
        self.mirrored.get(tool.index()).map(|mirrored| &**mirrored).unwrap_or_default()
    }

    /// Whether some client may see other tools than in `other`.
    pub fn lists_differ(&self, other: &Catalog) -> bool {
        !Arc::ptr_eq(&self.directory, &other.directory) || self.fingerprint() != other.fingerprint()
    }

    /// Tells all tools with their toolsets from others.
    fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let text = |id| self.contents.strings.get(id);
            let mut hasher = DefaultHasher::new();
            for (tool, entry) in self.contents.tools.iter().zip(&self.contents.list) {
                let toolset = self.contents.manifest.toolsets.get(tool.toolset as usize);
                let toolset = toolset.map(|toolset| text(toolset.name));
                (toolset, text(entry.text), entry.modern.map(text)).hash(&mut hasher);
            }
            hasher.finish()
        })
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
