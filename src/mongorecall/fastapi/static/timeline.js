// The timeline: the latest operations of this process, as a pulse and as a table.

import { ask, Refused } from "./api.js";
import { byId, fill, h, plural } from "./dom.js";
import { state, writeUrl } from "./state.js";

const EVERY_MS = 4000;
const BARS = 60;

export function startTimeline() {
  if (!state.visit.admin) return;
  byId("timeline").hidden = false;
  byId("timeline-handle").addEventListener("click", () => openTimeline(!state.timeline));
  openTimeline(state.timeline);
  setInterval(() => { if (!document.hidden) loadTimeline(); }, EVERY_MS);
}

export function openTimeline(open) {
  state.timeline = open;
  byId("timeline-body").hidden = !open;
  byId("timeline-handle").setAttribute("aria-expanded", String(open));
  writeUrl();
  loadTimeline();
}

export async function loadTimeline() {
  if (!state.visit?.admin) return;
  try {
    draw((await ask("api/operations", {}, "operations")).operations);
  } catch (error) {
    // The page goes on without a timeline; what the person does next will say what is wrong.
    if (!(error instanceof Refused)) throw error;
  }
}

function draw(operations) {
  // By the logarithm: one slow operation must not flatten the others.
  const slowest = Math.log1p(Math.max(...operations.map((one) => one.ms), 10));
  const bars = operations.slice(0, BARS).reverse().map((one) =>
    h(`i.${one.error ? "bad" : one.operation}`, { vars: { "--h": Math.max((Math.log1p(one.ms) / slowest) * 100, 12).toFixed(0) } }));
  fill(byId("pulse"), bars);
  const empty = operations.filter((one) => one.operation === "search" && one.hits === 0).length;
  byId("timeline-note").textContent = operations.length
    ? plural(operations.length, "operation") + (empty ? `, ${plural(empty, "search", "searches")} without a hit` : "")
    : "nothing yet";
  if (state.timeline || state.pane === "timeline") fill(byId("timeline-body"), table(operations));
}

function table(operations) {
  return h("table.operations", {},
    h("thead", {}, h("tr", {}, ["Time", "Operation", "Key"].map((name) => h("th", { scope: "col" }, name)),
      h("th.wide-only", { scope: "col" }, "Session"), h("th", { scope: "col" }, "Counts"), h("th.num", { scope: "col" }, "ms"))),
    h("tbody", {}, operations.map(row)));
}

const COUNTS = ["events", "text_events", "stored", "tokens", "keywords", "hits", "memories"];

function row(one) {
  const counts = COUNTS.filter((name) => one[name] !== undefined).map((name) => `${name.replace("_", " ")} ${one[name]}`);
  const when = new Date(one.started * 1000).toLocaleTimeString("en", { hour12: false });
  return h("tr", {},
    h("td.when", {}, when),
    h(one.error ? "td.failed" : "td", {}, one.operation, one.error && ` · ${one.error.replaceAll("_", " ")}`),
    h("td.mono.key-cell", {}, one.key),
    h("td.mono.wide-only", {}, one.session ?? ""),
    h("td.counts", {}, counts.join(" · ")),
    h("td.num", {}, one.ms.toFixed(1)));
}
