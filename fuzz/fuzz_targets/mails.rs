//! Runs [`hearback_fuzz::mails`].

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: hearback_fuzz::let_panics_be_caught(),
    |data| hearback_fuzz::mails(data)
);
