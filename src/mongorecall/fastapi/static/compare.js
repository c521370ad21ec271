// Lays a session file beside what is stored of it, so that the turns that were skipped are seen too.

import { ask, Refused } from "./api.js";
import { h, plural, toast } from "./dom.js";
import { scoped, state } from "./state.js";

const MOST_EVENTS = 1000;

const STATES = {
  missing: "not stored",
  stale: "stored with another text",
  other_rules: "stored, indexed by other rules",
  unreadable: "stored, and damaged",
  skipped: "skipped",
  failed: "could not be stored",
  forgotten: "forgotten on request",
  erased: "erased: its newest version has no text",
  expired: "expired",
};

const REASONS = {
  no_content: "nothing was said",
  no_text: "no text in it",
  thought_only: "only a thought",
  partial: "a streaming chunk",
  stop_words_only: "stop words only",
  forgotten: "forgotten on request",
};

/**
 * Ask for a file, and compare it.
 * @param {(ghosts: Array) => void} show called with the events that are not stored as they are in the file
 */
export function compareButton(show) {
  const input = h("input", { type: "file", accept: ".json,.jsonl,application/json", hidden: true, "aria-hidden": "true", tabindex: "-1" });
  input.addEventListener("change", async () => {
    const [file] = input.files;
    input.value = "";
    if (file) show(await compare(await file.text()));
  });
  const button = h("button.quiet", { type: "button", title: "See which events of a session file were skipped, and why", onclick: () => input.click() }, "Compare with a file…");
  return [button, input];
}

async function compare(text) {
  try {
    const session = chooseSession(text);
    const events = session.events.slice(-MOST_EVENTS).map(eventOf);
    const { events: fates } = await ask("api/sessions/compare", scoped({ id: state.session, events }), "compare");
    const ghosts = fates.map((fate, index) => ({ ...fate, event: events[index] })).filter((ghost) => ghost.state !== "stored");
    toast(ghosts.length ? `${plural(ghosts.length, "event")} of ${events.length} not stored as in the file.` : `All ${plural(events.length, "event")} are stored.`);
    return ghosts;
  } catch (error) {
    toast(error instanceof Refused ? error.sentence : "This file holds no session that can be read.");
    return [];
  }
}

/** The session of the file that is open, or its only one. */
function chooseSession(text) {
  let records;
  try {
    records = [JSON.parse(text)].flat();
  } catch {
    records = text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
  }
  const sessions = records.filter((record) => Array.isArray(record?.events));
  const found = sessions.find((session) => session.id === state.session) ?? (sessions.length === 1 ? sessions[0] : null);
  if (found === null) throw new SyntaxError("no session");
  return found;
}

/** An event of google-adk, in either case, with the fields that decide what is stored. */
function eventOf(event) {
  const content = event.content && { role: event.content.role, parts: (event.content.parts ?? []).map(partOf) };
  return clean({ id: event.id, author: event.author, timestamp: event.timestamp, partial: event.partial, content: content && clean(content) });
}

function partOf(part) {
  return clean({
    text: part.text,
    thought: part.thought,
    function_call: part.function_call ?? part.functionCall,
    function_response: part.function_response ?? part.functionResponse,
  });
}

const clean = (record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== null));

/** An event that is not stored as it is in the file, between the turns that are. */
export function ghostNode(ghost) {
  const reason = REASONS[ghost.reason] ?? ghost.reason;
  return h("li.turn.ghost", {},
    h("div.turn-head", {}, h("span.turn-author", {}, ghost.event.author ?? "unknown"), h("span.ghost-state", {}, STATES[ghost.state] ?? ghost.state, reason ? `: ${reason}` : "")),
    h("p.ghost-what", {}, describe(ghost.event)));
}

function describe(event) {
  const parts = event.content?.parts ?? [];
  if (!parts.length) return "an event without content";
  return parts.map((part) => {
    if (part.function_call) return `a call of ${part.function_call.name ?? "a tool"}`;
    if (part.function_response) return `the answer of ${part.function_response.name ?? "a tool"}`;
    if (part.text !== undefined) return part.thought ? "a thought" : plural(part.text.length, "character") + " of text";
    return "a part without text";
  }).join(", ");
}
