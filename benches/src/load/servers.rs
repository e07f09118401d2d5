//! The servers of a comparison: the upstream, and what stands between it and the generator.

use super::process::{Cores, Server, free_address, sibling};
use super::spec;
use crate::Failure;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Where nginx finds what it serves as a file, below the folder.
pub const FILE: &str = "list.json";

/// All of them, running. Dropping stops them.
#[derive(Debug)]
pub struct Servers {
    pub upstream: Server,
    pub passthrough: Server,
    pub edge: Server,
    /// `None` where it is not installed.
    pub nginx: Option<Server>,
    /// Configurations and logs; removed last.
    pub folder: TempDir,
}

impl Servers {
    /// Each server gets this many threads.
    pub async fn start(threads: usize, tested: &Cores, others: &Cores) -> Result<Servers, Failure> {
        let folder = TempDir::new()?;
        // nginx's workers may run as another user.
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755))?;
        let at = folder.path();
        let address = free_address()?;
        let arguments = [address.to_string(), threads.to_string()];
        let program = sibling("upstream")?;
        let upstream =
            Server::start(&program, &arguments, &[], others, address, &at.join("upstream.log")).await?;
        Ok(Servers {
            passthrough: passthrough(at, threads, tested, upstream.address).await?,
            edge: edge(at, threads, tested, upstream.address).await?,
            nginx: nginx(at, threads, tested, upstream.address).await?,
            upstream,
            folder,
        })
    }
}

async fn passthrough(
    folder: &Path,
    threads: usize,
    cores: &Cores,
    upstream: SocketAddr,
) -> Result<Server, Failure> {
    let address = free_address()?;
    let arguments = [address.to_string(), upstream.to_string(), threads.to_string()];
    let log = folder.join("passthrough.log");
    Server::start(&sibling("passthrough")?, &arguments, &[], cores, address, &log).await
}

/// As it comes, but for the limits that 1 MiB of text in a result needs.
async fn edge(folder: &Path, threads: usize, cores: &Cores, upstream: SocketAddr) -> Result<Server, Failure> {
    let address = free_address()?;
    std::fs::write(folder.join("load.mcpk"), spec::bundle(upstream)?)?;
    let config = folder.join("edge.toml");
    let text = format!(
        "bundle = \"load.mcpk\"\nthreads = {threads}\nadmin = \"off\"\n[[listen]]\naddress = \"{address}\"\n\
         [limits]\nresult_text = \"4MiB\"\ntemplate_output = \"4MiB\"\n"
    );
    std::fs::write(&config, text)?;
    let arguments = ["--config".to_owned(), config.display().to_string()];
    let log = folder.join("edge.log");
    Server::start(&sibling("mcp-edge")?, &arguments, &[spec::VARIABLE], cores, address, &log).await
}

async fn nginx(
    folder: &Path,
    threads: usize,
    cores: &Cores,
    upstream: SocketAddr,
) -> Result<Option<Server>, Failure> {
    let program = Path::new("nginx");
    if Command::new(program).arg("-v").stderr(Stdio::null()).status().is_err() {
        return Ok(None);
    }
    let address = free_address()?;
    let config = folder.join("nginx.conf");
    std::fs::write(&config, nginx_config(folder, threads, address, upstream))?;
    let arguments = ["-c", &config.display().to_string(), "-e", "stderr"].map(str::to_owned);
    Server::start(program, &arguments, &[], cores, address, &folder.join("nginx.log")).await.map(Some)
}

/// Connections are kept on both sides, nothing is logged, nothing goes through the disk.
fn nginx_config(folder: &Path, threads: usize, address: SocketAddr, upstream: SocketAddr) -> String {
    let folder = folder.display();
    format!(
        "daemon off;
worker_processes {threads};
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  sendfile on;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  open_file_cache max=16;
  upstream up {{
    server {upstream};
    keepalive 1024;
    keepalive_requests 1000000000;
  }}
  server {{
    listen {address} reuseport;
    location / {{
      proxy_pass http://up;
      proxy_http_version 1.1;
      proxy_set_header Connection \"\";
      proxy_max_temp_file_size 0;
    }}
    location = /{FILE} {{
      root {folder};
      default_type application/json;
    }}
  }}
}}
"
    )
}
