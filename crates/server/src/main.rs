//! The `hearback` binary.

use std::process::ExitCode;
use tikv_jemallocator::Jemalloc;

/// What one thread allocates another one frees: a request's answer, a delivery between the store and its attempt. The C library's
/// allocator makes them wait for each other there (docs/decisions/0010).
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    hearback_server::main()
}
