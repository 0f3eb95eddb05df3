//! Runs [`hearback_fuzz::cursors`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data| hearback_fuzz::cursors(data));
