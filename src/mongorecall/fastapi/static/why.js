// "Why not this one?": how far one turn came on its way to the page, and what stopped it.

import { ask, Refused } from "./api.js";
import { evidence } from "./checks.js";
import { byId, fill, h, toast } from "./dom.js";
import { filters } from "./recall.js";
import { showing, state } from "./state.js";

const STATIONS = ["written", "right key", "indexed", "kept", "shares a word", "on the page"];
const STOPS = {
  nothing_written: 0, unreachable: 0, permission: 0,
  key_mismatch: 1,
  not_indexed: 2, stale_session: 2, stale_analyzer: 2, malformed: 2,
  forgotten: 3, expired: 3,
  no_searchable_words: 4, no_shared_keyword: 4,
  filtered: 5, duplicate: 5, cut_by_limit: 5,
};

/** Ask what became of a turn in the present search, and show it. */
export async function explainTurn(turn) {
  if (!byId("query").value.trim()) {
    toast("Type what the agent would ask first.");
    byId("query").focus();
    return;
  }
  try {
    const request = { query: byId("query").value, limit: state.limit, expect: turn.event_id, ...filters() };
    const { expected } = await ask("api/explain", showing(request), "why");
    draw(expected, turn);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.sentence);
  }
}

export function clearFate() {
  fill(byId("fate"));
}

function draw(fate, turn) {
  const stop = fate.found ? STATIONS.length : (STOPS[fate.cause] ?? 0);
  const stations = STATIONS.map((name, index) => {
    const kind = index < stop ? "li.passed" : index === stop ? "li.stopped" : "li";
    return h(kind, { "aria-current": index === stop ? "step" : null }, name);
  });
  const panel = h("section.fate", { "aria-labelledby": "fate-title", tabindex: "-1" },
    h("div.fate-head", {},
      h("h2", { id: "fate-title" }, fate.found ? "This turn is recalled" : "Why not this one?"),
      h("button.quiet", { type: "button", onclick: clearFate }, "Close")),
    h("p.turn-head", {}, h("span.turn-author", {}, turn.author ?? "unknown"), h("span.mono", {}, turn.event_id ?? "no id")),
    h("ol.journey", { "aria-label": "How far it came" }, stations),
    h("p", {}, fate.found ? foundSentence(fate) : h("b", {}, capital(fate.stage) + ".")),
    cutSentence(fate),
    nearSentence(fate),
    evidence(fate.evidence),
    fate.next_step && h("p.next", {}, h("b", {}, "Next: "), fate.next_step));
  fill(byId("fate"), panel);
  panel.focus();
  panel.scrollIntoView({ block: "nearest" });
}

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

function foundSentence(fate) {
  const words = fate.matched_keywords.length ? [" It shares ", h("b", {}, fate.matched_keywords.join(", ")), " with the query."] : "";
  return [`It is on the page at rank ${fate.rank} with score ${fate.score}.`, words];
}

function cutSentence(fate) {
  if (fate.cause !== "cut_by_limit" || fate.score === null) return null;
  return h("p", {}, `Its score is ${fate.score}; the last turn on the page has ${fate.last_score}.`);
}

function nearSentence(fate) {
  if (!fate.near.length) return null;
  const pairs = fate.near.map(([asked, near], index) => [index ? "; " : "", h("span.mono", {}, asked), " against ", h("b.near", {}, near.keyword), ` (${near.kind})`]);
  return h("p", {}, "Nearly met: ", pairs, ".");
}
