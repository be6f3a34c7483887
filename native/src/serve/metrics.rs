//! Counters of what the server does, in the text format of Prometheus (OpenMetrics).

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answered {
    route: String,
    status: u32,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Of {
    model: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Reload {
    model: String,
    result: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Why {
    reason: String,
}

/// All that is counted. Cloned handles share their numbers with the registry.
pub struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    seconds: Histogram,
    rows: Family<Of, Counter>,
    reloads: Family<Reload, Counter>,
    reloaded: Family<Of, Gauge>,
    closed: Family<Why, Counter>,
    pub connections: Gauge,
    pub accept_errors: Counter,
    pub queued: Gauge,
}

impl Metrics {
    pub fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            requests: Family::default(),
            seconds: Histogram::new(exponential_buckets(0.0005, 2.0, 16)),
            rows: Family::default(),
            reloads: Family::default(),
            reloaded: Family::default(),
            closed: Family::default(),
            connections: Gauge::default(),
            accept_errors: Counter::default(),
            queued: Gauge::default(),
        };
        let mut registry = Registry::with_prefix("hapax");
        registry.register(
            "requests",
            "Requests answered, by route and status",
            metrics.requests.clone(),
        );
        registry.register(
            "request_seconds",
            "Seconds from a request's head to its answer",
            metrics.seconds.clone(),
        );
        registry.register("rows", "Texts and rows answered", metrics.rows.clone());
        registry.register(
            "reloads",
            "Models read again, and whether they could be",
            metrics.reloads.clone(),
        );
        registry.register(
            "reload_timestamp_seconds",
            "When a model was last read again",
            metrics.reloaded.clone(),
        );
        registry.register(
            "connections_closed",
            "Connections closed by the server, by the reason",
            metrics.closed.clone(),
        );
        registry.register(
            "connections",
            "Connections that are open",
            metrics.connections.clone(),
        );
        registry.register(
            "accept_errors",
            "Connections that the system refused to open, as when files run out",
            metrics.accept_errors.clone(),
        );
        registry.register(
            "queued_requests",
            "Requests that wait for a worker",
            metrics.queued.clone(),
        );
        metrics.registry = registry;
        metrics
    }

    pub fn answered(&self, route: &str, status: u16, time: Duration) {
        let route = route.to_owned();
        let status = status.into();
        self.requests
            .get_or_create(&Answered { route, status })
            .inc();
        self.seconds.observe(time.as_secs_f64());
    }

    pub fn rows(&self, model: &str, rows: usize) {
        let model = model.to_owned();
        self.rows.get_or_create(&Of { model }).inc_by(rows as u64);
    }

    pub fn reloaded(&self, model: &str, good: bool) {
        let result = if good { "ok" } else { "failed" }.to_owned();
        let model = model.to_owned();
        let reload = Reload {
            model: model.clone(),
            result,
        };
        self.reloads.get_or_create(&reload).inc();
        if good {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let seconds = now.unwrap_or_default().as_secs();
            let gauge = self.reloaded.get_or_create(&Of { model });
            gauge.set(i64::try_from(seconds).unwrap_or(i64::MAX));
        }
    }

    pub fn closed(&self, reason: &str) {
        let reason = reason.to_owned();
        self.closed.get_or_create(&Why { reason }).inc();
    }

    /// All figures, as `/metrics` shows them.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Only a writer that fails can fail, and a String does not.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
