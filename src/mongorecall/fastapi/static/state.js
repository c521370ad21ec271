// What the page shows at present. The part without ids and text is in the URL, so that it can be shared.

export const state = {
  visit: null, // who is here, as /visit says
  scope: null, // { app_name, user_id }, or null for one's own
  sessions: [],
  session: null, // session id
  query: "",
  limit: 5,
  onlySession: false,
  pane: "sessions",
  timeline: false,
};

/** The scope as the part of a request that names it. */
export function scoped(body = {}) {
  return state.scope === null ? body : { ...body, scope: state.scope };
}

/** A request that asks for text when this visit shows it. */
export function showing(body = {}) {
  return scoped({ ...body, content: state.visit.content });
}

const LIMITS = [3, 5, 10, 50];

export function readUrl() {
  const given = new URLSearchParams(location.hash.slice(1));
  const limit = Number(given.get("page"));
  if (LIMITS.includes(limit)) state.limit = limit;
  if (["sessions", "turns", "recall", "timeline"].includes(given.get("pane"))) state.pane = given.get("pane");
  state.onlySession = given.get("session") === "only";
  state.timeline = given.get("timeline") === "open";
}

export function writeUrl() {
  const shown = new URLSearchParams();
  shown.set("pane", state.pane);
  shown.set("page", String(state.limit));
  if (state.onlySession) shown.set("session", "only");
  if (state.timeline) shown.set("timeline", "open");
  history.replaceState(null, "", "#" + shown);
}
