//! Runs [`hearback_fuzz::bodies`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data| hearback_fuzz::bodies(data));
