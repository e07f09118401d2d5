//! The tutorial is true: its files and commands, one after the other in an empty folder, up to the served tool.
//!
//! Only the API is ours, and the ports are free ones.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what fails here fails the test")]

use mcpc_tests::{Client, Upstream, binary, json, post, start};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const PAGE: &str = include_str!("../../docs/TUTORIAL.md");
const ANSWER: &str =
    r#"{"numFound":1,"docs":[{"title":"Dune","author_name":["Frank Herbert"],"first_publish_year":1965}]}"#;

/// A block of the page: its language and its text.
fn blocks() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGE.split("\n```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap())
}

/// The words of a command; single quotes keep spaces together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, piece) in command.split('\'').enumerate() {
        let parts: Vec<&str> = if index % 2 == 1 { vec![piece] } else { piece.split(' ').collect() };
        let mut parts = parts.into_iter();
        words.last_mut().unwrap().push_str(parts.next().unwrap_or_default());
        words.extend(parts.map(str::to_owned));
    }
    words.retain(|word| !word.is_empty());
    words
}

fn run(folder: &Path, command: &str) -> String {
    let words = words(command);
    assert_eq!(words[0], "mcpc", "only `mcpc` runs in console blocks");
    let output = Command::new(binary("mcpc")).current_dir(folder).args(&words[1..]).output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// `[..]` stands for anything within a line.
fn is_as_said(said: &str, actual: &str) -> bool {
    let (said, actual): (Vec<&str>, Vec<&str>) =
        (said.trim().lines().collect(), actual.trim().lines().collect());
    let line = |(said, actual): (&&str, &&str)| match said.split_once("[..]") {
        None => said.trim_end() == actual.trim_end(),
        Some((before, after)) => actual.starts_with(before) && actual.ends_with(after),
    };
    said.len() == actual.len() && said.iter().zip(&actual).all(line)
}

#[test]
fn the_tutorial_leads_to_a_served_tool() {
    let (folder, upstream) = (tempfile::tempdir().unwrap(), Upstream::start());
    let (mut commands, mut curl) = (0, None);
    for (language, text) in blocks() {
        match language {
            "toml" => {
                let name = text.lines().next().unwrap().strip_prefix("# ").unwrap();
                std::fs::write(folder.path().join(name), text).unwrap();
            }
            "console" => {
                for step in text.split("$ ").skip(1) {
                    let (command, said) = step.split_once('\n').unwrap();
                    let actual = run(folder.path(), command);
                    assert!(
                        is_as_said(said, &actual),
                        "$ {command}\n--- the page says\n{said}--- it is\n{actual}"
                    );
                    commands += 1;
                }
            }
            "sh" => curl = text.lines().find(|line| line.starts_with("curl ")).or(curl),
            other => panic!("a block of `{other}`"),
        }
    }
    assert!(commands >= 7, "{commands} commands");

    let config = folder.path().join("edge.toml");
    let text = std::fs::read_to_string(&config).unwrap().replace("127.0.0.1:8080", "127.0.0.1:0");
    let places =
        format!("admin = \"off\"\n{text}\n[upstream.library]\nurl = \"http://{}\"\n", upstream.address);
    std::fs::write(&config, places).unwrap();
    let edge = start("mcp-edge", ["--config".as_ref(), config.as_os_str()]);
    upstream.answers(json(ANSWER));
    let words = words(curl.unwrap());
    let header = |pair: &[String]| {
        let (name, value) = pair[1].split_once(": ").unwrap();
        (name.to_owned(), value.to_owned())
    };
    let headers: Vec<(String, String)> =
        words.windows(2).filter(|pair| pair[0] == "-H").map(header).collect();
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (&**name, &**value)).collect();
    let body = &words.windows(2).find(|pair| pair[0] == "-d").unwrap()[1];
    let answer = Client::connect(edge.address()).ask(post("/mcp", &headers, body));
    let text = answer.json().pointer("/result/content/0/text").and_then(Value::as_str).map(str::to_owned);
    assert_eq!(text.as_deref(), Some("1 books\n- Dune, Frank Herbert (1965)"));
    let asked = upstream.request(0).line();
    assert_eq!(asked, "GET /search.json?fields=title,author_name,first_publish_year&q=dune&limit=2 HTTP/1.1");
}
