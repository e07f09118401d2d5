//! Servers as the API describes them.

use super::{Server, preset_type};
use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::language::variables::{TextPart, Variable, split_variables};
use crate::plan::SERVER_RETRIES;
use crate::servers::{Failure, Listed, PRESETS};
use crate::spec::AuthKind;
use crate::studio::error::ApiError;
use crate::studio::files;
use crate::studio::json::{array, extended, object};
use crate::studio::workspace::{Snapshot, Workspace, lock};
use mcp_diagnostics::EnvFile;
use std::path::Path;
use std::time::SystemTime;

/// Of a call, unless the spec says otherwise.
const DEFAULT_TIMEOUT_MS: u32 = 30_000;

/// What came of the last look at a server.
#[derive(Debug, Clone)]
pub struct Known {
    since: SystemTime,
    result: Result<About, Failure>,
}

/// What a server says of itself.
#[derive(Debug, Clone)]
struct About {
    name: Option<String>,
    version: Option<String>,
    revision: String,
    capabilities: Json,
}

impl Known {
    pub fn of(listed: &Result<Listed, Failure>) -> Known {
        let result = match listed {
            Ok(listed) => Ok(About {
                name: listed.name.clone(),
                version: listed.version.clone(),
                revision: listed.revision.clone(),
                capabilities: Json::parse(&listed.capabilities).unwrap_or(Json::Null),
            }),
            Err(failure) => Err(failure.clone()),
        };
        Known { since: SystemTime::now(), result }
    }
}

/// The state of a server, tried or not.
pub fn known_json(known: Option<&Known>) -> Json {
    object(known_members(known))
}

fn known_members(known: Option<&Known>) -> [(&'static str, Json); 6] {
    let status = match known.map(|known| &known.result) {
        None => "disconnected",
        Some(Ok(_)) => "connected",
        Some(Err(_)) => "error",
    };
    let about = known.and_then(|known| known.result.as_ref().ok());
    let failure = known.and_then(|known| known.result.as_ref().err());
    let error = failure.map(|failure| {
        object([
            ("code", failure.code.as_str().into()),
            ("message", (&*failure.told()).into()),
            ("advice", failure.code.advice().into()),
        ])
    });
    let server_info = about.map(|about| {
        object([("name", about.name.as_deref().into()), ("version", about.version.as_deref().into())])
    });
    [
        ("status", status.into()),
        ("since", known.map(|known| timestamp(known.since)).into()),
        ("error", error.into()),
        ("serverInfo", server_info.into()),
        ("protocolVersion", about.map(|about| about.revision.as_str()).into()),
        ("capabilities", about.map(|about| about.capabilities.clone()).into()),
    ]
}

/// The state of a server of the specs.
pub fn state(workspace: &Workspace, id: &str) -> Json {
    known_json(lock(&workspace.servers).get(id))
}

pub fn list(workspace: &Workspace) -> Result<Json, ApiError> {
    let (snapshot, variables) = (workspace.snapshot(), workspace.variables()?);
    let servers = Server::all(&snapshot).map(|server| described(workspace, &snapshot, server, &variables));
    Ok(object([("servers", array(servers))]))
}

pub fn described(
    workspace: &Workspace,
    snapshot: &Snapshot,
    server: Server<'_>,
    variables: &EnvFile,
) -> Json {
    let Server { toolset, upstream } = server;
    let file = snapshot.report.sources.file(toolset.file);
    let url = upstream.url.as_ref().map(|url| url.value.text.as_str());
    let preset = PRESETS.iter().find(|preset| Some(preset.url) == url);
    let title = toolset.title.as_ref().filter(|_| toolset.upstreams.len() == 1);
    let transport = upstream.server.as_ref().map(|server| server.transport.as_str());
    let key = key_variable(server);
    let has_key = key.as_ref().is_some_and(|name| variables.get(name).is_some());
    let auth_type = match upstream.auth.as_ref().map(|auth| auth.kind.value) {
        None => "none",
        Some(AuthKind::Bearer) => "bearer",
        Some(AuthKind::ApiKey) => "api-key",
        Some(AuthKind::Basic | AuthKind::OAuth2 | AuthKind::Exchange) => "other",
    };
    let headers = upstream.headers.iter().map(|header| {
        // Literals of a spec are shown as they are: the check refuses secrets among them.
        (header.name.value.clone(), Json::from(&header.value.value))
    });
    let chosen = server.tools().map(|(tool, theirs)| {
        object([
            ("name", theirs.into()),
            ("tool", tool.label().into()),
            ("enabled", true.into()),
            ("parameterMappings", mappings(tool)),
        ])
    });
    let (created, updated) = times(&file.name);
    let retries = upstream.retry_count.as_ref().map_or(SERVER_RETRIES, |count| count.value);
    let about = object([
        ("id", server.id().into()),
        ("name", title.map_or(server.id(), |title| &title.value).into()),
        ("url", url.into()),
        ("transport", transport.into()),
        ("authType", auth_type.into()),
        ("hasApiKey", has_key.into()),
        ("apiKeyVariable", key.into()),
        ("headers", Json::Object(headers.collect())),
        ("timeout", upstream.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS).into()),
        ("retryOnError", (retries > 0).into()),
        ("maxRetries", u32::from(retries).into()),
        ("isPreset", preset.is_some().into()),
        ("presetType", preset.map(|preset| preset_type(preset.id)).into()),
        ("createdAt", created.into()),
        ("updatedAt", updated.into()),
        ("file", file.name.as_str().into()),
        ("hash", files::hash(&file.text).into()),
        ("selectedTools", array(chosen)),
    ]);
    extended(about, known_members(lock(&workspace.servers).get(server.id())))
}

/// The arguments that the spec gives itself: values, with variables as `${NAME}`. Callers do not see them.
fn mappings(tool: &CheckedTool) -> Json {
    let fixed = tool.parameters.iter().filter_map(|parameter| {
        let value = parameter.value.as_ref()?;
        Some((parameter.name.value.clone(), value.value.clone()))
    });
    Json::Object(fixed.collect())
}

/// The variable that the key of a server is in.
pub fn key_variable(server: Server<'_>) -> Option<String> {
    let auth = server.upstream.auth.as_ref()?;
    let secret = auth.texts().find(|text| text.is_secret)?;
    let (parts, _) = split_variables(&secret.text.value);
    parts.into_iter().find_map(|part| match part {
        TextPart::Variable(Variable::Named(name)) => Some(name),
        _ => None,
    })
}

/// When a file was made and changed last, where the file system knows.
fn times(path: &str) -> (Option<String>, Option<String>) {
    let Ok(metadata) = std::fs::metadata(Path::new(path)) else { return (None, None) };
    let updated = metadata.modified().ok();
    (metadata.created().ok().or(updated).map(timestamp), updated.map(timestamp))
}

/// RFC 3339, in UTC, to the second.
pub fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}
