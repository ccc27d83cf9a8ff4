import { ok } from "@tidemark/protocol";
import { safeText } from "../../../platform/terminal.ts";
import { askConsoleLink } from "../../../sync/access/console.ts";
import type { Command } from "../command.ts";
import { timeLeft } from "../render/time-left.ts";
import { trouble } from "../trouble.ts";

/** Signs a browser in to the server's console. */
export const openConsole: Command = {
  options: [{ flags: "--no-open", help: "print the link, and open no browser" }],
  notes:
    "The link signs a browser in as you, once, within two minutes; nobody else should get it. It is\n" +
    "opened in your browser where there is one. The session ends after an hour without use, after\n" +
    "twelve hours, and with this device. What is hard to undo, such as letting a device in, asks for\n" +
    "a link that is less than five minutes old: run this again.",
  run: async (deps, call) => {
    const server = await deps.server();
    const link = await askConsoleLink(server.caller, deps.signal);
    if (!link.ok) return { ok: false, error: trouble(link.error) };
    const { url, expiresInMs } = link.value;
    const opens = deps.io.hasPerson && !call.isJson && call.isOn("open");
    const isOpened = opens && deps.openBrowser(url);
    const lines = [
      isOpened ? "opened in your browser; or open this yourself:" : "open this in a browser:",
      `\n  ${safeText(url)}\n`,
      `It works once, for ${timeLeft(expiresInMs)}.`,
    ];
    const json = { link: url, expiresInMs };
    return ok({ json, text: lines.join("\n") });
  },
};
