//! Runs [`hearback_fuzz::portable`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data| hearback_fuzz::portable(data));
