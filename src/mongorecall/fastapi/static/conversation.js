// The middle pane: the turns of one session as a conversation, each with what was indexed of it.

import { ask } from "./api.js";
import { compareButton, ghostNode } from "./compare.js";
import { byId, fill, h, plural, span, time } from "./dom.js";
import { forgetDialog } from "./forget.js";
import { showing, state } from "./state.js";
import { turnFacts, turnText } from "./turns.js";

let turns = [];
let cursor = null;
let hits = new Map();
let ghosts = [];
let why = () => {};

/** @param {(turn: Object) => void} onWhy called with the turn that somebody asks about */
export function startConversation(onWhy) {
  why = onWhy;
}

/** Load the first page of the open session. */
export async function loadTurns() {
  turns = [];
  ghosts = [];
  cursor = null;
  if (state.session === null) return drawEmpty();
  await loadPage();
  return undefined;
}

async function loadPage() {
  const page = await ask("api/memories/list", showing({ session_id: state.session, limit: 200, reading: true, ...(cursor && { cursor }) }), "turns");
  const time = (turn) => turn.timestamp ?? "";
  turns = [...turns, ...page.turns].toSorted((one, other) => time(one).localeCompare(time(other)));
  cursor = page.cursor;
  draw();
}

/** Show which turns the present search found. */
export function markHits(found) {
  hits = new Map(found.map((hit) => [key(hit), hit]));
  if (turns.length) draw();
}

const key = (turn) => JSON.stringify([turn.session_id, turn.event_id]);

function draw() {
  drawHead();
  fill(byId("turns"), woven().map((one) => (one.event === undefined ? turnNode(one) : ghostNode(one))));
  const more = cursor && h("button.quiet", { type: "button", onclick: () => loadPage() }, "Show more turns");
  fill(byId("turns-foot"), more ?? "Turns without text, such as tool calls, images and thoughts, are not stored: no search can find them.");
}

/** The turns, with the events of a compared file that are not among them where they belong in time. */
function woven() {
  const at = (one) => (one.event === undefined ? Date.parse(one.timestamp ?? 0) : (one.event.timestamp ?? 0) * 1000);
  return [...turns, ...ghosts].toSorted((one, other) => at(one) - at(other));
}

function drawHead() {
  const session = state.sessions.find((one) => one.session_id === state.session);
  const indexed = turns.filter((turn) => turn.indexed !== 0).length;
  const facts = [plural(session?.memories ?? turns.length, "turn") + " remembered"];
  if (indexed < turns.length) facts.push(`${turns.length - indexed} without a word that can be searched`);
  fill(byId("turns-head"),
    h("h2", {}, state.session),
    h("div.turns-actions", {},
      compareButton((found) => { ghosts = found; draw(); }),
      state.visit.capabilities.includes("delete") &&
        h("button.quiet.danger", { type: "button", onclick: () => forgetDialog({ what: "session", session_id: state.session }) }, "Forget session…")),
    h("p.facts", {}, facts.join(" · "), session && [" · ", span(session.first, session.last)]));
}

function turnNode(turn) {
  const hit = hits.get(key(turn));
  const kinds = ["turn", turn.author === "user" ? "user" : "agent", hit && "hit", turn.indexed === 0 && "lost"].filter(Boolean);
  const shown = hit && turn.text !== null ? { ...turn, tokens: hit.tokens ?? turn.tokens } : turn;
  const node = h(`li.${kinds.join(".")}`, {},
    h("div.turn-head", {},
      h("span.turn-author", {}, turn.author ?? "unknown"), time(turn.timestamp),
      hit && h("span.turn-rank", {}, `found, rank ${hit.rank}`)),
    turnText(shown, hit?.matched_keywords ?? []),
    h("div.turn-facts", {}, h("span", {}, turnFacts(turn)),
      h("button", { type: "button", onclick: () => why(turn) }, hit ? "How was this found?" : "Why not this one?"),
      turn.event_id !== null && state.visit.capabilities.includes("delete") &&
        h("button.danger", { type: "button", onclick: () => forgetDialog({ what: "memory", memory_id: turn.event_id, session_id: turn.session_id }) }, "Forget…")));
  node.dataset.turn = key(turn);
  return node;
}

/** Bring a turn into sight. */
export function revealTurn(turn) {
  const node = document.querySelector(`[data-turn="${CSS.escape(key(turn))}"]`);
  node?.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

function drawEmpty() {
  fill(byId("turns-head"));
  fill(byId("turns-foot"));
  const own = state.scope ?? state.visit;
  fill(byId("turns"), h("li.empty", {},
    h("h2", {}, "Nothing is remembered under this key"),
    h("p", {}, "Memory is written by the application, not by the agent's runtime. Add a session when a conversation ends, under the very key that searches use."),
    h("pre", {}, `await memory.add_session_to_memory(session)\n\n# or, from a file:\nmongorecall ingest FILE --app ${own.app_name} --user ${own.user_id}`),
    h("p", {}, "Type a query on the right to see the four checks.")));
}
