//! The `hearback` binary.

use std::process::ExitCode;

/// One thread frees what another one has allocated: the answer to a request, a delivery between the
/// store and its attempt. The allocator of the C library makes them wait for each other there
/// (docs/decisions/0010).
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    hearback_server::main()
}
