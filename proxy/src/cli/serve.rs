//! `mcp-edge BUNDLE`: serves until it is told to stop.

use super::start::Start;
use super::{Failure, ServeArguments, bundle_failure, files, load_bundle, read_config, read_keys};
use crate::Edge;
use crate::activation::{Activation, ActivationError, Cause, Source, Watcher};
use crate::admin::{self, Admin};
use crate::config::{Config, parse_address};
use crate::process::{self, BindError, Bound, Listener};
use crate::runtime::allocator;
use crate::telemetry::logging::{self, LogFormat};
use crate::upstream::{Network, Upstream};
use pingora_core::services::ServiceWithDependents;
use pingora_core::services::background::background_service;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

pub fn run(arguments: &ServeArguments) -> Result<(), Failure> {
    let config = meant(arguments)?;
    let Some(bundle) = config.bundle.clone() else {
        let failure = Failure::cannot_run("there is no bundle to serve");
        return Err(failure.help("name one: `mcp-edge BUNDLE`, or `bundle = \"…\"` in the configuration"));
    };
    look_at_files(&config, &bundle)?;
    let source = Source { bundle, keys: config.keys.clone(), secrets: config.secrets.clone() };
    let network = Network::new(&config.settings.pool, config.ca_file.clone()).map_err(Failure::wrong)?;
    let edge = Arc::new(Edge::new(config.settings.clone(), Upstream::Network(network)));
    let activation = Arc::new(Activation::new(Arc::clone(&edge), source.bundle.display().to_string()));
    allocator::suit(&source.bundle);
    activation.refresh(&source, Cause::Asked).map_err(|error| activation_failure(&error, &source))?;

    let bind = if arguments.upgrade { process::inherit } else { process::bind };
    let mut bound = bind(&config.listeners).map_err(bind_failure)?;
    let watcher = Watcher { activation: Arc::clone(&activation), source: source.clone(), poll: config.poll };
    let mut services: Vec<Box<dyn ServiceWithDependents>> =
        vec![Box::new(background_service("bundle", watcher))];
    let mut admin_address = None;
    if let Some(address) = config.admin {
        let (listener, address) = bind_admin(address, arguments.upgrade.then_some(&mut bound))?;
        let admin = Admin::new(Arc::clone(&activation), Some(source), address);
        services.push(admin::service(admin, address, listener));
        admin_address = Some(address);
    }
    // What is wrong until here is told in plain text and ends the command.
    let log = logging::start(config.log);
    allocator::give_back();
    let start = Start::new(&config, bound.addresses(), admin_address, &activation);
    let threads = config.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from));
    let options = process::Options {
        threads: threads.unwrap_or(1),
        upgrade: arguments.upgrade,
        upgrade_socket: config.upgrade_socket,
        services,
    };
    let ended = process::run(edge, bound, options, || start.tell(config.log.format)).map_err(bind_failure);
    log.flush();
    match config.log.format {
        LogFormat::Text => ended,
        LogFormat::Json => ended.map_err(Failure::logged),
    }
}

const PORT_HELP: &str = "free the port, or choose another one with `--listen` or `[[listen]]`";
const ADMIN_PORT_HELP: &str =
    "free the port, choose another one with `--admin ADDRESS`, or do without: `--admin off`";

const SAME_LISTENERS_HELP: &str =
    "an upgrade needs the listeners of the running process, and new ones that are free";

/// The configuration with what was typed over it.
fn meant(arguments: &ServeArguments) -> Result<Config, Failure> {
    let mut config = read_config(arguments.config.as_deref())?;
    config.keys.extend(read_keys(&arguments.key)?);
    config.open |= arguments.auth.is_some();
    config.log.format = arguments.log_format.unwrap_or(config.log.format);
    config.log.level = arguments.log_level.unwrap_or(config.log.level);
    if let Some(bundle) = &arguments.bundle {
        config.bundle = Some(bundle.clone());
    }
    if !arguments.listen.is_empty() {
        let listener = |text: &String| Ok(Listener { address: address(text)?.to_string(), tls: None });
        config.listeners = arguments.listen.iter().map(listener).collect::<Result<_, Failure>>()?;
    }
    config.admin = match arguments.admin.as_deref() {
        None => config.admin,
        Some("off") => None,
        Some(text) => Some(address(text)?),
    };
    if arguments.upgrade && config.upgrade_socket.is_none() {
        let failure = Failure::cannot_run("`--upgrade` needs `upgrade_socket` in the configuration");
        return Err(failure.help("the running process must have been started with the same `upgrade_socket`"));
    }
    if let Some(address) = config.exposed().first() {
        let message = format!("`{address}` can be reached by other machines, and nothing asks who calls");
        let help = "if that is meant, add `--auth none`; else listen on `127.0.0.1`";
        return Err(Failure::cannot_run(message).help(help));
    }
    config.settle();
    Ok(config)
}

fn address(text: &str) -> Result<SocketAddr, Failure> {
    parse_address(text).map_err(|error| Failure::cannot_run(&error).help(&error.help))
}

fn activation_failure(error: &ActivationError, source: &Source) -> Failure {
    match error {
        ActivationError::Load(error) => bundle_failure(error, &source.bundle),
        error => Failure::wrong(error),
    }
}

/// All that is wrong with the files, in one run and in the words of `check`.
fn look_at_files(config: &Config, bundle: &Path) -> Result<(), Failure> {
    let (_, mut wrong) = files::look_at(config);
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.extend(load_bundle(bundle, &config.keys).err().map(|failure| failure.message()));
    Err(Failure::all_wrong(&wrong))
}

fn bind_failure(error: BindError) -> Failure {
    match error {
        BindError::Address { .. } => Failure::cannot_run(error).help(PORT_HELP),
        BindError::Tls { .. } => Failure::wrong(error),
        BindError::OfNobody { .. } => Failure::cannot_run(error).help(SAME_LISTENERS_HELP),
        BindError::UpgradeSocket(_) | BindError::NotHandedOver { .. } => Failure::cannot_run(error),
    }
}

/// With `upgrade`, an address in use is that of the process which is replaced; its socket comes later.
fn bind_admin(
    address: SocketAddr,
    upgrade: Option<&mut Bound>,
) -> Result<(Option<TcpListener>, SocketAddr), Failure> {
    match (admin::bind(address), upgrade) {
        (Ok((listener, bound)), _) => Ok((Some(listener), bound)),
        (Err(error), Some(bound)) if process::is_taken(&error) => {
            bound.inherit_also(address);
            Ok((None, address))
        }
        (Err(error), _) => {
            Err(Failure::cannot_run(format!("cannot listen on `{address}`: {error}")).help(ADMIN_PORT_HELP))
        }
    }
}
