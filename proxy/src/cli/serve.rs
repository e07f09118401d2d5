//! `mcp-edge BUNDLE`: serves until it is told to stop.

use super::{Failure, ServeArguments, bundle_failure, read_config, read_keys};
use crate::activation::{Activation, ActivationError, Cause, Source, Watcher};
use crate::admin::{self, Admin};
use crate::config::{Config, parse_address};
use crate::server::{self, Listener};
use crate::upstream::{Network, Upstream};
use crate::{Edge, logging};
use pingora_core::services::ServiceWithDependents;
use pingora_core::services::background::background_service;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

pub fn run(arguments: &ServeArguments) -> Result<(), Failure> {
    let config = meant(arguments)?;
    let Some(bundle) = config.bundle.clone() else {
        let failure = Failure::cannot_run("there is no bundle to serve");
        return Err(failure.help("name one: `mcp-edge BUNDLE`, or `bundle = \"…\"` in the configuration"));
    };
    let source = Source { bundle, keys: config.keys.clone(), secrets: config.secrets.clone() };
    let network = Network::new(&config.settings.pool, config.ca_file.clone()).map_err(Failure::cannot_run)?;
    let edge = Arc::new(Edge::new(config.settings.clone(), Upstream::Network(network)));
    let activation = Arc::new(Activation::new(Arc::clone(&edge), source.bundle.display().to_string()));
    activation.refresh(&source, Cause::Asked).map_err(|error| activation_failure(&error, &source))?;

    let bind = if arguments.upgrade { server::inherit } else { server::bind };
    let bound = bind(&config.listeners).map_err(|error| Failure::cannot_run(error).help(PORT_HELP))?;
    let watcher = Watcher { activation: Arc::clone(&activation), source: source.clone(), poll: config.poll };
    let mut services: Vec<Box<dyn ServiceWithDependents>> =
        vec![Box::new(background_service("bundle", watcher))];
    let mut admin_address = None;
    if let Some(address) = config.admin {
        let (service, address) = admin_service(&activation, source, address, arguments.upgrade)?;
        services.push(service);
        admin_address = Some(address);
    }
    announce(&config, bound.addresses(), admin_address, &activation);
    let log = logging::start(config.log);
    let threads = config.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from));
    let options = server::Options {
        threads: threads.unwrap_or(1),
        upgrade: arguments.upgrade,
        upgrade_socket: config.upgrade_socket,
        services,
    };
    server::run(edge, bound, options);
    log.flush();
    Ok(())
}

const PORT_HELP: &str = "free the port, or choose another one with `--listen` or `[[listen]]`";
const ADMIN_PORT_HELP: &str =
    "free the port, choose another one with `--admin ADDRESS`, or do without: `--admin off`";

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

fn admin_service(
    activation: &Arc<Activation>,
    source: Source,
    address: SocketAddr,
    upgrade: bool,
) -> Result<(Box<dyn ServiceWithDependents>, SocketAddr), Failure> {
    // The socket of the process that is replaced comes later.
    let (listener, address) = if upgrade {
        (None, address)
    } else {
        let (listener, bound) = admin::bind(address).map_err(|source| {
            Failure::cannot_run(format!("cannot listen on `{address}`: {source}")).help(ADMIN_PORT_HELP)
        })?;
        (Some(listener), bound)
    };
    let admin = Admin::new(Arc::clone(activation), Some(source), address);
    Ok((admin::service(admin, address, listener), address))
}

/// One line for each fact, for people and for scripts that wait for it.
fn announce(config: &Config, addresses: &[SocketAddr], admin: Option<SocketAddr>, activation: &Activation) {
    let mut text = String::new();
    for (number, listener) in config.listeners.iter().enumerate() {
        let scheme = if listener.tls.is_some() { "https" } else { "http" };
        // Those that are taken over from another process are the ones that were asked for.
        let address = addresses.get(number).map_or_else(|| listener.address.clone(), SocketAddr::to_string);
        text.push_str(&format!("listening  {scheme}://{address}/mcp\n"));
    }
    match admin {
        Some(address) => text.push_str(&format!("admin      http://{address}/\n")),
        None => text.push_str("admin      off\n"),
    }
    if let Some(active) = activation.status().active {
        text.push_str(&format!("revision   {}\ntools      {}\n", active.revision, active.tools));
    }
    text.push_str("auth       none: whoever reaches it may call every tool\n");
    let _ = std::io::stderr().write_all(text.as_bytes());
}
