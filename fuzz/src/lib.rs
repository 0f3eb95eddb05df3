//! The fuzz targets. Each is a function that takes any bytes, calls the code of Hearback that reads
//! them, and panics if a law is broken. `fuzz_targets` has a program for each, and `corpus` the
//! inputs that it begins with.

mod forms;
mod html;
mod images;
mod json;
mod portable;
mod tokens;

pub use forms::forms;
pub use html::{mails, rich_text};
pub use images::images;
pub use json::{bodies, cursors};
pub use portable::portable;
pub use tokens::tokens;

use hearback_app::{MasterKey, Vault};
use hearback_domain::id::OrganizationId;
use hearback_domain::{Time, Uuid};
use hearback_ports::mock::Mocks;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Lets the callers of a library catch its panics. The fuzzer ends at any panic otherwise, even if
/// it is caught: the readers of images and html2text may panic, and Hearback catches that.
///
/// A panic that nobody catches still ends the fuzzer.
pub fn let_panics_be_caught() {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
}

/// The organization of all inputs.
const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(0xacce));

/// The time at which all inputs are read, in seconds since 1970: 2026-03-01T09:30:00Z.
const NOW: i64 = 1_772_357_400;

fn now() -> Time {
    Time::from_unix_millis(NOW * 1_000).expect("a time")
}

/// Mocks of a clock that stands still and of one identifier. Nothing else is called.
fn mocks() -> Mocks {
    let mut mocks = Mocks::default();
    mocks.clock.expect_elapsed().return_const(Duration::ZERO);
    mocks.clock.expect_now().return_const(now());
    mocks.ids.expect_fresh().return_const(Uuid::from_u128(0xf0f));
    mocks
}

fn vault() -> Vault {
    Vault::new(&MasterKey::parse(&"5a".repeat(32)).expect("a master key"))
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));
    RUNTIME.block_on(work)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    fn replay(target: &str, run: fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
        let mut files = fs::read_dir(&folder).expect("a corpus").peekable();
        assert!(files.peek().is_some(), "{target} has no input");
        for file in files {
            let path = file.expect("an entry").path();
            // The output of a test that fails has the input.
            println!("{}", path.display());
            run(&fs::read(path).expect("an input"));
        }
    }

    macro_rules! replays {
        ($($target:ident)+) => {
            $(#[test]
            fn $target() {
                replay(stringify!($target), super::$target);
            })+
        };
    }

    replays! { bodies cursors forms images mails portable rich_text tokens }
}
