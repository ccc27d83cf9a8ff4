import { isObject, type JsonValue } from "@tidemark/protocol";
import type { Clock } from "../ports.ts";
import { syncLimits } from "../sync-limits.ts";

/** A pairing link that this device made or came in by, and what it vouches for (EE21, EE22). */
export interface KeptLink {
  readonly id: string;
  readonly side: "made" | "opened";
  /** The server that it is of. */
  readonly server: string;
  /** What only its two devices have, base64url; see `linkBinding`. */
  readonly binding: string;
  /** Whether it opens encrypted namespaces; by any other the newcomer's key is checked all the same. */
  readonly isOpening: boolean;
  /** Wall time from which it vouches for nobody. */
  readonly untilMs: number;
  /** Wall time until which the other device is looked for every few seconds. */
  readonly soonUntilMs: number;
  /** Whether the server has what it vouches for on this side. */
  readonly isTold?: boolean;
  /** Who came in by it, once the server says so. */
  readonly joined?: Joined;
}

/** Who came in by a link. */
export interface Joined {
  readonly device: string;
  readonly name: string;
  /** RFC 7638 thumbprint of the key that the server names. */
  readonly thumbprint: string;
  /** Whether the link vouches for that key: who holds its secret said so. */
  readonly isVouched: boolean;
}

/** The pairing links of this home that still vouch for somebody. */
export interface LinkBook {
  /** Those of the server that this device is paired with, oldest first. */
  links(): readonly KeptLink[];
  keep(link: NewLink): void;
  change(id: string, facts: Partial<Pick<KeptLink, "isTold" | "joined" | "soonUntilMs">>): void;
  /** Lets go of a link by which nobody comes in any more. */
  drop(id: string): void;
  /** Lets go of the link by which a device came in that is shut out now. */
  dropDevice(device: string): void;
  nowMs(): number;
}

/** A link that was made, or by which this device came in, just now. */
export interface NewLink {
  readonly id: string;
  readonly side: KeptLink["side"];
  readonly binding: Uint8Array;
  /** How long it can still be opened, by what was asked for: the server's clock may be another. */
  readonly lifeMs: number;
}

/** What a book is kept in. */
export interface BookPlace {
  /** The store's small facts. */
  readonly facts: {
    meta(key: string): string | undefined;
    changeMeta(key: string, change: (before: string | undefined) => string | undefined): void;
  };
  readonly clock: Clock;
  readonly serverId: string;
}

const name = "pairing-links";
const keptMax = 20;
/** How long after its pairing a device is let in by the link: the other one may be switched off. */
const vouchMs = 7 * 24 * 3_600_000;
const soonMs = 15 * 60_000;

/** Opens the book in a store. */
export function createLinkBook({ facts, clock, serverId }: BookPlace): LinkBook {
  const alive = (text: string | undefined): readonly KeptLink[] => {
    const nowMs = clock.nowMs();
    return read(text).filter(({ untilMs }) => untilMs > nowMs);
  };
  // A daemon and a command may both write at once.
  const change = (make: (links: readonly KeptLink[]) => readonly KeptLink[]): void => {
    facts.changeMeta(name, (before) => {
      const links = make(alive(before)).slice(-keptMax);
      return links.length === 0 ? undefined : JSON.stringify(links);
    });
  };
  return {
    links: () => alive(facts.meta(name)).filter(({ server }) => server === serverId),
    keep: ({ id, side, binding, lifeMs }) => {
      const nowMs = clock.nowMs();
      const isOpening = lifeMs <= syncLimits.vouchingLifeMs;
      const link: KeptLink = {
        id,
        side,
        server: serverId,
        binding: Buffer.from(binding).toString("base64url"),
        isOpening,
        untilMs: nowMs + lifeMs + vouchMs,
        soonUntilMs: isOpening ? nowMs + soonMs : nowMs,
      };
      change((links) => [...links.filter((one) => one.id !== id), link]);
    },
    change: (id, noted) => {
      change((links) => links.map((one) => (one.id === id ? { ...one, ...noted } : one)));
    },
    drop: (id) => {
      change((links) => links.filter((one) => one.id !== id));
    },
    dropDevice: (device) => {
      change((links) => links.filter(({ joined }) => joined?.device !== device));
    },
    nowMs: () => clock.nowMs(),
  };
}

function read(text: string | undefined): readonly KeptLink[] {
  if (text === undefined) return [];
  const links = parsed(text);
  return Array.isArray(links) ? links.filter((link) => isKept(link)) : [];
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** What this device wrote itself; a database that was damaged may have made something of it. */
function isKept(link: unknown): link is KeptLink {
  const known = link as Partial<Record<keyof KeptLink, unknown>> | null;
  if (!isObject(known as JsonValue) || known === null) return false;
  const texts = [known.id, known.server, known.binding];
  const times = [known.untilMs, known.soonUntilMs];
  const isSided = known.side === "made" || known.side === "opened";
  return (
    isSided &&
    typeof known.isOpening === "boolean" &&
    texts.every((text) => typeof text === "string") &&
    times.every((time) => typeof time === "number")
  );
}
