//! `hapax manual`: the pages for `man`.

use super::{failure::Failure, output::print};
use clap::{Args, Command};
use hapax::files::{make_folder, write_whole};
use std::path::PathBuf;

/// Write the manual pages: one for hapax, and one for each verb and training method.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  hapax manual ~/.local/share/man/man1     (then man hapax-train-ovr)")]
pub struct Manual {
    /// The folder to write them to; it is made if it is not there
    folder: PathBuf,
}

impl Manual {
    /// Writes the pages of this command, with all options of each method.
    pub fn run(self, mut command: Command) -> Result<(), Failure> {
        make_folder(&self.folder)?;
        command = command.disable_help_subcommand(true);
        command.build();
        let mut pages = 0;
        self.write(&command, &mut pages)?;
        print(format_args!(
            "{pages} pages written to {}",
            self.folder.display()
        ))
    }

    /// Writes the page of a command, then those of its subcommands.
    fn write(&self, command: &Command, pages: &mut usize) -> Result<(), Failure> {
        let page = clap_mangen::Man::new(command.clone());
        let mut bytes = Vec::new();
        page.render(&mut bytes)?;
        write_whole(&self.folder.join(page.get_filename()), &bytes)?;
        *pages += 1;
        command
            .get_subcommands()
            .filter(|part| !part.is_hide_set())
            .try_for_each(|part| self.write(part, pages))
    }
}
