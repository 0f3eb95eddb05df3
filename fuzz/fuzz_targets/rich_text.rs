//! Runs [`hearback_fuzz::rich_text`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data| hearback_fuzz::rich_text(data));
