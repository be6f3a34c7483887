// Linear models prepare themselves once their queries have taken as long as preparing will: so it
// never costs more than twice what the better choice would have.

/** Milliseconds to prepare a million weights; 40 and 53 were measured, for 0.3 and 5.5 million. */
const MILLISECONDS_A_MILLION = 50;

/** Milliseconds of queries until a model is prepared; `Infinity` where it never is. */
const budgets = new WeakMap();

const NEVER = Number.POSITIVE_INFINITY;

const budgetOf = (model) => {
  let budget = budgets.get(model);
  if (budget === undefined) {
    budget = model.can("prepare") ? (model.info().weights / 1e6) * MILLISECONDS_A_MILLION : NEVER;
    budgets.set(model, budget);
  }
  return budget;
};

/** Leaves the model as it is from now on. */
export const unwatch = (model) => budgets.set(model, NEVER);

/** What `query` returns, its time on the model's account. */
export const timed = (model, query) => {
  const budget = budgetOf(model);
  if (budget === NEVER) return query();
  const start = performance.now();
  const found = query();
  const left = budget - (performance.now() - start);
  budgets.set(model, left);
  if (left > 0) return found;
  unwatch(model);
  try {
    model.prepare();
  } catch {
    // Memory is lacking: the model answers as before.
  }
  return found;
};
