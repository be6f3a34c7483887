// Training that can be watched and stopped.

/** Milliseconds of work between two chances for other tasks. */
const SLICE = 100;

/** Waits until the tasks that are due have run. */
const otherTasks = () => new Promise((resolve) => setTimeout(resolve));

/** Training that is one call: it can be stopped between two parts, by whatever `progress` does. */
const trainAtOnce = (trainer, data, progress, signal) =>
  trainer.train(data, (stage, done, of, memory) => {
    progress?.({ stage, done, of: of || undefined, memory });
    signal?.throwIfAborted();
  });

export const train = async (trainer, data, { progress, signal } = {}) => {
  signal?.throwIfAborted();
  if (!trainer.start) return trainAtOnce(trainer, data, progress, signal);
  const training = trainer.start(data);
  try {
    let pause = performance.now() + SLICE;
    for (let report; (report = training.step()); ) {
      progress?.(report);
      if (performance.now() >= pause) {
        await otherTasks();
        pause = performance.now() + SLICE;
      }
      signal?.throwIfAborted();
    }
    return training.finish();
  } finally {
    training.free();
  }
};
