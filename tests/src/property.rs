//! Property tests of asynchronous code.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use std::fmt::Debug;

/// Runs `test` on `cases` generated values. On failure, searches the smallest value that fails.
///
/// It must be called inside [`crate::system::block_on`], on the thread that runs the test.
pub fn for_all<S>(cases: u32, values: S, test: impl AsyncFn(S::Value))
where
    S: Strategy,
    S::Value: Debug,
{
    let config =
        Config { cases, max_shrink_iters: 500, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let outcome = tokio::task::block_in_place(|| {
        runner.run(&values, |value| {
            tokio::runtime::Handle::current().block_on(test(value));
            Ok::<(), TestCaseError>(())
        })
    });
    if let Err(TestError::Fail(reason, value)) = outcome {
        panic!("{reason} for {value:#?}");
    }
    outcome.expect("the values are generated");
}
