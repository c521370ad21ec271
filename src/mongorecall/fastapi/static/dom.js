// Builds elements. Text enters the page only as text nodes, and what cannot be seen is made visible.

const SVG = "http://www.w3.org/2000/svg";

// Controls but tab and newline, zero-width and invisible characters, and those that turn text around.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/**
 * An element.
 * @param {string} tag name, with classes after dots: "p.turn-text.lost"
 * @param {Object} properties attributes; `on…` functions are listeners, `vars` are CSS variables
 * @param {...(Node|string|number|null|undefined|Array)} children
 */
export function h(tag, properties = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "vars") for (const [variable, size] of Object.entries(value)) element.style.setProperty(variable, String(size));
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : text(String(child)));
  }
}

/** Text from a memory, a query or an id, as nodes. */
export function text(value) {
  const fragment = document.createDocumentFragment();
  let last = 0;
  for (const match of value.matchAll(UNSEEN)) {
    if (match.index > last) fragment.append(document.createTextNode(value.slice(last, match.index)));
    fragment.append(glyph(match[0]));
    last = match.index + match[0].length;
  }
  if (last < value.length) fragment.append(document.createTextNode(value.slice(last)));
  return fragment;
}

function glyph(character) {
  const mark = document.createElement("span");
  mark.className = "glyph";
  mark.textContent = "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return mark;
}

/** A small drawing of lines. */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const ICONS = { ok: "m5 12.5 4.5 4.5L19 7.5", fail: "M6.5 6.5l11 11M17.5 6.5l-11 11", none: "M6 12h12" };

export const byId = (id) => document.getElementById(id);

/** Replace what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

export function plural(count, one, many = one + "s") {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A time as a short local date and time; the whole of it is the title. */
export function time(value) {
  if (value === null || value === undefined) return h("span", {}, "no readable time");
  const when = new Date(value);
  if (Number.isNaN(when.getTime())) return h("span", {}, value);
  const shown = when.toLocaleString("en", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hour12: false });
  return h("time", { datetime: when.toISOString(), title: when.toISOString() }, shown);
}

/** From one time to another; the day is said once when it is the same. */
export function span(first, last) {
  const [from, to] = [time(first), time(last)];
  const day = from.textContent.replace(/, [\d:]+$/, "");
  if (to.textContent === from.textContent) return from;
  if (to.textContent.startsWith(day + ", ")) to.textContent = to.textContent.slice(day.length + 2);
  return [from, " – ", to];
}

let toastTimer = 0;

/** Say something for a moment. */
export function toast(message) {
  const element = byId("toast");
  element.textContent = message;
  element.classList.add("on");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => element.classList.remove("on"), 3500);
}
