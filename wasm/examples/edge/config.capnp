# workerd serve config.capnp: the worker and the files it is made of.
# `cargo build-wasm` makes the package; model.hapax is any model of texts.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:8080", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  compatibilityDate = "2025-01-01",
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "model", data = embed "model.hapax"),
    (name = "hapax", esModule = embed "hapax/workerd.js"),
    (name = "bindings.js", esModule = embed "hapax/bindings.js"),
    (name = "classes.js", esModule = embed "hapax/classes.js"),
    (name = "errors.js", esModule = embed "hapax/errors.js"),
    (name = "given.js", esModule = embed "hapax/given.js"),
    (name = "host.js", esModule = embed "hapax/host.js"),
    (name = "lifetime.js", esModule = embed "hapax/lifetime.js"),
    (name = "load.js", esModule = embed "hapax/load.js"),
    (name = "model.js", esModule = embed "hapax/model.js"),
    (name = "prepare.js", esModule = embed "hapax/prepare.js"),
    (name = "values.js", esModule = embed "hapax/values.js"),
    (name = "hapax_simd.wasm", wasm = embed "hapax/hapax_simd.wasm"),
  ],
);
