import type { NewsEvent } from "@tidemark/protocol";
import type { NewsItem } from "@tidemark/protocol/wire";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import { ageOf } from "./text.ts";

/** What happened to the person's devices, a line each, with what to do if it was not them (AD5). */
export function newsLines(items: readonly NewsItem[], nowMs: number): readonly string[] {
  return items.map((item) => {
    const words = wordsOf(item);
    const age = `${ageOf(nowMs, item.at)} ago`;
    return safeText(`${words.what}, ${age}. ${words.next}`, lineCharsMax);
  });
}

const lineCharsMax = 400;

interface Words {
  readonly what: string;
  readonly next: string;
}

function wordsOf(item: NewsItem): Words {
  const { details, device = "" } = item;
  const name = String(details["name"] ?? device);
  const revoke = `Not you? tidemark device revoke ${device}`;
  const words: Readonly<Record<NewsEvent, () => Words>> = {
    "device-joined": () => ({ what: `New device ${name} (${joinedFacts(item)})`, next: revoke }),
    "device-revoked": () => ({
      what: `The device ${name} was shut out${from(item)}`,
      next: "Not you? tidemark device list",
    }),
    "device-quarantined": () => ({
      what: `The device ${name} was put in quarantine${from(item)}: what it wrote is hidden`,
      next: "See what: tidemark quarantine",
    }),
    "quarantine-lifted": () => ({
      what: `The quarantine of the device ${name} was lifted${from(item)}`,
      next: "Not you? tidemark quarantine --help",
    }),
    "key-copied": () => ({
      what: `The key of ${name} was used in two places, or its folder was put back from a copy${from(item)}`,
      next: revoke,
    }),
    "approvals-locked": () => ({
      what: `Too many wrong codes were tried${from(item)}; you can let nobody in until ${dateText(Number(details["until"] ?? 0))}`,
      next: "Not you? tidemark device list",
    }),
    "owner-reset": () => ({
      what: "Who runs the server printed a link that lets a device of yours in",
      next: "Not agreed? tidemark device list",
    }),
    "identity-connected": () => ({
      what: `An account at ${String(details["issuer"])} was connected, and opens the console as you${from(item)}`,
      next: "Not you? Disconnect it under Devices: tidemark console",
    }),
  };
  // Only events of this list are shown; see `readNews`.
  return words[item.event as NewsEvent]();
}

function joinedFacts({ details, network }: NewsItem): string {
  const by = details["approvedBy"];
  const facts = [details["platform"], network, by === undefined ? undefined : `let in by ${by}`];
  return facts.filter((fact) => fact !== undefined).join(", ");
}

function from({ network }: NewsItem): string {
  return network === undefined ? "" : ` (${network})`;
}
