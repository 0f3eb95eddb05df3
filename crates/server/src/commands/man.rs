//! `hearback man`

use crate::cli::CommandLine;
use crate::error::Error;
use crate::output::print;
use crate::settings::ALL;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use roff::{Roff, bold, roman};
use std::io;
use std::path::Path;

/// Prints the page of the program, or writes all pages to a directory.
pub(crate) fn run(directory: Option<&Path>) -> Result<(), Error> {
    let mut program = CommandLine::command().disable_help_subcommand(true);
    // This gives the commands their whole names.
    program.build();
    let first = page(&program)? + &settings().render();
    let Some(directory) = directory else { return print(&first) };
    write(directory, &program, &first)?;
    for command in below(&program) {
        write(directory, command, &page(command)?)?;
    }
    Ok(())
}

/// All commands below one.
fn below(command: &Command) -> Vec<&Command> {
    command.get_subcommands().flat_map(|command| [vec![command], below(command)].concat()).collect()
}

fn write(directory: &Path, command: &Command, page: &str) -> Result<(), Error> {
    let path = directory.join(Man::new(command.clone()).get_filename());
    std::fs::write(&path, page).map_err(|source| Error::File { doing: "write", path, source })
}

/// The page of a command.
fn page(command: &Command) -> Result<String, Error> {
    let page = sections(command).map_err(Error::Output)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn sections(command: &Command) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone())
        .source(concat!("hearback ", env!("CARGO_PKG_VERSION")))
        .manual("Hearback");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    man.render_options_section(&mut page)?;
    Ok(page)
}

/// The section of the settings, on the page of the program.
fn settings() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["ENVIRONMENT"]);
    roff.text([
        roman("Each setting "),
        bold("NAME"),
        roman(" is given by the variable of that name, or by "),
        bold("NAME_FILE"),
        roman(" with the path of a file that has the value."),
    ]);
    for setting in ALL {
        roff.control("TP", []);
        roff.text([bold(setting.name())]);
        let (meaning, default) =
            (setting.meaning().replace('`', ""), setting.default().replace('`', ""));
        roff.text([roman(format!("{meaning} [default: {default}]"))]);
    }
    roff
}
