import type { Signal } from "../../../recall/screen/signal.ts";

const words: Readonly<Record<Signal, string>> = {
  override: "orders to drop earlier instructions",
  "role-marks": "marks of roles or tools",
  "to-agents": "words to agents",
  authority: "claims of authority",
  concealment: "things to be kept from the person",
  exfiltration: "secrets or files to be sent away",
  "remote-code": "code from the network to be run",
  safeguards: "safeguards to be taken off",
  trigger: "an order that waits for something",
  persistence: "an order to keep and repeat it",
  source: "a place to install from",
  hidden: "characters that nobody sees",
  encoded: "an encoded text that holds these",
};

/** Why agents are not given a record (RC19), for the person who decides about it. */
export function heldText(signals: readonly Signal[]): string {
  return signals.map((signal) => words[signal]).join(", ");
}

/** The same for who has just saved it (RC22), with the way out. */
export function heldLine(id: string, signals: readonly Signal[]): string {
  return `held back from agents, until tidemark pin ${id.slice(0, 10)}: ${heldText(signals)}`;
}
