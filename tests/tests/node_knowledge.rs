//! B5: the specs of `tool-specs/node_knowledge.toml` against a real PostgreSQL, behind a server that has
//! the shape of PostgREST for exactly the requests of these specs.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

use mcpc_tests::{Answer, Client, Process, binary, mcp_edge, post};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

const KEY: &str = "key-of-the-project";

/// Without pgvector, a vector is a list of numbers with the same operator.
const VECTORS: &str = "
    create function cosine_distance(a float8[], b float8[]) returns float8 language plpgsql immutable as $$
    begin
      if cardinality(a) <> cardinality(b) then
        raise exception using errcode = '22000',
          message = format('different vector dimensions %s and %s', cardinality(a), cardinality(b));
      end if;
      return 1 - (select sum(x * y) / sqrt(sum(x * x) * sum(y * y)) from unnest(a, b) as t(x, y));
    end $$;
    create operator <=> (leftarg = float8[], rightarg = float8[], function = cosine_distance);";

const ROWS: &str = r#"
    insert into node_knowledge values
      ('http_request', 'Sends one HTTP request.', '{"category":"network"}', '{1,0}', '2026-10-02T08:15:00Z'),
      ('if', 'Takes one of two branches.', default, '{0,1}', '2026-09-30T12:00:00Z'),
      ('set values', 'Sets "values".', default, '{0.6,0.8}', '2026-01-01T00:00:00Z');"#;

/// A cluster in a folder of its own, which is reached by a socket there.
struct Postgres {
    folder: tempfile::TempDir,
    psql: PathBuf,
    server: Child,
}

impl Postgres {
    /// Why there is none here, if there is none.
    fn start() -> Result<Postgres, String> {
        let [initdb, postgres, psql] = ["initdb", "postgres", "psql"].map(program);
        let (initdb, postgres, psql) = (initdb?, postgres?, psql?);
        let folder = tempfile::tempdir().unwrap();
        let user = other_user(folder.path())?;
        let data = folder.path().join("data");
        let mut init = as_user(&user, &initdb);
        init.args(["--auth=trust", "--username=knowledge", "--no-sync", "--encoding=UTF8", "--locale=C"]);
        let made = init.arg("--pgdata").arg(&data).current_dir(folder.path()).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let mut server = as_user(&user, &postgres);
        server.arg("-D").arg(&data).arg("-k").arg(folder.path()).current_dir(folder.path());
        server.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "timezone=UTC"]);
        let mut server = server.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
        let is_ready = lines.by_ref().map_while(Result::ok).any(|line| line.contains("ready to accept"));
        // What it says later must not block it.
        std::thread::spawn(move || lines.for_each(drop));
        assert!(is_ready, "PostgreSQL did not start");
        Ok(Postgres { folder, psql, server })
    }

    /// The text that a script gives, or the code and the message of its error. `values` are quoted by psql.
    fn run(&self, script: &str, values: &[(&str, &str)]) -> Result<String, (String, String)> {
        let mut psql = Command::new(&self.psql);
        psql.arg("-h").arg(self.folder.path()).args(["-U", "knowledge", "-d", "postgres", "-XqAt"]);
        psql.args(["-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose"]);
        for (name, value) in values {
            psql.arg("-v").arg(format!("{name}={value}"));
        }
        let mut psql =
            psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        psql.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        let done = psql.wait_with_output().unwrap();
        if done.status.success() {
            return Ok(String::from_utf8(done.stdout).unwrap().trim_end().to_owned());
        }
        let text = String::from_utf8(done.stderr).unwrap();
        let (_, error) = text.split_once("ERROR:  ").unwrap_or_else(|| panic!("{text}"));
        let (code, message) = error.lines().next().unwrap().split_once(": ").unwrap();
        Err((code.to_owned(), message.to_owned()))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A fast shutdown: its own children end with it.
        let _ = Command::new("kill").args(["-INT", &self.server.id().to_string()]).status();
        let _ = self.server.wait();
    }
}

fn program(name: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let folders = std::env::split_paths(&path).chain(versions.map(|entry| entry.path().join("bin")));
    let found = folders.map(|folder| folder.join(name)).find(|file| file.is_file());
    found.ok_or_else(|| format!("there is no `{name}` of PostgreSQL"))
}

/// PostgreSQL does not run as root. Then the folder is given to the user that it is installed with.
fn other_user(folder: &Path) -> Result<Option<(u32, u32)>, String> {
    let id = |arguments: &[&str]| {
        let said = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(said.stdout).ok()?.trim().parse::<u32>().ok()
    };
    if id(&["-u"]) != Some(0) {
        return Ok(None);
    }
    let user = id(&["-u", "postgres"]).zip(id(&["-g", "postgres"]));
    let (user, group) = user.ok_or("PostgreSQL does not run as root, and there is no user `postgres`")?;
    program("setpriv").map_err(|_| "PostgreSQL does not run as root, and there is no `setpriv`")?;
    std::os::unix::fs::chown(folder, Some(user), Some(group)).map_err(|error| error.to_string())?;
    Ok(Some((user, group)))
}

fn as_user(user: &Option<(u32, u32)>, program: &Path) -> Command {
    let Some((user, group)) = user else { return Command::new(program) };
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={user}"), format!("--regid={group}"), "--clear-groups".to_owned()]);
    command.arg("--").arg(program);
    command
}

/// What PostgREST would do with the requests of these specs.
struct Rest {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

impl Rest {
    fn start(postgres: Arc<Postgres>) -> Rest {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let stopping = Arc::new(AtomicBool::new(false));
        let is_stopping = Arc::clone(&stopping);
        let serving = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if is_stopping.load(Ordering::Relaxed) {
                    break;
                }
                answer(&postgres, &stream.unwrap());
            }
        });
        Rest { address, stopping, serving: Some(serving) }
    }
}

impl Drop for Rest {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        let _ = self.serving.take().map(JoinHandle::join);
    }
}

fn answer(postgres: &Postgres, mut stream: &TcpStream) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap().to_owned(), words.next().unwrap_or_default().to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let header =
        |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let mut body = vec![0; header("content-length").map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    let (status, text) =
        if header("apikey") != Some(KEY) || header("authorization") != Some(&format!("Bearer {KEY}")) {
            (401, error("PGRST301", "JWT expired"))
        } else {
            let (path, query) = target.split_once('?').unwrap_or((&target, ""));
            let done = match (method.as_str(), path) {
                ("POST", "/rest/v1/rpc/retrieve_node_knowledge") => retrieve(postgres, &body),
                ("POST", "/rest/v1/rpc/match_node_knowledge") => search(postgres, &body),
                ("GET", "/rest/v1/node_knowledge") => rows(postgres, query, header("accept-profile")),
                other => Err(("PGRST202".to_owned(), format!("{other:?} is not known"))),
            };
            match done {
                Ok(text) => (200, text),
                Err((code, message)) => (if code == "42P01" { 404 } else { 400 }, error(&code, &message)),
            }
        };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(format!("{head}{text}").as_bytes()).unwrap();
}

fn error(code: &str, message: &str) -> String {
    json!({"code": code, "details": null, "hint": null, "message": message}).to_string()
}

type Done = Result<String, (String, String)>;

fn retrieve(postgres: &Postgres, body: &str) -> Done {
    let script =
        "select retrieve_node_knowledge(node_names => a.node_names, include_metadata => a.include_metadata)
        from json_to_record(:'body') as a(node_names text[], include_metadata boolean);";
    postgres.run(script, &[("body", body)])
}

fn search(postgres: &Postgres, body: &str) -> Done {
    let script = "select coalesce(json_agg(found), '[]')
        from json_to_record(:'body') as a(query_embedding float8[], match_threshold float8, match_count int),
          match_node_knowledge(a.query_embedding, a.match_threshold, a.match_count) as found;";
    postgres.run(script, &[("body", body)])
}

/// `select`, `order`, `limit`, `offset` and filters, as PostgREST reads them.
fn rows(postgres: &Postgres, query: &str, schema: Option<&str>) -> Done {
    let (mut columns, mut order) = (String::new(), String::new());
    let (mut limit, mut offset) = (0_i64, 0_i64);
    let mut filters = Vec::new();
    let mut values = Vec::new();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap();
        let value = decoded(value);
        match name {
            "select" => columns = value.split(',').map(identifier).collect::<Vec<_>>().join(", "),
            "order" => order = value.split('.').map(identifier).collect::<Vec<_>>().join(" "),
            "limit" => limit = value.parse().unwrap(),
            "offset" => offset = value.parse().unwrap(),
            column => {
                let (operator, operand) = value.split_once('.').unwrap();
                let (operator, operand) = match operator {
                    "eq" => ("=", operand.to_owned()),
                    "gte" => (">=", operand.to_owned()),
                    "ilike" => ("ilike", operand.replace('*', "%")),
                    "in" => ("= any", operand.replace('(', "{").replace(')', "}")),
                    other => panic!("no test uses `{other}`"),
                };
                let name = format!("v{}", values.len());
                let cast = match (operator, column) {
                    ("= any", _) => "(:'NAME'::text[])",
                    (_, "updated_at") => ":'NAME'::timestamptz",
                    _ => ":'NAME'",
                };
                filters.push(format!(
                    "and {} {operator} {}",
                    identifier(column),
                    cast.replace("NAME", &name)
                ));
                values.push((name, operand));
            }
        }
    }
    let schema = identifier(schema.unwrap());
    let script = format!(
        "select coalesce(json_agg(r), '[]') from (select {columns} from {schema}.node_knowledge
         where true {} order by {order} limit {limit} offset {offset}) r;",
        filters.join(" ")
    );
    let values: Vec<(&str, &str)> =
        values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    postgres.run(&script, &values)
}

/// A name of SQL, which nothing else can be taken for.
fn identifier(name: &str) -> String {
    assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
    name.to_owned()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).unwrap()
}

/// The statements in the comment at the top of the spec.
fn schema() -> String {
    let spec = std::fs::read_to_string(spec_file()).unwrap();
    let comment =
        spec.lines().take_while(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
    let text: Vec<&str> = comment.skip_while(|line| !line.contains("create table")).collect();
    text.join("\n").replace("vector(384)", "float8[]")
}

fn spec_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("tool-specs/node_knowledge.toml")
}

/// An edge that serves the real specs, with the place and the key of this test.
fn edge(folder: &Path, rest: SocketAddr, key: &str) -> Process {
    use std::os::unix::fs::PermissionsExt;
    let bundle = folder.join("tools.mcpk");
    let built =
        Command::new(binary("mcpc")).arg("build").arg(spec_file()).arg("-o").arg(&bundle).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let secrets = folder.join("secrets.env");
    let values = format!("NODE_KNOWLEDGE_SUPABASE_URL=http://{rest}\nNODE_KNOWLEDGE_SUPABASE_KEY={key}\n");
    std::fs::write(&secrets, values).unwrap();
    std::fs::set_permissions(&secrets, std::fs::Permissions::from_mode(0o600)).unwrap();
    let config = folder.join("edge.toml");
    std::fs::write(&config, "bundle = \"tools.mcpk\"\nsecrets = \"secrets.env\"\n").unwrap();
    let config = config.display().to_string();
    mcp_edge(["--config", &config, "--listen", "127.0.0.1:0", "--admin", "off"])
}

fn invoke(edge: &Process, tool: &str, params: Value) -> Answer {
    let body = json!({"tool_name": tool, "params": params}).to_string();
    Client::connect(edge.address()).ask(post("/mcp/invoke", &[], body))
}

#[test]
fn b5_the_specs_work_on_a_real_postgresql() {
    let postgres = match Postgres::start() {
        Ok(postgres) => Arc::new(postgres),
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    postgres.run(&format!("{VECTORS}\n{}\n{ROWS}", schema()), &[]).unwrap();
    let rest = Rest::start(Arc::clone(&postgres));
    let folder = tempfile::tempdir().unwrap();
    let edge = edge(folder.path(), rest.address, KEY);
    let good = |tool: &str, params: Value| {
        let answer = invoke(&edge, tool, params);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    };

    let names = json!({"node_names": ["if", "http_request", "no such node"], "include_metadata": true});
    let found = good("node_knowledge_retriever", names);
    assert!(found["processing_time_ms"].is_u64(), "{found}");
    let expected = json!({"total_nodes": 2, "results": [
        {"node_name": "http_request", "knowledge": "Sends one HTTP request.",
         "metadata": {"category": "network"}, "similarity_score": null},
        {"node_name": "if", "knowledge": "Takes one of two branches.", "metadata": {}, "similarity_score": null},
    ]});
    assert_eq!(found["result"], expected);
    let bare = good("node_knowledge_retriever", json!({"node_names": ["http_request"]}));
    assert_eq!(bare["result"]["results"][0]["metadata"], json!({}), "left out unless it is asked for");

    let names = |result: &Value| -> Vec<String> {
        let rows = result.as_array().unwrap().iter();
        rows.map(|row| row["node_name"].as_str().unwrap().to_owned()).collect()
    };
    let similar = good("node_knowledge_search", json!({"query_embedding": [1, 0]}))["result"].clone();
    assert_eq!(names(&similar), ["http_request", "set values"], "the threshold is 0.3: {similar}");
    assert_eq!(similar[0]["similarity_score"], json!(1));
    let close = json!({"query_embedding": [1, 0], "match_threshold": 0.9, "match_count": 5});
    assert_eq!(names(&good("node_knowledge_search", close)["result"]), ["http_request"]);

    let text = |params: Value| {
        let answer = good("node_knowledge_query", params);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    assert_eq!(names(&text(json!({}))), ["http_request", "if", "set values"]);
    let filtered = text(json!({"name_filter": "in.(if,\"set values\")", "order": "updated_at.desc"}));
    let expected = json!([
        {"node_name": "if", "updated_at": "2026-09-30T12:00:00+00:00"},
        {"node_name": "set values", "updated_at": "2026-01-01T00:00:00+00:00"},
    ]);
    assert_eq!(filtered, expected);
    let changed =
        json!({"columns": ["node_name"], "name_filter": "ilike.*t*", "changed_filter": "gte.2026-09-01"});
    assert_eq!(text(changed), json!([{"node_name": "http_request"}]));
    assert_eq!(names(&text(json!({"limit": 1, "offset": 1}))), ["if"]);

    let wrong = invoke(&edge, "node_knowledge_search", json!({"query_embedding": [1]}));
    assert_eq!(
        (wrong.status, &wrong.json()["error_type"]),
        (500, &json!("DATABASE_ERROR")),
        "{}",
        wrong.body
    );
    assert!(wrong.body.contains("different vector dimensions 2 and 1"), "{}", wrong.body);
    let missing = invoke(&edge, "node_knowledge_query", json!({"schema": "staging"}));
    assert_eq!(missing.json()["error_type"], "DATABASE_ERROR", "{}", missing.body);
    // An injection is a name like any other.
    let hostile =
        good("node_knowledge_retriever", json!({"node_names": ["'; drop table node_knowledge; --"]}));
    assert_eq!(hostile["result"]["total_nodes"], 0);
    assert_eq!(text(json!({})).as_array().map(Vec::len), Some(3));

    let other = tempfile::tempdir().unwrap();
    let stranger = self::edge(other.path(), rest.address, "wrong-key");
    let refused = invoke(&stranger, "node_knowledge_retriever", json!({"node_names": ["if"]}));
    assert!(refused.body.contains("JWT expired"), "{}", refused.body);
}
