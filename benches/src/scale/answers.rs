//! Long answers, one and several at once: what they cost and how often they are in memory.

use super::client::{Client, call};
use super::edge::{Edge, Settings};
use super::figures::Table;
use super::place::{Place, answer_tool};
use super::round::{self, Questions};
use super::upstream::Length;
use crate::AnyError;
use std::time::Duration;

const IN_FLIGHT: [usize; 3] = [1, 8, 32];
/// The edge gives memory back every other second, when it was free for one.
const SETTLE: Duration = Duration::from_secs(4);
const ARGUMENTS: &str = "{\"id\":\"user 42\"}";
const TABLES: &str = "[limits]\nresponse_body = \"16MiB\"\nresult_text = \"16MiB\"\n";
/// The generator reads long answers in large pieces.
const BUFFER: usize = 256 << 10;

pub async fn run(place: &Place) -> Result<String, AnyError> {
    let bundle = place.answers().await?;
    let mut table = Table::new(&[
        "answer",
        "calls in flight",
        "RPS",
        "MiB/s",
        "CPU ms a call",
        "CPU ms per MiB",
        "peak MiB",
        "copies",
        "MiB afterwards",
    ]);
    let short = vec![call(&answer_tool(Length::Kib10), ARGUMENTS)];
    for length in Length::ALL {
        if place.quick && length == Length::Mib10 {
            continue;
        }
        // Many long answers take their time.
        let time = place.round_time() * if length == Length::Mib10 { 4 } else { 1 };
        let mib = length.body().len() as f64 / f64::from(1 << 20);
        let request = call(&answer_tool(length), ARGUMENTS);
        for in_flight in IN_FLIGHT {
            let settings =
                Settings { bundle: &bundle, threads: Some(1), tables: TABLES, cores: Some(&place.tested) };
            let (edge, first) = Edge::start(place, settings).await?;
            let before = edge.process.memory()?.resident_kib;
            let mut first = first.with_buffer(BUFFER);
            let questions = Questions::learn(&mut first, vec![request.clone()]).await?;
            let mut clients = vec![first];
            while clients.len() < in_flight {
                clients.push(Client::open(edge.address).await?.with_buffer(BUFFER));
            }
            let measured = round::run(&mut clients, &questions, &edge.process, in_flight, time).await?;
            let memory = edge.process.memory()?;
            let mut client = Client::open(edge.address).await?;
            let questions = Questions::learn(&mut client, short.clone()).await?;
            clients = vec![client];
            round::run(&mut clients, &questions, &edge.process, 1, SETTLE).await?;
            let idle = edge.process.memory()?.resident_kib;
            let copies = (memory.peak_kib - before) / 1024.0 / (mib * in_flight as f64);
            let cpu = measured.cpu / 1e3;
            table.row([
                length.name().to_owned(),
                in_flight.to_string(),
                format!("{:.0}", measured.rate),
                format!("{:.0}", measured.rate * mib),
                format!("{cpu:.3}"),
                format!("{:.2}", cpu / mib),
                format!("{:.1}", memory.peak_kib / 1024.0),
                format!("{copies:.1}"),
                format!("{:.1}", idle / 1024.0),
            ]);
        }
    }
    Ok(format!(
        "## Long answers\n\n\
         A JSON list that is handed on as text, which escapes its quotes and makes it a sixth longer. A fresh process with one thread for each row. \
         `copies` is how often an answer was in memory at the worst moment: (peak − memory before the first call) ÷ (length \
         × calls in flight). Of short answers it shows what a connection and the buffers of a call need, of long ones the copies. Afterwards: when all connections are closed and short calls were made for some seconds, \
         since memory is given back with a delay.\n\n\
         {table}"
    ))
}
