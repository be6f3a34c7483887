//! A folder of its own for each test, and the command run in it.

use serde_json::Value;
use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

/// Texts with labels in columns.
pub const QUESTIONS: &str = "\
where is my new card\tarrival
my card has not arrived yet\tarrival
how long until the card arrives\tarrival
i lost my card on the train\tlost
my card is lost or stolen\tlost stolen
somebody stole my card\tstolen
which exchange rate do you use\texchange
is the exchange rate fair today\texchange
";

/// The same task as rows: two kinds of rows, told apart by their features.
pub const ROWS: &str = "\
4 4 3
0 0:1 1:0.5
0,2 0:0.9 1:0.6
1 2:1 3:0.25
1 2:0.8 3:0.3
";

/// A folder that is gone when the test is over.
pub struct Folder(TempDir);

/// How the command ended and what it said.
#[derive(Debug)]
pub struct Ran {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names of all files, in order.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The command with these arguments, separated by spaces.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hapax"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The fingerprint of the rows and labels that a model was trained on.
    #[track_caller]
    pub fn trained_on(&self, model: &str) -> Value {
        let told = self.run(&format!("inspect {model} --json")).json();
        let told = told["facts"]["data fingerprint"].clone();
        assert!(told.is_string());
        told
    }

    pub fn run(&self, arguments: &str) -> Ran {
        finish(self.command(arguments).spawn().unwrap())
    }

    pub fn run_on(&self, arguments: &str, input: &str) -> Ran {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        let writer = std::thread::spawn(move || {
            // Who refuses its input early closes the pipe.
            let _ = stdin.write_all(input.as_bytes());
        });
        let ran = finish(child);
        writer.join().unwrap();
        ran
    }
}

/// Waits for the end.
pub fn finish(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    Ran {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ran {
    /// The standard output of a run that must have gone well.
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!(self.status, Some(0), "{self:?}");
        self.out
    }

    /// The one JSON object that a run that went well printed.
    #[track_caller]
    pub fn json(self) -> Value {
        let out = self.good();
        let object: Value = serde_json::from_str(&out).unwrap();
        assert!(object.is_object(), "{out}");
        assert_eq!(out.trim_end().lines().count(), 1, "{out}");
        object
    }

    /// Nothing printed, status 2, and this one line of reason.
    #[track_caller]
    pub fn refused(self, message: &str) {
        assert_eq!(self.err, format!("hapax: {message}\n"));
        assert_eq!((self.status, self.out.as_str()), (Some(2), ""));
    }

    /// Nothing printed, status 2, and this among the reasons in the last line; what was said before
    /// may be of memory.
    #[track_caller]
    pub fn refused_for(self, reason: &str) {
        assert_eq!((self.status, self.out.as_str()), (Some(2), ""), "{self:?}");
        let last = self.err.lines().next_back().unwrap();
        assert!(
            last.starts_with("hapax: ") && last.contains(reason),
            "{last}"
        );
    }
}

/// A folder with `train.tsv` and the model `m` that it makes.
pub fn with_text_model() -> Folder {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder
        .run("train nearest train.tsv -o m --min-documents 1 --neighbors 3")
        .good();
    folder
}

/// A folder with `rows.txt` and the model `m` that it makes.
pub fn with_row_model() -> Folder {
    let folder = Folder::new();
    folder.write("rows.txt", ROWS);
    folder
        .run("train nearest rows.txt -o m --neighbors 2")
        .good();
    folder
}
