// One remembered turn: its text with what was indexed of it, or bars in place of the text.

import { h, plural, text } from "./dom.js";

/** The text of a turn, as tokens; bars while content is hidden. */
export function turnText(turn, matched = []) {
  if (turn.text === null) return redacted(turn, matched.length);
  if (turn.tokens === null) return h("p.turn-text", { dir: "auto" }, turn.text);
  const shown = turn.tokens.map((token) => tokenNode(token, matched));
  const rest = turn.text.slice(turn.tokens.reduce((length, token) => length + token.text.length, 0));
  return h("p.turn-text", { dir: "auto" }, shown, rest, turn.cut ? h("span.unindexed", {}, " … cut here") : null);
}

function tokenNode(token, matched) {
  const word = token.text.trimStart();
  const space = token.text.slice(0, token.text.length - word.length);
  if (token.matched) return [space, markWithin(word, token.keywords.filter((keyword) => matched.includes(keyword)))];
  if (token.reason !== null) return [space, h("span.unindexed", {}, word)];
  return token.text;
}

/** Mark the keyword inside a run, so that punctuation and unspaced text around it stay unmarked. */
function markWithin(word, keywords) {
  const lower = word.toLowerCase();
  if (lower.length === word.length) {
    for (const keyword of keywords) {
      const at = lower.indexOf(keyword);
      if (at >= 0) {
        const end = at + keyword.length;
        return [text(word.slice(0, at)), h("mark", {}, word.slice(at, end)), text(word.slice(end))];
      }
    }
  }
  return h("mark", {}, word);
}

const MOST_BARS = 60;

function redacted(turn, lit) {
  const words = turn.words ?? Math.ceil(turn.characters / 6);
  const bars = Math.min(words, MOST_BARS);
  const mean = Math.max(turn.characters / Math.max(words, 1) - 1, 1.5);
  const faint = turn.words === null ? 0 : words - turn.indexed;
  const label = `Text hidden: ${plural(turn.characters, "character")}`;
  const nodes = Array.from({ length: bars }, (_, index) => {
    // Widths vary as words do, and say nothing of the words: only their number and mean length are known.
    const width = mean * (0.55 + 0.9 * ((index * 0.618) % 1));
    const kind = index < lit ? "i.lit" : (index * 0.382) % 1 < faint / Math.max(words, 1) ? "i.faint" : "i";
    return h(kind, { vars: { "--w": width.toFixed(2) } });
  });
  return h("div.redacted", { role: "img", "aria-label": label }, nodes);
}

/** What was indexed of a turn, in words. */
export function turnFacts(turn) {
  if (turn.words === null) return plural(turn.characters, "character");
  const parts = [plural(turn.words, "word"), `${turn.indexed} indexed`];
  if (turn.stop_words) parts.push(plural(turn.stop_words, "stop word"));
  return parts.join(" · ");
}
