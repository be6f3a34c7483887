//! Who is at which part: files that say so as long as their worker lives.
//!
//! A claim saves work, nothing more: if two workers are at one part they write the same bytes. A
//! worker touches its claim every few seconds. One that has not been touched for half a minute, by
//! the clock of who is looking, is void, and so is one of a process of this machine that is gone.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::{JoinHandle, spawn},
    time::{Duration, Instant, SystemTime},
};

/// How often a claim is touched.
const TOUCH: Duration = Duration::from_secs(5);

/// After how long without a touch a claim is void.
const VOID: Duration = Duration::from_secs(30);

/// A part that this process is at; given up when dropped.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    stop: Option<Sender<()>>,
    toucher: Option<JoinHandle<()>>,
}

/// What was seen of the claims of others.
#[derive(Debug, Default)]
pub struct Seen(HashMap<PathBuf, (Option<SystemTime>, Instant)>);

/// This machine and process, as a claim names them.
fn own_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let (host, boot) = (host.trim(), boot.trim());
    // Process numbers mean something within one name space only.
    let space = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{host} {boot} {} {}", space.display(), std::process::id())
}

/// Whether a claim is of a process of this machine that is gone.
fn is_gone(path: &Path) -> bool {
    let Ok(name) = std::fs::read_to_string(path) else {
        return false;
    };
    let own = own_name();
    match (name.rsplit_once(' '), own.rsplit_once(' ')) {
        (Some((there, process)), Some((here, _))) => {
            there == here
                && process.parse::<u32>().is_ok()
                && Path::new("/proc/self").exists()
                && !Path::new("/proc").join(process).exists()
        }
        _ => false,
    }
}

impl Seen {
    /// Claims what `path` names, unless somebody alive has. Void claims are taken over.
    pub fn claim(&mut self, path: &Path) -> Option<Claim> {
        let path = path.with_extension("claim");
        if let Some(claim) = Claim::new(&path) {
            return Some(claim);
        }
        let touched = std::fs::metadata(&path)
            .and_then(|data| data.modified())
            .ok();
        let now = Instant::now();
        let (last, since) = self.0.entry(path.clone()).or_insert((touched, now));
        if *last != touched {
            (*last, *since) = (touched, now);
        }
        if since.elapsed() < VOID && !is_gone(&path) {
            return None;
        }
        let _ = std::fs::remove_file(&path);
        Claim::new(&path)
    }
}

impl Claim {
    fn new(path: &Path) -> Option<Self> {
        let opened = OpenOptions::new().write(true).create_new(true).open(path);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return None,
            // Where no claim can be written the part is done without one.
            Err(_) => {
                return Some(Self {
                    path: path.to_owned(),
                    stop: None,
                    toucher: None,
                });
            }
        };
        let _ = file.write_all(own_name().as_bytes());
        let (stop, stopped) = channel();
        let toucher = spawn(move || {
            while stopped.recv_timeout(TOUCH) == Err(RecvTimeoutError::Timeout) {
                touch(&file);
            }
        });
        Some(Self {
            path: path.to_owned(),
            stop: Some(stop),
            toucher: Some(toucher),
        })
    }
}

fn touch(file: &File) {
    let _ = file.set_modified(SystemTime::now());
}

impl Drop for Claim {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(toucher) = self.toucher.take() {
            let _ = toucher.join();
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Seen, own_name};

    #[test]
    fn a_claim_keeps_others_off_until_it_is_given_up_or_its_process_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join("part");
        let (mut first, mut second) = (Seen::default(), Seen::default());
        let claim = first.claim(&part).unwrap();
        assert!(second.claim(&part).is_none());
        drop(claim);
        drop(second.claim(&part).unwrap());
        assert!(!part.with_extension("claim").exists());
        if cfg!(target_os = "linux") {
            // No process has this number: it is beyond the largest there can be.
            let own = own_name();
            let gone = format!("{} 4194305", own.rsplit_once(' ').unwrap().0);
            std::fs::write(part.with_extension("claim"), gone).unwrap();
            assert!(first.claim(&part).is_some());
        }
        std::fs::write(part.with_extension("claim"), "another machine 17").unwrap();
        assert!(first.claim(&part).is_none());
    }
}
