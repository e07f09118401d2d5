//! Leases over a simulated store and simulated time; the real store is in `tests/tests/edge_shared.rs`.

mod keeper;
mod model;
mod places;
mod rates;
