//! The `hearback` binary.

use std::process::ExitCode;

/// Threads free memory that other threads have allocated: the answer to a request, a delivery
/// between the store and its attempt. With the allocator of the C library they would wait for each
/// other (docs/decisions/0010).
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    hearback_server::main()
}
