// Everything that the mouse does has a button; these keys are the shorter way.

import { byId, fill, h } from "./dom.js";

const KEYS = [
  ["/", "type a query"],
  ["j  k", "next, previous row of the list in focus"],
  ["1 2 3", "sessions, conversation, recall"],
  ["d", "run the four checks"],
  ["c", "show or hide content"],
  ["t", "timeline"],
  ["?", "this help"],
  ["Esc", "leave the query, close what is open"],
];

/** @param {Object<string, Function>} actions by key */
export function startKeyboard(actions) {
  byId("help").addEventListener("click", help);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("dialog").open) return;
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape" && typing) return event.target.blur();
    if (typing) return undefined;
    const action = event.key === "?" ? help : event.key === "j" || event.key === "k" ? () => step(event.key === "j" ? 1 : -1) : actions[event.key];
    if (!action) return undefined;
    event.preventDefault();
    return action();
  });
}

/** Move among the buttons of the list that holds the focus. */
function step(by) {
  const list = document.activeElement.closest("ul, ol") ?? byId("session-list");
  const buttons = [...list.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  buttons[Math.min(Math.max(at + by, 0), buttons.length - 1)]?.focus();
}

function help() {
  const dialog = byId("dialog");
  fill(dialog,
    h("h2", { id: "dialog-title" }, "Keys"),
    h("dl.keys", {}, KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("div.dialog-actions", {}, h("button.primary", { type: "button", onclick: () => dialog.close() }, "Close")));
  dialog.showModal();
}
