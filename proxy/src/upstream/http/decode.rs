//! The body of an answer: decompressed as it arrives, never larger than the call takes.

use super::answer::Wanted;
use super::events::Events;
use crate::limits::budget::{Budget, FREE, NoRoom, Share};
use crate::runtime::buffers;
use crate::upstream::{Exchange, UpstreamError};
use brotli::enc::StandardAlloc;
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};
use flate2::write::MultiGzDecoder;
use std::io::Write;
use std::sync::Arc;
use zstd::stream::raw::{Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};
use zstd::zstd_safe::DParameter;

/// Memory that is reserved on the word of a `content-length`. What is reserved and not written takes no memory.
const MAX_TRUST: usize = 16 << 20;
/// Gzip grows at most about a thousand times, so a step of it makes a few megabytes at most.
const GZIP_STEP: usize = 4 << 10;
const STEP_OUT: usize = 32 << 10;
/// 8 MiB: what RFC 9659 lets a server use.
const ZSTD_WINDOW_LOG: u32 = 23;

/// Fills a buffer with an answer's body.
pub(super) struct Body<'a> {
    out: &'a mut Vec<u8>,
    status: u16,
    limit: usize,
    /// Bytes as they came over the connection.
    arrived: usize,
    coding: Coding,
    scratch: Vec<u8>,
    /// What it takes of the bytes of all calls.
    held: &'a mut Share,
    budget: &'a Arc<Budget>,
    /// It is a stream of events.
    events: Option<Box<Events<'a>>>,
}

pub(super) enum Coding {
    Identity,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Brotli { state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>, ended: bool },
    Zstd { decoder: ZstdDecoder<'static>, ended: bool },
}

impl<'a> Body<'a> {
    /// `length` is what the head says; a body that is announced as too large is not read at all.
    pub fn new(
        coding: Coding,
        length: Option<u64>,
        status: u16,
        call: &Exchange<'a>,
        events: Option<Box<Events<'a>>>,
        out: &'a mut Vec<u8>,
        held: &'a mut Share,
    ) -> Result<Body<'a>, UpstreamError> {
        let (limit, budget) = (call.max_response, call.budget);
        let body = Body { out, status, limit, arrived: 0, coding, scratch: Vec::new(), held, budget, events };
        if let Some(length) = length {
            if length > limit as u64 {
                return Err(body.too_large());
            }
            if body.out.capacity() == 0 {
                *body.out = buffers::take_bytes();
            }
            body.out.reserve((length as usize).min(MAX_TRUST));
        }
        Ok(body)
    }

    /// The bytes arrive as they are wanted.
    pub fn is_plain(&self) -> bool {
        matches!(self.coding, Coding::Identity) && self.events.is_none()
    }

    /// Where a plain body of known length may be read to, without a step in between; the body itself, if there has to be
    /// room for it first.
    pub fn into_out(self, length: u64) -> Result<&'a mut Vec<u8>, Body<'a>> {
        if self.held.is_enough(usize::try_from(length).unwrap_or(usize::MAX)) {
            Ok(self.out)
        } else {
            Err(self)
        }
    }

    /// Waits for room for all of a body of known length. Bodies that have a part each and wait for the rest would be in each
    /// other's way.
    pub async fn make_room(self, length: u64) -> Result<&'a mut Vec<u8>, UpstreamError> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.held.grow(self.budget, length).await.map_err(|NoRoom| UpstreamError::NoRoom)?;
        Ok(self.out)
    }

    /// Counts what has arrived. If there is too much, nothing more is read for a while. True if the answer is here, and
    /// what follows is of no interest.
    pub async fn settle(&mut self) -> Result<bool, UpstreamError> {
        let is_answered = self.events.as_mut().is_some_and(|events| events.take(self.out));
        if self.events.is_some() {
            self.arrived = self.arrived.min(self.out.len());
            // A stream may go on for days after a long event.
            self.held.shrink(self.out.len());
            if self.out.capacity() / 4 > self.out.len().max(FREE) {
                self.out.shrink_to(FREE);
            }
        }
        if !self.held.is_enough(self.out.len()) {
            self.held.grow(self.budget, self.out.len()).await.map_err(|NoRoom| UpstreamError::NoRoom)?;
        }
        Ok(is_answered)
    }

    pub fn push(&mut self, bytes: &[u8]) -> Result<(), UpstreamError> {
        self.arrived = self.arrived.saturating_add(bytes.len());
        if self.arrived > self.limit {
            return Err(self.too_large());
        }
        match &mut self.coding {
            Coding::Identity => {
                self.out.extend_from_slice(bytes);
                Ok(())
            }
            Coding::Gzip(_) => bytes.chunks(GZIP_STEP).try_for_each(|step| self.gunzip(step)),
            Coding::Brotli { .. } => self.unbrotli(bytes),
            Coding::Zstd { .. } => self.unzstd(bytes),
        }
    }

    /// Says whether the compressed data was whole. No data at all is an empty body.
    pub fn finish(mut self) -> Result<(), UpstreamError> {
        if self.events.is_some() {
            return Err(UpstreamError::Closed);
        }
        if self.arrived == 0 {
            return Ok(());
        }
        match &mut self.coding {
            Coding::Gzip(decoder) => {
                decoder.try_finish().map_err(|_| damaged("gzip"))?;
                self.take_gzip()
            }
            Coding::Brotli { ended: false, .. } => Err(damaged("br")),
            Coding::Zstd { ended: false, .. } => Err(damaged("zstd")),
            Coding::Identity | Coding::Brotli { .. } | Coding::Zstd { .. } => Ok(()),
        }
    }

    fn gunzip(&mut self, bytes: &[u8]) -> Result<(), UpstreamError> {
        if let Coding::Gzip(decoder) = &mut self.coding {
            decoder.write_all(bytes).map_err(|_| damaged("gzip"))?;
            // It keeps the end of what it has made until more arrives, which for an event may be never.
            if self.events.is_some() {
                decoder.flush().map_err(|_| damaged("gzip"))?;
            }
        }
        self.take_gzip()
    }

    /// Moves what the decoder has made.
    fn take_gzip(&mut self) -> Result<(), UpstreamError> {
        let Coding::Gzip(decoder) = &mut self.coding else { return Ok(()) };
        let made = decoder.get_mut();
        let fits = made.len() <= self.limit.saturating_sub(self.out.len());
        if fits {
            self.out.extend_from_slice(made);
        }
        made.clear();
        if fits { Ok(()) } else { Err(self.too_large()) }
    }

    fn unbrotli(&mut self, bytes: &[u8]) -> Result<(), UpstreamError> {
        let Coding::Brotli { state, ended } = &mut self.coding else { return Ok(()) };
        self.scratch.resize(STEP_OUT, 0);
        let (mut left, mut read, mut total) = (bytes.len(), 0, 0);
        loop {
            if *ended {
                return if left == 0 { Ok(()) } else { Err(damaged("br")) };
            }
            let (mut room, mut made) = (self.scratch.len(), 0);
            let result = BrotliDecompressStream(
                &mut left,
                &mut read,
                bytes,
                &mut room,
                &mut made,
                &mut self.scratch,
                &mut total,
                state,
            );
            let piece = self.scratch.get(..made).unwrap_or_default();
            if piece.len() > self.limit.saturating_sub(self.out.len()) {
                return Err(self.too_large());
            }
            self.out.extend_from_slice(piece);
            match result {
                BrotliResult::ResultSuccess => *ended = true,
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::NeedsMoreInput => return Ok(()),
                BrotliResult::ResultFailure => return Err(damaged("br")),
            }
        }
    }

    fn unzstd(&mut self, bytes: &[u8]) -> Result<(), UpstreamError> {
        let Coding::Zstd { decoder, ended } = &mut self.coding else { return Ok(()) };
        self.scratch.resize(STEP_OUT, 0);
        let mut input = InBuffer::around(bytes);
        loop {
            let mut output = OutBuffer::around(self.scratch.as_mut_slice());
            let read_before = input.pos();
            let hint = decoder.run(&mut input, &mut output).map_err(|_| damaged("zstd"))?;
            let made = output.pos();
            // Frames may follow each other; the last one must be whole.
            if input.pos() > read_before || made > 0 {
                *ended = hint == 0;
            }
            let piece = self.scratch.get(..made).unwrap_or_default();
            if piece.len() > self.limit.saturating_sub(self.out.len()) {
                return Err(self.too_large());
            }
            self.out.extend_from_slice(piece);
            if input.pos() == bytes.len() && made < self.scratch.len() {
                return Ok(());
            }
            if input.pos() == read_before && made == 0 {
                return Err(damaged("zstd"));
            }
        }
    }

    fn too_large(&self) -> UpstreamError {
        UpstreamError::TooLarge { status: self.status, limit: self.limit }
    }
}

impl Coding {
    pub fn of(wanted: &Wanted<'_>) -> Result<Coding, UpstreamError> {
        let Some(name) = wanted.content_encoding else { return Ok(Coding::Identity) };
        if wanted.is_encoded_again {
            return Err(unknown());
        }
        let name = name.trim_ascii();
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        if name.is_empty() || is("identity") {
            Ok(Coding::Identity)
        } else if is("gzip") || is("x-gzip") {
            Ok(Coding::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))))
        } else if is("br") {
            // Strict: a large window could ask for a gigabyte.
            let state = BrotliState::new_strict(
                StandardAlloc::default(),
                StandardAlloc::default(),
                StandardAlloc::default(),
            );
            Ok(Coding::Brotli { state: Box::new(state), ended: false })
        } else if is("zstd") {
            let mut decoder = ZstdDecoder::new().map_err(|_| damaged("zstd"))?;
            decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG)).map_err(|_| damaged("zstd"))?;
            Ok(Coding::Zstd { decoder, ended: false })
        } else {
            Err(unknown())
        }
    }
}

fn damaged(coding: &str) -> UpstreamError {
    UpstreamError::Encoding(format!("the `{coding}` data is damaged or cut off"))
}

fn unknown() -> UpstreamError {
    UpstreamError::Encoding("the `content-encoding` is not one of `gzip`, `br` and `zstd`".to_owned())
}
