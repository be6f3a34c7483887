// A worker that answers `GET /?q=…` with the labels of the text `q`, from a model that is part of
// it.

import * as hapax from "hapax";
import bytes from "model";

hapax.initSync();
const model = hapax.Model.fromBytes(new Uint8Array(bytes));

const json = (status, value) =>
  new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
  });

const answer = (query, k) => {
  try {
    return json(200, { answers: model.predictText(query, k) });
  } catch (error) {
    if (!(error instanceof hapax.PredictError)) throw error;
    return json(422, { error: error.name, rule: error.rule, message: error.message });
  }
};

export default {
  async fetch(request) {
    const url = new URL(request.url);
    const query = url.searchParams.get("q");
    if (query === null) return json(400, { error: "ask with ?q=some+text" });
    return answer(query, Number(url.searchParams.get("k") ?? 5));
  },
};
