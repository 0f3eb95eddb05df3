//! Runs [`hearback_fuzz::images`].

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: hearback_fuzz::let_panics_be_caught(),
    |data| hearback_fuzz::images(data)
);
