//! Runs [`hearback_fuzz::tokens`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data| hearback_fuzz::tokens(data));
