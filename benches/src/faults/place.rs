//! What the callers call: `mcp-edge` as it comes, and nginx as its upstream.

use crate::load::connection::{Question, ask_once};
use crate::load::cores::Cores;
use crate::load::process::{Program, Server, free_address, sibling};
use crate::scale::client::call;
use crate::{AnyError, compile};
use mcpc::check::MemoryFiles;
use rustix::process::Signal;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

const SOCKET: &str = "upgrade.sock";
const BUNDLE: &str = "tools.mcpk";
const TOOL: &str = "make_order";
const ANSWER: &str = "{\"id\":42,\"state\":\"open\"}";
/// Within which processes must get on.
const LONG: Duration = Duration::from_secs(60);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub struct Place {
    upstream: Server,
    /// Configurations and logs; removed last.
    folder: TempDir,
}

impl Place {
    pub async fn new() -> Result<Place, AnyError> {
        let folder = TempDir::new()?;
        // nginx's workers may run as another user.
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755))?;
        let address = free_address()?;
        std::fs::write(
            folder.path().join(BUNDLE),
            compile(&MemoryFiles::one("tools.toml", &spec(address)))?,
        )?;
        let config = folder.path().join("nginx.conf").display().to_string();
        std::fs::write(&config, nginx(&folder.path().display().to_string(), address))?;
        let program = Program::new("nginx", ["-c", &config, "-e", "stderr"]);
        let upstream = program.start(&Cores::any(), address, &folder.path().join("nginx.log")).await?;
        Ok(Place { upstream, folder })
    }

    /// A process with listeners of its own, or one that takes over those of the process that serves here.
    pub async fn edge(&self, taken: Option<SocketAddr>) -> Result<Server, AnyError> {
        let address = taken.map_or_else(free_address, Ok)?;
        let config = self.folder.path().join("edge.toml");
        let text = format!(
            "bundle = \"{BUNDLE}\"\nadmin = \"off\"\nupgrade_socket = \"{SOCKET}\"\n\
             [[listen]]\naddress = \"{address}\"\n"
        );
        std::fs::write(&config, text)?;
        let config = config.display().to_string();
        let more = taken.map(|_| "--upgrade".to_owned());
        let program =
            Program::new(sibling("mcp-edge")?, ["--config".to_owned(), config].into_iter().chain(more));
        program.start(&Cores::any(), address, &self.folder.path().join("edge.log")).await
    }

    /// What callers ask, with the answer that it has while nothing is disturbed.
    pub async fn question(&self, address: SocketAddr) -> Result<Question, AnyError> {
        let request = call(TOOL, "{\"customer\":\"user 42\"}");
        let (status, body) = ask_once(address, &request).await?;
        if status != 200 || !String::from_utf8_lossy(&body).contains("\\\"state\\\":\\\"open\\\"") {
            return Err(format!("wrong answer, status {status}: {}", String::from_utf8_lossy(&body)).into());
        }
        Ok(Question { address, request, status, length: body.len(), longer: 0 })
    }

    /// Waits until a process wants to take over.
    pub async fn waits_for_listeners(&self) -> Result<(), AnyError> {
        let socket = self.folder.path().join(SOCKET);
        until(|| socket.exists(), || self.log("edge.log")).await
    }

    /// Tells nginx to reload, and waits until all workers are new.
    pub async fn reload_upstream(&self) -> Result<(), AnyError> {
        let old = self.upstream.children()?;
        self.upstream.signal(Signal::HUP)?;
        let are_new = || self.upstream.children().is_ok_and(|now| !now.is_empty() && now.is_disjoint(&old));
        until(are_new, || self.log("nginx.log")).await
    }

    fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
}

async fn until(mut is_so: impl FnMut() -> bool, said: impl Fn() -> String) -> Result<(), AnyError> {
    let waiting = async {
        while !is_so() {
            sleep(PAUSE).await;
        }
    };
    Ok(timeout(LONG, waiting).await.map_err(|_| format!("a process does not get on:\n{}", said()))?)
}

/// A call that may not be made twice.
fn spec(upstream: SocketAddr) -> String {
    format!(
        "[toolset]\nname = \"orders\"\n\n[upstream.local]\nurl = \"http://{upstream}\"\n\n\
         [[tool]]\nname = \"{TOOL}\"\ndescription = \"Makes an order and returns its number and its state.\"\n\
         upstream = \"local\"\nmethod = \"POST\"\nendpoint = \"/orders\"\n\
         parameters = [{{ name = \"customer\", type = \"string\", description = \"Who orders\", required = true, \
         maxLength = 64 }}]\n\
         [[tool.examples]]\narguments = {{ customer = \"user 42\" }}\n"
    )
}

fn nginx(folder: &str, address: SocketAddr) -> String {
    format!(
        "daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen {address};
    location / {{
      default_type application/json;
      return 200 '{ANSWER}';
    }}
  }}
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spec_is_clean() {
        let files = MemoryFiles::one("tools.toml", &spec(SocketAddr::from(([127, 0, 0, 1], 9))));
        assert!(compile(&files).is_ok());
    }
}
