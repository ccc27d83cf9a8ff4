/**
 * What pages do beyond what they show: signing in by the link's secret, keys, copying, the theme.
 * Every page can be used without it, except for signing in. It sets text alone, never HTML.
 */
export const script = `"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector) => Array.from(document.querySelectorAll(selector));

  const entry = document.querySelector("[data-enter]");
  if (entry) enter(entry);

  async function enter(form) {
    const link = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    const state = document.querySelector("[data-enter-state]");
    if (link === "") return;
    state.textContent = "Signing in…";
    const response = await fetch(form.action, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ link }).toString(),
    }).catch(() => ({ ok: false, status: 0 }));
    if (response.ok) location.replace("/console");
    else state.textContent = refusalOf(response.status);
  }

  function refusalOf(status) {
    if (status === 429) return "Too many tries. Wait a minute, then run tidemark console again.";
    return status === 0 || status >= 500
      ? "The server does not answer now. Wait a moment, then run tidemark console again."
      : "This link has been used, or two minutes are over. Run tidemark console again.";
  }

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  for (const button of all("[data-theme-switch]")) {
    const label = () => { button.textContent = isDark() ? "Light" : "Dark"; };
    button.hidden = false;
    label();
    dark.addEventListener("change", label);
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      const secure = location.protocol === "https:" ? "; Secure" : "";
      document.cookie = "tidemark-theme=" + root.dataset.theme + "; Path=/console; Max-Age=31536000; SameSite=Strict" + secure;
      label();
    });
  }

  for (const button of all("[data-copy]")) {
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Select it";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  for (const field of all("[data-first-half]")) {
    field.form.addEventListener("submit", () => {
      field.value = field.value.replace(/[ -]/g, "").slice(0, 8);
    });
  }

  for (const field of all("select[data-submits]")) {
    field.addEventListener("change", () => field.form.requestSubmit());
  }

  const help = document.querySelector("dialog.keys");
  for (const button of all("[data-help]")) {
    button.hidden = false;
    button.addEventListener("click", () => help.showModal());
  }

  document.querySelector("nav a.here")?.scrollIntoView({ block: "nearest", inline: "center" });

  let isGoing = false;
  const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;
  const step = (by) => {
    const entries = all("[data-entry]");
    if (entries.length === 0) return;
    const at = entries.indexOf(document.activeElement);
    entries[Math.min(entries.length - 1, Math.max(0, at + by))].focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !help) return;
    if (event.key === "Escape" && typing(event.target)) event.target.blur();
    if (typing(event.target) || help.open) return;
    if (isGoing) {
      isGoing = false;
      const link = all("nav a[data-key]").find(({ dataset }) => dataset.key === event.key);
      if (link) link.click();
      return;
    }
    if (event.key === "g") isGoing = true;
    else if (event.key === "?") help.showModal();
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "/") {
      event.preventDefault();
      const search = document.querySelector("input[type=search]");
      if (search) search.focus();
      else location.assign("/console/memory?focus=search");
    }
  });
})();
`;
