// Training on a thread of its own: the page's side. training_thread.js is the other.

import { checkOptions } from "./load.js";
import { revived } from "./problem.js";

// The address stands as it is, so that bundlers find the file.
const newWorker = () => {
  if (typeof Worker === "function") return new Worker(new URL("./training_thread.js", import.meta.url), { type: "module" });
  throw new Error("this runtime has no Worker: call train of hapax/train in a thread of your own");
};

export const trainInWorker = async (work, watch = {}) => {
  checkOptions(work, ["method", "options", "texts", "labels"]);
  checkOptions(watch, ["progress", "signal", "worker"]);
  const { progress, signal, worker = newWorker() } = watch;
  return new Promise((resolve, reject) => {
    const end = (action, value) => {
      signal?.removeEventListener("abort", abort);
      // With it goes all memory of the training.
      worker.terminate();
      action(value);
    };
    const abort = () => end(reject, signal.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort);
    worker.addEventListener("message", ({ data: { report, problem, made } }) => {
      if (problem) return end(reject, revived(problem));
      if (made) return end(resolve, made);
      try {
        progress?.(report);
      } catch (error) {
        end(reject, error);
      }
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      const message = event.message || "its script could not be loaded: does the bundler know training_thread.js?";
      end(reject, new Error(`the worker of hapax/train failed: ${message}`));
    });
    worker.postMessage(work);
  });
};
