// Starts the page: finds out who is here, then lets the panes talk to one another.

import { ask, Refused } from "./api.js";
import { clearChecks, runChecks, startChecks } from "./checks.js";
import { loadTurns, markHits, revealTurn, startConversation } from "./conversation.js";
import { byId, fill, h, toast } from "./dom.js";
import { startForget } from "./forget.js";
import { startKeyboard } from "./keyboard.js";
import { run, startRecall } from "./recall.js";
import { loadScopes, openSession, startSessions } from "./sessions.js";
import { readUrl, state, writeUrl } from "./state.js";
import { startTheme } from "./theme.js";
import { loadTimeline, openTimeline, startTimeline } from "./timeline.js";
import { clearFate, explainTurn } from "./why.js";

startTheme();
readUrl();
start();

async function start() {
  try {
    enter(await ask("visit"));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 401) return gate();
    toast(error.sentence);
  }
  return undefined;
}

/** Nobody is here yet: ask for the token, where this inspector has one. */
async function gate() {
  const hasToken = await ask("login", { token: "" }).catch((error) => error.status !== 404);
  byId("gate").hidden = false;
  byId("login").hidden = !hasToken;
  byId("closed").hidden = Boolean(hasToken);
  if (!hasToken) return;
  byId("token").focus();
  byId("login").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const visit = await ask("login", { token: byId("token").value.trim() });
      byId("token").value = "";
      byId("gate").hidden = true;
      enter(visit);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      byId("login-error").textContent = error.status === 401 ? "This is not the token." : error.sentence;
    }
  });
}

function enter(visit) {
  state.visit = visit;
  byId("panes").hidden = false;
  byId("tabs").hidden = false;
  startBar();
  startPanes();
  startSessions(onOpen);
  startConversation((turn) => {
    showPane("recall");
    explainTurn(turn);
  });
  startRecall({ found: markHits, missed: runChecks, cleared: () => { clearChecks(); clearFate(); }, open: openHit });
  startChecks();
  startForget(() => attempt(loadScopes));
  startTimeline();
  startKeyboard({
    "/": () => { showPane("recall"); byId("query").focus(); byId("query").select(); },
    1: () => focusPane("sessions"),
    2: () => focusPane("turns"),
    3: () => focusPane("recall"),
    c: () => byId("show-content").click(),
    d: runChecks,
    t: () => openTimeline(!state.timeline),
  });
  run();
  attempt(loadScopes);
}

async function attempt(load) {
  try {
    await load();
    loadTimeline();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(error.sentence);
  }
}

/** Another scope or session is open: show its key and turns, and ask the query again there. */
function onOpen(change) {
  const own = state.scope ?? state.visit;
  fill(byId("key"), h("span", {}, own.app_name), "/", h("span", {}, own.user_id));
  clearFate();
  if (change === "session") {
    attempt(loadTurns);
    run();
  }
}

async function openHit(hit) {
  if (hit.session_id !== null && hit.session_id !== state.session) {
    openSession(hit.session_id);
    await loadTurns();
  }
  showPane("turns");
  revealTurn(hit);
}

// --- the bar ---

function startBar() {
  const button = byId("show-content");
  button.hidden = !state.visit.may_show_content;
  button.setAttribute("aria-pressed", String(state.visit.content));
  button.addEventListener("click", () => attempt(async () => {
    state.visit = await ask("content", { show: !state.visit.content });
    button.setAttribute("aria-pressed", String(state.visit.content));
    toast(state.visit.content ? "Content is shown. That it was asked for is logged." : "Content is hidden.");
    await loadTurns();
    await run();
  }));
  byId("leave").hidden = !state.visit.leaves;
  byId("leave").addEventListener("click", async () => {
    await ask("logout");
    location.reload();
  });
}

// --- the panes: side by side, or one at a time on a phone ---

function startPanes() {
  for (const button of byId("tabs").querySelectorAll("button")) {
    button.addEventListener("click", () => showPane(button.dataset.pane));
    if (button.dataset.pane === "timeline") button.disabled = !state.visit.admin;
  }
  showPane(state.pane);
}

function showPane(name) {
  state.pane = name;
  document.body.dataset.pane = name;
  for (const button of byId("tabs").querySelectorAll("button")) {
    button.setAttribute("aria-current", String(button.dataset.pane === name));
  }
  const phone = matchMedia("(max-width: 720px)").matches;
  if (phone && name === "timeline" && !state.timeline) openTimeline(true);
  writeUrl();
}

function focusPane(name) {
  showPane(name);
  const pane = document.querySelector(`.pane-${name}`);
  (pane.querySelector("button, input") ?? pane).focus();
}
