//! `hapax serve`: predictions over HTTP, until a signal.

use super::{
    failure::Failure,
    output::{insist, note, warn},
    table::parse_bytes,
};
use clap::Args;
use hapax::serve::{Limits, ServeError, Served, Serving};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::sleep,
    time::Duration,
};

/// Answer over HTTP.
///
/// Serves one or more models: JSON in, JSON out, one or many texts or rows a request. SIGHUP reads
/// all models again without dropping a request; SIGINT and SIGTERM end it when requests that have
/// begun have their answers.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax serve model.hapax
  curl http://127.0.0.1:8080/v1/models/model/predict --json '{\"texts\": [\"my card was stolen\"], \"k\": 2}'
  hapax serve cards=cards-2.hapax tags.hapax --listen 127.0.0.1:9000
  kill -HUP $(pidof hapax)           (after new files have taken the place of the old ones)

Addresses:
  POST /v1/models/NAME/predict      {\"texts\": [...]} or {\"rows\": [{\"indices\": [...], \"values\": [...]}]},
                                    with \"k\" and \"explain\": true for evidence
  GET  /v1/models, /v1/models/NAME  what is served
  POST /v1/projects/NAME/suggest    for Annif's backend http
  GET  /healthz, /metrics, /openapi.json

There is no TLS and no login: put a proxy in front before you open it to a network.")]
pub struct Serve {
    /// The models, each called by its file name without the ending, or NAME=FILE
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<String>,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: String,
    /// A name by which requests may call this server, beside its addresses and localhost
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// How many threads predict [default: one for each core]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// The longest body of a request
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, default_value = "8MB")]
    max_body: u64,
    /// Seconds until a request must have its answer
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// How many connections may be open; those that have been idle longest give way to new ones
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    connections: u32,
}

/// How often signals are looked for.
pub const LOOK: Duration = Duration::from_millis(50);

/// What these signals set from now on.
pub fn told_by(signals: &[i32]) -> Result<Arc<AtomicBool>, Failure> {
    let told = Arc::new(AtomicBool::new(false));
    for &signal in signals {
        flag::register(signal, Arc::clone(&told)).map_err(|error| {
            Failure::Other(format!("cannot listen for signal {signal}: {error}"))
        })?;
    }
    Ok(told)
}

impl Serve {
    pub fn run(self) -> Result<(), Failure> {
        let stop = told_by(&[SIGINT, SIGTERM])?;
        #[cfg(unix)]
        let reload = told_by(&[signal_hook::consts::SIGHUP])?;
        #[cfg(not(unix))]
        let reload = told_by(&[])?;
        let mut limits = Limits::default();
        limits.threads = self.threads;
        limits.body = usize::try_from(self.max_body).unwrap_or(usize::MAX);
        limits.bodies = limits.bodies.max(4 * limits.body);
        limits.time = Duration::from_secs(self.timeout);
        limits.connections = self.connections as usize;
        let models = self
            .models
            .iter()
            .map(|model| Served::parse(model))
            .collect();
        let serving = Serving::start(models, &self.listen, &self.allow_host, &limits)?;
        for name in serving.models() {
            insist(format_args!(
                "serving http://{}/v1/models/{name}/predict",
                serving.address()
            ));
        }
        while !stop.load(Ordering::Relaxed) {
            if reload.swap(false, Ordering::Relaxed) {
                for (name, read) in serving.reload() {
                    match read {
                        Ok(()) => note(format_args!("read {name} again")),
                        Err(error) => warn(format_args!(
                            "{name} stays as it was, as the file cannot be read: {error}"
                        )),
                    }
                }
            }
            sleep(LOOK);
        }
        note("stopping");
        serving.stop();
        Ok(())
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Threads { .. } => Self::Other(error.to_string()),
            _ => Self::Input(error.to_string()),
        }
    }
}
