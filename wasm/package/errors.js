// What can go wrong, by phase. `rule` names the rule that was broken; the numbers that belong to it
// are further properties (`line`, `offset`, `limit`, …), as listed in errors.d.ts.

class HapaxError extends Error {
  constructor(message, rule, numbers) {
    super(message);
    this.rule = rule;
    Object.assign(this, numbers);
  }
}

export class ReadError extends HapaxError {
  name = "ReadError";
}

export class ParamError extends HapaxError {
  name = "ParamError";
}

export class TrainError extends HapaxError {
  name = "TrainError";
}

export class FormatError extends HapaxError {
  name = "FormatError";
}

export class PredictError extends HapaxError {
  name = "PredictError";
}

export class LoadError extends HapaxError {
  name = "LoadError";
}
