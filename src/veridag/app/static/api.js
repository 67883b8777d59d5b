// Asking the server: JSON in and out, and every refusal as an Error whose message can be shown.

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The answer of the server; `options` are those of fetch, and `options.json` is sent as the body. */
export async function api(path, {json, ...options} = {}) {
  if (json !== undefined) {
    options = {method: "POST", ...options, body: JSON.stringify(json), headers: {"Content-Type": "application/json"}};
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "The server does not answer. If it was closed, start veridag app again: nothing is lost.");
  }
  const isJson = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
  const content = isJson ? await answer.json() : await answer.text();
  if (!answer.ok) throw new Refusal(answer.status, isJson ? content.error : content);
  return content;
}
