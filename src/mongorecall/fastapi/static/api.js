// Asks the server. Every question is a POST of JSON to this page's own origin.

/** What the server refused, by the kind that it says. */
export class Refused extends Error {
  constructor(status, kind) {
    super(kind);
    this.status = status;
    this.kind = kind;
  }

  /** What to tell a person. */
  get sentence() {
    return SENTENCES[this.kind] ?? `The server answered: ${this.kind.replaceAll("_", " ")}.`;
  }
}

const SENTENCES = {
  unauthenticated: "You are not signed in any more. Load the page again.",
  forbidden: "You may look at your own memories only.",
  content_hidden: "Turn on “Show content” first.",
  too_many_requests: "Too many questions at once. Wait a moment.",
  busy: "The server is busy. Try again in a moment.",
  unavailable: "MongoDB does not answer.",
  deadline_exceeded: "MongoDB took too long to answer.",
  permission_denied: "The database user may not do this.",
  unsupported: "This memory service cannot do this.",
  invalid_input: "That cannot be looked up: an id is empty, too long, or holds control characters.",
  changed: "Something was added or removed in the meantime. Count again.",
  network: "The server cannot be reached.",
};

const running = new Map();

/**
 * Ask one question. A second one under the same `lane` ends the first, whose promise then never settles.
 */
export async function ask(path, body = {}, lane = null) {
  const controller = new AbortController();
  if (lane !== null) {
    running.get(lane)?.abort();
    running.set(lane, controller);
  }
  let response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      credentials: "same-origin",
      referrerPolicy: "no-referrer",
      signal: controller.signal,
    });
    const answer = await response.json();
    if (response.ok) return answer;
    throw new Refused(response.status, answer.error ?? "internal");
  } catch (error) {
    if (controller.signal.aborted) return new Promise(() => {});
    if (error instanceof Refused) throw error;
    throw new Refused(response?.status ?? 0, "network");
  }
}
