// The left pane: the scopes that hold memories, and the sessions of the one that is open.

import { ask } from "./api.js";
import { byId, fill, h, plural, text, time } from "./dom.js";
import { forgetDialog } from "./forget.js";
import { scoped, state } from "./state.js";

let opened = () => {};

/** @param {(change: "scope"|"session") => void} onOpen called when another scope or session is open */
export function startSessions(onOpen) {
  opened = onOpen;
  byId("open-key").addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = event.target.elements;
    openScope({ app_name: fields.app.value, user_id: fields.user.value });
    event.target.reset();
  });
  byId("forget-user").addEventListener("click", () => forgetDialog({ what: "user" }));
}

/** Load the scopes, and open the first when none is. */
export async function loadScopes() {
  byId("scopes").hidden = !state.visit.admin;
  if (!state.visit.admin) return loadSessions();
  const { scopes } = await ask("api/scopes", { limit: 200 }, "scopes");
  const rows = scopes.map((scope) => scopeRow(scope));
  fill(byId("scope-list"), rows.length ? rows : h("li.rows-note", {}, "Nothing is stored yet."));
  const fullest = scopes.filter(nameable).toSorted((one, other) => other.memories - one.memories)[0];
  if (state.scope === null && fullest) return openScope(fullest);
  if (state.scope === null) return loadSessions();
  markCurrent();
  return loadSessions();
}

/** Whether a scope can be named in a request: other programs may have stored numbers as ids. */
const nameable = (scope) => typeof scope.app_name === "string" && typeof scope.user_id === "string";

function scopeRow(scope) {
  const name = [h("span.app", {}, `${scope.app_name}/`), text(String(scope.user_id))];
  const count = scope.memories >= 1000 ? "1,000+" : String(scope.memories);
  return h("li", {}, h("button.row", {
    type: "button",
    disabled: !nameable(scope),
    title: nameable(scope) ? null : "An id is stored as a number: another program wrote this.",
    "data-scope": JSON.stringify([scope.app_name, scope.user_id]),
    onclick: () => openScope(scope),
  }, h("span.row-name", {}, name), h("span.row-count", { "aria-label": plural(scope.memories, "memory", "memories") }, count)));
}

export function openScope({ app_name, user_id }) {
  state.scope = { app_name, user_id };
  state.session = null;
  markCurrent();
  opened("scope");
  return loadSessions();
}

/** Load the sessions of the scope, latest first, and open the latest when none is. */
export async function loadSessions() {
  const pages = await ask("api/sessions/list", scoped({ limit: 200 }), "sessions");
  const last = (session) => session.last ?? "";
  state.sessions = pages.sessions.toSorted((one, other) => last(other).localeCompare(last(one)));
  const rows = state.sessions.map(sessionRow);
  const more = pages.cursor === null ? null : h("li.rows-note", {}, "More sessions than fit here.");
  fill(byId("session-list"), rows.length ? rows : h("li.rows-note", {}, "No session under this key."), more);
  byId("forget-user").hidden = !rows.length || !state.visit.capabilities.includes("delete");
  if (!state.sessions.some((session) => session.session_id === state.session)) {
    state.session = state.sessions[0]?.session_id ?? null;
  }
  markCurrent();
  opened("session");
}

function sessionRow(session) {
  return h("li", {}, h("button.row", {
    type: "button",
    "data-session": session.session_id,
    onclick: () => openSession(session.session_id),
  },
  h("span.row-name", {}, session.session_id),
  h("span.row-count", { "aria-label": plural(session.memories, "memory", "memories") }, String(session.memories)),
  h("span.row-note", {}, time(session.last))));
}

export function openSession(id) {
  state.session = id;
  markCurrent();
  opened("session");
}

function markCurrent() {
  const scope = JSON.stringify(state.scope && [state.scope.app_name, state.scope.user_id]);
  for (const row of document.querySelectorAll("[data-scope]")) row.setAttribute("aria-current", String(row.dataset.scope === scope));
  for (const row of document.querySelectorAll("[data-session]")) row.setAttribute("aria-current", String(row.dataset.session === state.session));
}
