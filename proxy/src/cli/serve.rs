//! `mcp-edge BUNDLE`: serves until it is asked to shut down.

use super::start::Start;
use super::typed::Typed;
use super::{CommandError, ServeArguments, bundle_failure, files, load_bundle};
use crate::activation::{Activation, ActivationError};
use crate::admin::{self, Admin};
use crate::config::{BundlePlace, Config, ConfigError, FileProblem};
use crate::process::{self, Beside, BindError, Bound, OpenFiles};
use crate::runtime::allocator;
use crate::telemetry::logging::{self, LogFormat};
use crate::upstream::mcp::stdio;
use pingora_core::services::ServiceWithDependents;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

/// How long programs that are MCP servers may take to end.
const CHILDREN: Duration = Duration::from_secs(2);

pub fn run(arguments: &ServeArguments) -> Result<(), CommandError> {
    let typed = Typed::of(arguments)?;
    let config = typed.config()?;
    let bundle = config.bundle.clone().ok_or(ConfigError::NoBundle)?;
    config.requires_a_signature()?;
    if arguments.upgrade && config.upgrade_socket.is_none() {
        let failure = CommandError::cannot_run("`--upgrade` needs `upgrade_socket` in the configuration");
        return Err(failure.help("the running process must have been started with the same `upgrade_socket`"));
    }
    inspect_files(&config, &bundle)?;
    let activation = Activation::configured(config.clone(), Box::new(move || typed.config()));
    let activation = Arc::new(activation.map_err(CommandError::wrong)?);
    let edge = Arc::clone(activation.edge());
    let audit = activation.audit().cloned();
    activation.poll().map_err(|error| activation_failure(&error, &config, &bundle))?;

    let bind = if arguments.upgrade { process::inherit } else { process::bind };
    let mut bound = bind(&config.listeners).map_err(bind_failure)?;
    activation.show_certificates(bound.certificates());
    let services: Vec<Box<dyn ServiceWithDependents>> = vec![Box::new(activation.watcher())];
    let mut beside = Vec::new();
    let mut admin_address = None;
    if let Some(address) = config.admin {
        let (listener, address) = bind_admin(address, arguments.upgrade.then_some(&mut bound))?;
        let admin = Admin::new(Arc::clone(&activation), address);
        let service = Box::new(move |socket| admin::service(admin, socket));
        beside.push(Beside { address, socket: listener, service });
        admin_address = Some(address);
    }
    // Problems up to here are reported in plain text and end the command.
    let log = logging::start(config.log);
    allocator::give_back();
    let open_files = OpenFiles::raise();
    if let Some(warning) = open_files.warning(config.settings.limits.connections) {
        tracing::warn!("{warning}");
    }
    let start = Start::new(&config, bound.addresses(), admin_address, &activation);
    let threads = config.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from));
    let options = process::Options {
        threads: threads.unwrap_or(1),
        upgrade: arguments.upgrade,
        upgrade_socket: config.upgrade_socket,
        most_connections: open_files.most_connections(),
        services,
        beside,
    };
    let ended = process::run(edge, bound, options, || start.report(config.log.format)).map_err(bind_failure);
    stdio::end_all(CHILDREN);
    // What was served is told, also of calls that the end cut off.
    if let Some(audit) = audit {
        audit.flush();
    }
    log.flush();
    match config.log.format {
        LogFormat::Text => ended,
        LogFormat::Json => ended.map_err(CommandError::logged),
    }
}

const PORT_HELP: &str = "free the port, or choose another one with `--listen` or `[[listen]]`";
const ADMIN_PORT_HELP: &str =
    "free the port, choose another one with `--admin ADDRESS`, or run without: `--admin off`";
const NOT_OURS_HELP: &str =
    "this address does not belong to this machine; use one that does, or `0.0.0.0` for all of them";
const PRIVILEGED_HELP: &str =
    "ports below 1024 need a privilege; choose a higher port, or grant `CAP_NET_BIND_SERVICE`";

const SAME_LISTENERS_HELP: &str =
    "an upgrade needs the listeners of the running process, and new ones that are free";

fn activation_failure(error: &ActivationError, config: &Config, bundle: &BundlePlace) -> CommandError {
    let path = bundle.path();
    match error {
        ActivationError::Load(error) => bundle_failure(error, &path).located(config, &path),
        error => CommandError::wrong(error),
    }
}

/// Every problem with the files, in one run and in the words of `check`.
fn inspect_files(config: &Config, bundle: &BundlePlace) -> Result<(), CommandError> {
    let (_, mut problems) = files::inspect(config);
    if problems.is_empty() {
        return Ok(());
    }
    // A remote one has its turn when the files are right.
    if let BundlePlace::File(path) = bundle {
        let failure = load_bundle(config, bundle).err();
        problems.extend(failure.map(|failure| FileProblem::new(path, failure.message())));
    }
    Err(CommandError::of_files(config, problems))
}

fn bind_failure(error: BindError) -> CommandError {
    match error {
        BindError::Address { ref source, .. } => {
            let help = listen_help(source, PORT_HELP);
            CommandError::cannot_run(error).help(help)
        }
        BindError::Tls { .. } => CommandError::wrong(error),
        BindError::OfNobody { .. } => CommandError::cannot_run(error).help(SAME_LISTENERS_HELP),
        BindError::UpgradeSocket(_) | BindError::NotHandedOver { .. } => CommandError::cannot_run(error),
    }
}

fn listen_help(error: &std::io::Error, otherwise: &'static str) -> &'static str {
    match error.kind() {
        ErrorKind::AddrNotAvailable => NOT_OURS_HELP,
        ErrorKind::PermissionDenied => PRIVILEGED_HELP,
        _ => otherwise,
    }
}

/// With `upgrade`, an address in use belongs to the process that is being replaced; its socket comes later.
fn bind_admin(
    address: SocketAddr,
    upgrade: Option<&mut Bound>,
) -> Result<(Option<TcpListener>, SocketAddr), CommandError> {
    match (admin::bind(address), upgrade) {
        (Ok((listener, bound)), _) => Ok((Some(listener), bound)),
        (Err(error), Some(bound)) if process::is_taken(&error) => {
            bound.inherit_also(address);
            Ok((None, address))
        }
        (Err(error), _) => Err(CommandError::cannot_run(format!("cannot listen on `{address}`: {error}"))
            .help(listen_help(&error, ADMIN_PORT_HELP))),
    }
}
