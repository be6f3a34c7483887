//! What the work cost: seconds, processor seconds, memory.

use cpu_time::ProcessTime;
use std::time::Instant;

/// Measures a piece of work from its making on.
pub struct Stopwatch {
    wall: Instant,
    cpu: ProcessTime,
}

impl Stopwatch {
    pub fn start() -> Self {
        Self {
            wall: Instant::now(),
            cpu: ProcessTime::now(),
        }
    }

    /// Seconds by the clock.
    pub fn seconds(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    /// Seconds of all processors together.
    pub fn cpu_seconds(&self) -> f64 {
        self.cpu.elapsed().as_secs_f64()
    }
}

/// The most memory this process has held so far, where the system says (Linux).
pub fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
