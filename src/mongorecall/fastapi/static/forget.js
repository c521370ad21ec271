// Forgetting: a count first, then the user id typed, and only then the real thing.

import { ask, Refused } from "./api.js";
import { byId, fill, h, plural, toast } from "./dom.js";
import { scoped, state } from "./state.js";

let changed = () => {};

/** @param {() => void} onChange called when something was forgotten */
export function startForget(onChange) {
  changed = onChange;
}

const NAMES = { memory: "this turn", session: "this session", user: "everything of this user" };

/** @param {{what: "memory"|"session"|"user", memory_id?: string, session_id?: string}} target */
export async function forgetDialog(target) {
  const dialog = byId("dialog");
  try {
    const counted = await ask("api/forget", scoped(target));
    draw(dialog, target, counted);
    dialog.showModal();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.sentence);
  }
}

function draw(dialog, target, counted) {
  const user = (state.scope ?? state.visit).user_id;
  const memories = plural(counted.forgotten, "memory", "memories");
  const problem = h("p.form-error", { role: "alert" });
  const go = h("button.primary.danger", { type: "submit", disabled: true }, `Forget ${memories}`);
  const typed = h("input", { id: "confirm", autocomplete: "off", spellcheck: "false", maxlength: 512 });
  typed.addEventListener("input", () => { go.disabled = typed.value !== user || counted.forgotten === 0; });
  const form = h("form", { method: "dialog" },
    h("h2", { id: "dialog-title" }, `Forget ${NAMES[target.what]}?`),
    h("p", {}, h("b", {}, memories), ` in ${plural(counted.sessions, "session")} would be forgotten for good. Adding the session again does not bring them back.`),
    h("label", { for: "confirm" }, "To confirm, type the user id ", h("code", {}, user), typed),
    problem,
    h("div.dialog-actions", {}, h("button.quiet", { type: "button", onclick: () => dialog.close() }, "Keep"), go));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!go.disabled) forget(dialog, { ...target, dry_run: false, expected: counted.forgotten, confirm: typed.value }, problem);
  });
  fill(dialog, form);
}

async function forget(dialog, request, problem) {
  try {
    const receipt = await ask("api/forget", scoped(request));
    dialog.close();
    toast(`${plural(receipt.forgotten, "memory", "memories")} forgotten.`);
    changed();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    problem.textContent = error.sentence;
  }
}
