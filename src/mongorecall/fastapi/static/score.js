// A score taken apart: one segment for each keyword that counted.

import { h } from "./dom.js";

/** @param {Object} hit @param {number} best the highest score of the page, which fills the width */
export function scoreBar(hit, best) {
  if (hit.score === null) return null;
  const width = best > 0 ? Math.max((hit.score / best) * 100, 4) : 4;
  return h("div.score", {},
    h("div.score-bar", { "aria-hidden": "true", vars: { "--w": width.toFixed(1) } }, segments(hit)),
    h("div.score-parts", {}, h("span", {}, "score ", h("b", {}, number(hit.score))), named(hit)));
}

function segments(hit) {
  const own = hit.points.length
    ? hit.points.map((point) => h("i", { vars: { "--w": point.points } }))
    : hit.matched_keywords.map(() => h("i", { vars: { "--w": 1 } }));
  return [own, hit.lent_keywords.map(() => h("i.lent", { vars: { "--w": 0.5 } }))];
}

/** The keywords, with what each adds where that is known. */
function named(hit) {
  const own = hit.points.length
    ? hit.points.map((point) => h("span", {}, h("b", {}, point.keyword), ` +${number(point.points)}`))
    : hit.matched_keywords.map((keyword) => h("span", {}, h("b", {}, keyword)));
  const lent = hit.lent_keywords.map((one) => h("span", {}, h("b", {}, one.keyword), ` lent by ${distance(one.distance)}`));
  return [own, lent];
}

function distance(turns) {
  const count = Math.abs(turns);
  return `${count} ${count === 1 ? "turn" : "turns"} ${turns < 0 ? "before" : "after"}`;
}

const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));
