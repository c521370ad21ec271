// The four checks, in order: each with its verdict, the evidence and the next step.

import { ask, Refused } from "./api.js";
import { byId, fill, h, icon, ICONS, plural, time, toast } from "./dom.js";
import { checksRequest } from "./recall.js";

const TITLES = { WRITTEN: "1 · WRITTEN", KEY: "2 · KEY", MATCH_RULES: "3 · MATCH RULES", INDEXED_CONTENT: "4 · INDEXED CONTENT" };
const HEADLINES = {
  unreachable: "MongoDB does not answer",
  permission: "The database user may not read",
  nothing_written: "Nothing was written under this key",
  key_mismatch: "It was written under another key",
  no_searchable_words: "The query has no word to look for",
  no_shared_keyword: "No turn shares a word with the query",
  not_indexed: "It was said where no text is read",
  stale_session: "An older copy of the session was stored",
  cut_by_limit: "It matches, and better turns fill the page",
  filtered: "A filter leaves it out",
  duplicate: "An equal turn stands in its place",
  expired: "Its time is over",
  forgotten: "It was forgotten on request",
  malformed: "Its stored document cannot be read",
  stale_analyzer: "Its words were indexed by other rules",
};

export function startChecks() {
  byId("run-checks").addEventListener("click", runChecks);
}

/** Make the four checks on what is in the box, and show them. */
export async function runChecks() {
  try {
    draw(await ask("api/diagnose", checksRequest(), "checks"));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.sentence);
  }
}

export function clearChecks() {
  fill(byId("checks"));
}

function draw(diagnosis) {
  const headline = diagnosis.cause === null ? "The four checks pass" : (HEADLINES[diagnosis.cause] ?? diagnosis.cause);
  const cause = h(diagnosis.cause === null ? "span.cause.fine" : "span.cause", {}, diagnosis.cause ?? "the search works");
  fill(byId("checks"), h("section.checks", { "aria-labelledby": "checks-title" },
    h("h2", { id: "checks-title" }, headline), cause,
    h("ol", {}, diagnosis.checks.map(checkNode)),
    diagnosis.advice.map((sentence) => h("p.advice", {}, sentence))));
}

function checkNode(check) {
  const kind = check.ok === null ? "none" : check.ok ? "ok" : "fail";
  const spoken = { none: "not made", ok: "passed", fail: "failed" }[kind];
  return h(`li.check.${kind}`, { "data-check": check.name },
    h("span.check-mark", { role: "img", "aria-label": spoken }, icon(ICONS[kind])),
    h("div", {},
      h("h3.check-name", {}, TITLES[check.name] ?? check.name),
      h("p.check-verdict", {}, sentence(check.verdict)),
      check.ok === true ? null : evidence(check.evidence),
      check.next_step && h("p.next", {}, h("b", {}, "Next: "), check.next_step)));
}

const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+(?:\+00:00|Z)/;

/** A verdict as a sentence, with times as people write them. */
function sentence(verdict) {
  const whole = verdict.charAt(0).toUpperCase() + verdict.slice(1) + (/[.!?]$/.test(verdict) ? "" : ".");
  const found = INSTANT.exec(whole);
  if (found === null) return whole;
  return [whole.slice(0, found.index), time(found[0]), whole.slice(found.index + found[0].length)];
}

/** Facts as a list of pairs; nested ones as short lines. */
export function evidence(facts) {
  const rows = Object.entries(facts).filter(([, value]) => value !== null && value !== false && !empty(value));
  if (!rows.length) return null;
  return h("dl.evidence", {}, rows.map(([name, value]) => [
    h("dt", {}, name.replaceAll("_", " ")),
    h("dd", {}, ...lines(value)),
  ]));
}

const empty = (value) => typeof value === "object" && Object.keys(value).length === 0;

function lines(value) {
  if (Array.isArray(value)) return value.flatMap((item, index) => [index ? h("br") : null, line(item)]);
  return [typeof value === "string" && INSTANT.test(value) ? time(value) : line(value)];
}

/** The two shapes that people look at most, in words; anything else as it is. */
function line(item) {
  if (item?.raw !== undefined) return `${item.raw} · ${item.reason.replaceAll("_", " ")}`;
  if (item?.keyword !== undefined && item.df !== undefined) {
    const near = item.near.map((one) => `${one.keyword} (${one.kind})`).join(", ");
    const df = item.df === null ? "not counted" : item.df === 0 ? "in no turn" : `in ${plural(item.df, "turn")}`;
    return `${item.keyword} · ${df}${near ? ` · near: ${near}` : ""}`;
  }
  return short(item);
}

function short(value) {
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(short).join(", ");
  return Object.entries(value)
    .filter(([, item]) => item !== null && !empty(item))
    .map(([name, item], index) => (index === 0 && typeof item !== "object" ? String(item) : `${name.replaceAll("_", " ")} ${short(item)}`))
    .join(" · ");
}
