/** The one script of the dashboard. It writes text alone, never markup. */
export const scriptText = `"use strict";
const entry = document.querySelector("[data-enter]");
if (entry) enter(); else if (document.querySelector("[data-live]")) listen();

async function enter() {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (token === "") return;
  const answer = await fetch("/enter", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }) });
  if (answer.ok) location.replace("/");
  else entry.textContent = "This link was used, or is older than a minute. Start tidemark dashboard again.";
}

function listen() {
  const state = document.querySelector("[data-state]");
  const source = new EventSource("/live");
  source.addEventListener("now", (event) => {
    state.textContent = "live";
    for (const { id, rows, none } of JSON.parse(event.data)) draw(document.getElementById(id), rows, none);
  });
  source.onerror = () => { state.textContent = "not connected: tidemark dashboard has ended"; };
}

function draw(list, rows, none) {
  if (!list) return;
  const items = rows.length === 0 ? [item({ title: none, meta: "" })] : rows.map(item);
  list.replaceChildren(...items);
}

function item({ href, title, meta }) {
  const li = document.createElement("li");
  const head = document.createElement(href ? "a" : "span");
  head.className = "row";
  head.textContent = title;
  if (href) head.href = href;
  const about = document.createElement("p");
  about.className = "meta";
  about.textContent = meta;
  li.append(head, ...(meta === "" ? [] : [about]));
  return li;
}
`;
