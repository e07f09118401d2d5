//! An MCP server that is a program: what the edge adds to a call, when there is one at a time.

use super::client::call;
use super::edge::{Edge, Settings};
use super::figures::{Table, bar, median, quantile, quartiles, ratios};
use super::place::{Place, own_step};
use super::round::{self, Questions};
use super::turns;
use crate::AnyError;
use crate::load::size::Size;
use crate::load::spec;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

const NAME: &str = "records";
const STEP: &str = "program";
const TIME: Duration = Duration::from_millis(125);
const BAR_MICROSECONDS: f64 = 60.0;

/// The same program, over a pipe of our own.
struct Program {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
    /// Killed when dropped.
    _child: Child,
}

pub async fn run(place: &Place) -> Result<String, AnyError> {
    let bundle = place.program(NAME)?;
    let program = std::env::current_exe()?;
    let tables = format!("[stdio.{NAME}]\ncommand = '{}'\nargs = [\"{STEP}\"]\n", program.display());
    let request = call(&format!("{NAME}_{}", spec::raw_tool(Size::Small)), r#"{"id":"user 42"}"#);
    let (mut through, mut direct, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..place.rounds(turns::STARTS) {
        let settings = Settings { bundle: &bundle, threads: Some(1), tables: &tables, cores: None };
        let (edge, mut client) = Edge::start(place, settings).await?;
        let questions = Questions::learn(&mut client, vec![request.clone()]).await?;
        let mut clients = vec![client];
        let mut program = Program::start()?;
        for _ in 0..place.rounds(turns::ROUNDS) {
            let measured = round::run(&mut clients, &questions, &edge.process, 1, TIME).await?;
            through.push(measured.p50);
            cpu.push(measured.cpu);
            direct.push(program.turn().await?);
        }
    }
    let added: Vec<f64> = through.iter().zip(&direct).map(|(through, direct)| through - direct).collect();
    let mut table = Table::new(&["way", "p50 µs", "÷ pipe", "CPU µs of the edge"]);
    table.row(["a pipe to the program".to_owned(), quartiles(&direct, 1), String::new(), String::new()]);
    let ratio = quartiles(&ratios(&through, &direct), 2);
    table.row(["through the edge".to_owned(), quartiles(&through, 1), ratio, quartiles(&cpu, 1)]);
    table.row(["added".to_owned(), quartiles(&added, 1), String::new(), String::new()]);
    Ok(format!(
        "## Calls of an MCP server that is a program\n\n\
         One `tools/call` at a time with a result of about 300 bytes, over one connection to `mcp-edge` and over a pipe to the \
         same program. What is added has the client's connection in it. Turns of an eighth of a second, in turn, on any core. \
         Median and quartiles.\n\n{table}\n{}",
        bar("p50 through the edge − over a pipe", " µs", median(&added), BAR_MICROSECONDS)
    ))
}

impl Program {
    fn start() -> Result<Program, AnyError> {
        let mut command = Command::from(own_step());
        let command = command.arg(STEP).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let input = child.stdin.take().ok_or("the program has no input")?;
        let output = child.stdout.take().ok_or("the program has no output")?;
        Ok(Program { input, output: BufReader::new(output), line: Vec::new(), _child: child })
    }

    /// The median of a turn's calls, in microseconds.
    async fn turn(&mut self) -> Result<f64, AnyError> {
        let tool = spec::raw_tool(Size::Small);
        let request = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{{\"id\":\"user 42\"}}}},\"id\":1}}\n"
        );
        let (begin, mut nanoseconds) = (Instant::now(), Vec::new());
        while begin.elapsed() < TIME {
            let asked = Instant::now();
            self.input.write_all(request.as_bytes()).await?;
            self.line.clear();
            if self.output.read_until(b'\n', &mut self.line).await? == 0 {
                return Err("the program has ended".into());
            }
            nanoseconds.push(u64::try_from(asked.elapsed().as_nanos())?);
        }
        nanoseconds.sort_unstable();
        Ok(quantile(&nanoseconds, 0.50) / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::bundles;
    use mcp_bundle::format::{self, Trust};

    #[test]
    fn the_called_tool_is_in_the_bundle() {
        let bytes = bundles::program(NAME).expect("a clean spec");
        let bundle = format::read(&bytes, &Trust::Any).expect("a sound bundle");
        assert!(bundle.contents.tool(&format!("{NAME}_{}", spec::raw_tool(Size::Small))).is_some());
    }
}
