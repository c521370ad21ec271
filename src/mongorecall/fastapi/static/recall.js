// The right pane: how the query is read while it is typed, what it finds, and where the page is cut.

import { ask, Refused } from "./api.js";
import { byId, fill, h, plural, toast } from "./dom.js";
import { scoped, showing, state, writeUrl } from "./state.js";
import { scoreBar } from "./score.js";
import { turnText } from "./turns.js";

const PAUSE_MS = 160;
const BEYOND = 5; // results shown below the line

let timer = 0;
let on = {};

/** @param {{found: Function, missed: Function, open: Function, cleared: Function}} listeners */
export function startRecall(listeners) {
  on = listeners;
  byId("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  byId("query").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(run, PAUSE_MS);
  });
  byId("limit").value = String(state.limit);
  byId("limit").addEventListener("change", (event) => {
    state.limit = Number(event.target.value);
    writeUrl();
    run();
  });
  byId("only-session").checked = state.onlySession;
  byId("only-session").addEventListener("change", (event) => {
    state.onlySession = event.target.checked;
    writeUrl();
    run();
  });
}

/** The filters that the page sets. */
export function filters() {
  return state.onlySession && state.session !== null ? { session_id: state.session } : {};
}

/** Ask what is in the box. */
export async function run() {
  clearTimeout(timer);
  state.query = byId("query").value;
  if (!state.query.trim()) return clear();
  try {
    const [explanation, found] = await Promise.all([
      ask("api/explain", showing({ query: state.query, ...filters() }), "explain"),
      ask("api/search", showing({ query: state.query, limit: state.limit + BEYOND, reading: true, score_parts: true, ...filters() }), "search"),
    ]);
    drawReading(explanation);
    drawResults(found);
    on.found(found.hits);
    if (found.hits.length === 0) on.missed();
    else on.cleared();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.sentence);
  }
  return undefined;
}

function clear() {
  fill(byId("reading"), h("p.reading-note", {}, "Each word is shown as the search reads it: looked for, or dead, and how many turns have it."));
  fill(byId("results"));
  on.found([]);
  on.cleared();
}

// --- how the query is read ---

const WHY_DEAD = { stop_word: "stop word", no_word_characters: "no letters or digits", over_cap: "one word too many" };

function drawReading(explanation) {
  const counts = new Map(explanation.keywords.map((count) => [count.keyword, count]));
  const tokens = explanation.query.tokens.map((token) => tokenChip(token, counts));
  const notes = [];
  const dead = explanation.query.tokens.filter((token) => token.reason !== null).length;
  if (tokens.length && dead === tokens.length) notes.push("Every word is dead: this query can find nothing.");
  for (const count of explanation.keywords) {
    if (count.near.length) notes.push(nearNote(count));
  }
  fill(byId("reading"), h("ul.tokens", { "aria-label": "How the query is read" }, tokens), notes.map((note) => h("p.reading-note", {}, note)));
}

function tokenChip(token, counts) {
  if (token.reason !== null) {
    return h("li.token.dead", {}, h("span.word", {}, token.raw), h("span.why", {}, WHY_DEAD[token.reason]));
  }
  return token.keywords.map((keyword) => {
    const df = counts.get(keyword)?.df ?? null;
    const kind = df === 0 ? "absent" : "live";
    return h(`li.token.${kind}`, { title: `keyword: ${keyword}` }, h("span.word", {}, keyword), h("span.why", {}, frequency(df)));
  });
}

function frequency(df) {
  if (df === null) return "not counted";
  if (df === 0) return "in no turn";
  return df >= 1000 ? "in 1,000+ turns" : `in ${plural(df, "turn")}`;
}

const KINDS = { case: "another case", accent: "another accent", plural: "plural or singular", separator: "written apart or together", typo: "one letter away" };

function nearNote(count) {
  const near = count.near.map((one, index) => [index ? ", " : "", h("b.near", {}, one.keyword), ` (${KINDS[one.kind]})`]);
  const hint = state.visit.content ? "" : " Show content to read it.";
  return [h("span.mono", {}, count.keyword), " is in no turn; stored is ", near, ".", hint];
}

// --- what it finds ---

const EMPTY = {
  no_searchable_words: "No word of this query can be searched",
  nothing_stored: "Nothing is stored under this key",
  no_shared_keyword: "No turn shares a word with this query",
  malformed: "Turns match, but their documents cannot be read",
  filtered: "Turns match, and the filters leave them out",
};

function drawResults(found) {
  const shown = Math.min(found.hits.length, state.limit);
  const title = found.hits.length ? `${plural(shown, "turn")} recalled` : (EMPTY[found.reason] ?? "Nothing found");
  const best = Math.max(...found.hits.map((hit) => hit.score ?? 0), 0);
  const cards = found.hits.map((hit) => hitCard(hit, best));
  if (found.hits.length > state.limit) {
    cards.splice(state.limit, 0, h("li.cut-line", {}, `the page of ${state.limit} ends here`));
  }
  const skipped = found.skipped ? h("p.reading-note", {}, `${plural(found.skipped, "stored document")} that match cannot be read.`) : null;
  const more = found.more ? h("p.reading-note", {}, "More turns match below.") : null;
  fill(byId("results"),
    h("div.results-head", {}, h("h2", {}, title), h("span.ms", {}, `${found.elapsed_ms.toFixed(1)} ms`)),
    h("ol", { id: "hits" }, cards), skipped, more);
}

function hitCard(hit, best) {
  const cut = hit.rank > state.limit ? ".cut" : "";
  return h(`li.hit-card${cut}`, {},
    h("span.hit-rank", { "aria-label": `rank ${hit.rank}` }, String(hit.rank)),
    h("div", {},
      turnText(hit, hit.matched_keywords),
      scoreBar(hit, best),
      h("button.hit-open", { type: "button", onclick: () => on.open(hit) }, `${hit.author ?? "unknown"} in ${hit.session_id ?? "no session"} →`)));
}

/** The request that asks for the four checks. */
export function checksRequest() {
  return scoped({ query: byId("query").value, content: state.visit.content });
}
