// A score taken apart: a bar with a segment for each part that adds, and the sum in numbers.

import { h } from "./dom.js";

/** @param {Object} hit @param {number} best the highest score of the page, which fills the width */
export function scoreBar(hit, best) {
  if (hit.score === null) return null;
  const width = best > 0 ? Math.max((hit.score / best) * 100, 4) : 4;
  return h("div.score", {},
    h("div.score-bar", { "aria-hidden": "true", vars: { "--w": width.toFixed(1) } }, segments(hit)),
    h("div.score-head", {}, "score ", h("b", {}, number(hit.score)), hit.score_parts.length ? null : matched(hit)),
    hit.score_parts.length ? h("ul.score-parts", { "aria-label": "What the score is the sum of" }, hit.score_parts.map(row)) : null);
}

function segments(hit) {
  if (!hit.score_parts.length) return hit.matched_keywords.map(() => h("i", { vars: { "--w": 1 } }));
  const kinds = { keyword: "i", lent_keyword: "i.lent" };
  return hit.score_parts
    .filter((part) => part.contribution > 0)
    .map((part) => h(kinds[part.kind] ?? "i.factor", { vars: { "--w": part.contribution } }));
}

/** The keywords, where the service does not tell what each is worth. */
function matched(hit) {
  return hit.matched_keywords.map((keyword) => [" ", h("b", {}, keyword)]);
}

const NAMES = { named_author: "named author", question: "asks a question", ceiling: "near no anchor" };

/** One addend: its number, what it is for, and how the number came about. */
function row(part) {
  const kind = part.kind === "lent_keyword" ? "li.lent" : part.keyword === null ? "li.factor" : "li";
  return h(kind, {},
    h("b", { title: String(part.contribution) }, signed(part.contribution)),
    h("span.part-name", {}, part.keyword ?? NAMES[part.kind]),
    h("span.part-how", {}, how(part)));
}

function how(part) {
  if (part.kind === "lent_keyword") {
    const lender = part.event_id === null ? "" : `: ${part.event_id}`;
    return `${number(part.weight)} × ${number(part.factor)}, lent ${distance(part.distance)}${lender}`;
  }
  return part.keyword === null && part.factor !== null ? `× ${number(part.factor)}` : null;
}

function distance(turns) {
  const count = Math.abs(turns);
  return `from ${count} ${count === 1 ? "turn" : "turns"} ${turns < 0 ? "before" : "after"}`;
}

const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));

const signed = (value) => (value < 0 ? "−" : "+") + number(Math.abs(value));
