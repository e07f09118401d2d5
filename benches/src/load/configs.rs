//! The configurations of the servers that have one.

use super::servers::{AUDIT, BUNDLE, CREDENTIALS, FILE, Role};
use crate::credentials;
use std::net::SocketAddr;
use std::path::Path;

/// `mcp-edge` as it comes, but for the limits that 1 MiB of text in a result needs, and what the variants are about.
pub fn edge(role: Role, threads: u16, address: SocketAddr, admin: SocketAddr) -> String {
    let off = || "off".to_owned();
    let (admin, metrics, tables) = match role {
        Role::EdgeOff => (off(), "metrics = false\n", "[log]\nlevel = \"error\"\n".to_owned()),
        Role::EdgeAuth => (off(), "", credentials::auth(CREDENTIALS, false)),
        Role::EdgeOn => {
            let auth = credentials::auth(CREDENTIALS, true);
            let tables =
                format!("{auth}[audit]\nfile = \"{AUDIT}\"\n[log]\nlevel = \"info\"\nformat = \"json\"\n");
            (admin.to_string(), "", tables)
        }
        _ => (off(), "", String::new()),
    };
    format!(
        "bundle = \"{BUNDLE}\"\nthreads = {threads}\nadmin = \"{admin}\"\n{metrics}\
         [[listen]]\naddress = \"{address}\"\n{tables}\
         [limits]\nresult_text = \"4MiB\"\ntemplate_output = \"4MiB\"\n"
    )
}

/// Connections are kept on both sides, nothing is logged, nothing goes through the disk.
pub fn nginx(folder: &Path, threads: u16, address: SocketAddr, upstream: SocketAddr) -> String {
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
