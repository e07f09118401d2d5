//! The upstream of load comparisons, as a process: `upstream ADDRESS THREADS`.

use mcpc_benches::AnyError;
use mcpc_benches::load::upstream::{pages, serve};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

fn main() -> Result<(), AnyError> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(threads), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("usage: upstream ADDRESS THREADS".into());
    };
    let listener = TcpListener::bind(address.parse::<SocketAddr>()?)?;
    let pages = pages();
    let mut running = Vec::new();
    for _ in 0..threads.parse::<usize>()? {
        let (listener, pages) = (listener.try_clone()?, Arc::clone(&pages));
        running.push(std::thread::spawn(move || serve(listener, &pages)));
    }
    for thread in running {
        thread.join().map_err(|_| "a thread ended by a panic")??;
    }
    Ok(())
}
