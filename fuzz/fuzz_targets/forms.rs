//! Runs [`hearback_fuzz::forms`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data| hearback_fuzz::forms(data));
