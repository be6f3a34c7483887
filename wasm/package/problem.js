// Errors on their way from a worker: as plain objects, and as errors of their classes again.

import * as errors from "./errors.js";

export const told = (error) => ({ ...error, name: error.name, message: error.message, cause: undefined });

export const revived = ({ name, message, ...rest }) => {
  const own = Object.hasOwn(errors, name);
  const error = own ? new errors[name](message, rest.rule, rest) : Object.assign(new Error(message), rest);
  if (error.name !== name) error.name = name;
  return error;
};
