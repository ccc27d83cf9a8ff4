import { ok } from "@tidemark/protocol";
import { parsePairCode, type PairFacts } from "@tidemark/protocol/wire";
import { safeText } from "../../../platform/terminal.ts";
import type { Server } from "../../../wiring/server.ts";
import { stopped } from "../ask.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { timeLeft } from "../render/time-left.ts";
import { misuse, trouble } from "../trouble.ts";

/** Longest piece of what an unknown device says of itself that is shown. */
const shownCharsMax = 64;

/** Lets a device in that shows a code. */
export const approve: Command = {
  arguments: [{ syntax: "<code>", help: "the code that the new device shows" }],
  options: [
    { flags: "--deny", help: "say no to it" },
    { flags: "-y, --yes", help: "do not ask; what is known of the device goes to standard error" },
  ],
  notes:
    "The new device becomes yours and reads all that you may read. Approve only if you have started\n" +
    "`tidemark pair` on it yourself, just now. The last six characters of the code are checked here\n" +
    "and sent nowhere: by them a server that puts another device in place is found out.\n" +
    "A device that was paired less than 15 minutes ago lets nobody in.",
  run: async (deps, call) => {
    const code = parsePairCode(call.args[0] ?? "");
    if (code === undefined) return { ok: false, error: noCode };
    const server = await deps.server();
    if (call.isOn("deny")) return await deny(deps, server, code.code);
    if (code.half === undefined) return { ok: false, error: halfCode };
    if (!call.isOn("yes") && (call.isJson || !deps.io.hasPerson)) {
      return { ok: false, error: nobodyToAsk };
    }
    const found = await server.approvals.lookUp(code.code, deps.signal);
    if (!found.ok) return { ok: false, error: trouble(found.error) };
    const facts = found.value;
    if (!(await server.approvals.isGenuine(facts, code.half))) {
      return { ok: false, error: tampered };
    }
    deps.io.err(factsText(deps, server, facts));
    if (!(await isMeant(deps, call, facts.name, code.half))) return stopped;
    const done = await server.approvals.approve(facts, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    return decided(facts, "approved", `approved ${facts.name}: it is yours now`);
  },
};

async function deny(deps: CliDeps, server: Server, code: string): Promise<Outcome> {
  const found = await server.approvals.lookUp(code, deps.signal);
  if (!found.ok) return { ok: false, error: trouble(found.error) };
  const done = await server.approvals.deny(found.value, deps.signal);
  if (!done.ok) return { ok: false, error: trouble(done.error) };
  return decided(found.value, "denied", `denied ${found.value.name}: it gets nothing`);
}

function decided(facts: PairFacts, status: "approved" | "denied", text: string): Outcome {
  const { name, platform, network, isSameNetwork } = facts;
  const json = { name, platform, network, sameNetwork: isSameNetwork, status };
  return ok({ json, text: safeText(text) });
}

function factsText(deps: CliDeps, server: Server, facts: PairFacts): string {
  const { user } = server.identity;
  const shown = (text: string): string => safeText(text, shownCharsMax);
  const age = Math.floor(facts.ageMs / 1000);
  return [
    `Let this device in as ${shown(user.name)} at ${shown(server.identity.server.url)}?`,
    `  name      ${shown(facts.name)}  (as it says itself)`,
    `  system    ${shown(facts.platform)}  (as it says itself)`,
    `  network   ${networkText(deps, facts)}`,
    `  asked     ${age} s ago, expires in ${timeLeft(facts.expiresInMs)}`,
    `  keys      genuine: they fit the code`,
    `  access    all that you may see and do`,
    "Approve only if YOU started this just now. Nobody from support will ever ask.\n",
  ].join("\n");
}

function networkText({ io }: CliDeps, { network, isSameNetwork }: PairFacts): string {
  if (network === null) return "not known";
  const place = safeText(network, shownCharsMax);
  if (isSameNetwork === null) return place;
  if (isSameNetwork) return `${place}  [the SAME network as yours]`;
  const warning = "[a DIFFERENT network than yours]";
  return `${place}  ${io.hasColour ? `\u001B[31m${warning}\u001B[0m` : warning}`;
}

/** A name has to be read to be typed: a yes by habit lets nobody in (PR11). */
async function isMeant(deps: CliDeps, call: Call, name: string, half: string): Promise<boolean> {
  if (call.isOn("yes")) return true;
  const word = lastWord(name);
  if (word !== undefined) {
    const answer = await deps.io.ask("Type the last word of its name to approve: ");
    return answer?.trim().toLowerCase() === word;
  }
  const answer = await deps.io.ask("Type the last 6 characters of its code to approve: ");
  return answer?.trim().toUpperCase() === half;
}

/**
 * What follows the last blank, hyphen or other mark of a name; undefined where that would be nothing
 * to read, or what a person types by habit.
 */
export function lastWord(name: string): string | undefined {
  const seen = safeText(name).replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const word = seen
    .match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu)
    ?.at(-1)
    ?.toLowerCase();
  return word === undefined || ["y", "yes"].includes(word) ? undefined : word;
}

const noCode = misuse("this is no code", "give it as the new device shows it: WDJB-MJHT-7KQ2XN");

const halfCode = misuse(
  "this is only the first half of the code",
  "give all of it, as the new device shows it: WDJB-MJHT-7KQ2XN",
);

const nobodyToAsk = trouble({
  code: "confirm-needed",
  message: "there is nobody to ask whether this device is yours; nothing was sent",
  hint: "run it on a terminal, or repeat with --yes if you started the pairing yourself",
});

const tampered = trouble({
  code: "keys-do-not-match",
  message: "the code does not fit what the server shows of this device; no approval was sent",
  hint:
    "compare the last 6 characters; if they are right, the server or somebody on the way has put " +
    "another device in place: do not approve, and ask who runs the server",
});
