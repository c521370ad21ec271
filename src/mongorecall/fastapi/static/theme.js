// Light or dark: as the system says, until somebody chooses.

import { byId } from "./dom.js";

const KEY = "mongorecall-theme";

export function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => { document.documentElement.dataset.theme = chosen() ?? (system.matches ? "dark" : "light"); };
  apply();
  system.addEventListener("change", apply);
  byId("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    document.documentElement.dataset.theme = next;
  });
}

function chosen() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
