//! `hearback config`

use crate::config::Reading;
use crate::error::Error;
use crate::output::print;
use crate::settings::{self, AnySetting};

/// Prints all settings, and fails if one is wrong.
pub(crate) fn run() -> Result<(), Error> {
    let reading = Reading::new(|name| std::env::var_os(name));
    print(&settings::ALL.iter().map(|setting| line(*setting, &reading)).collect::<String>())?;
    if reading.faults.is_empty() { Ok(()) } else { Err(Error::Settings(reading.faults)) }
}

fn line(setting: &dyn AnySetting, reading: &Reading) -> String {
    let name = setting.name();
    let value =
        if reading.is_wrong(name) { WRONG.to_owned() } else { setting.show(&reading.config) };
    // A path may have any characters, but a line is one setting, a tab ends a column, and a
    // terminal obeys escapes.
    let column = |text: String| text.replace(char::is_control, " ");
    format!("{name}\t{}\t{}\n", column(value), column(reading.origin(name).to_string()))
}

/// The sign of a wrong value. The error says what is wrong.
const WRONG: &str = "(wrong)";
