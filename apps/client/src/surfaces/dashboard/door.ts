import type { Sha256 } from "@tidemark/protocol";
import type { Random } from "../../platform/random.ts";

/** How long the link of a start lets somebody in, in milliseconds. */
export const linkMsMax = 60_000;

/** Who may come in: whoever holds the link once, then whoever holds the cookie (DA2). */
export interface Door {
  /** Stands behind `#` in the link, so that no log and no `Referer` has it. */
  readonly token: string;
  /** The cookie's value for the right token, once and in time. */
  enter(token: string): string | undefined;
  knows(cookie: string | undefined): boolean;
}

/** Makes the door of one run. */
export function createDoor(deps: {
  readonly random: Random;
  readonly clock: { nowMs(): number };
  readonly sha256: Sha256;
}): Door {
  const secret = (): string => Buffer.from(deps.random.bytes(32)).toString("base64url");
  // Digests are compared, so that the time it takes tells nothing of the secret.
  const digest = (text: string): string => Buffer.from(deps.sha256(text)).toString("hex");
  const token = secret();
  const cookie = secret();
  const until = deps.clock.nowMs() + linkMsMax;
  let isUsed = false;
  return {
    token,
    enter: (given) => {
      if (isUsed || deps.clock.nowMs() > until || digest(given) !== digest(token)) return undefined;
      isUsed = true;
      return cookie;
    },
    knows: (given) => given !== undefined && digest(given) === digest(cookie),
  };
}

/** Why a request is turned away before anybody looks at it; undefined where it is not (DA1). */
export function refusalOf(
  request: {
    readonly method: string;
    readonly header: (name: string) => string | undefined;
  },
  address: string,
): 421 | 403 | undefined {
  if (request.header("host") !== address) return 421;
  const origin = request.header("origin");
  const site = request.header("sec-fetch-site");
  if (origin !== undefined && origin !== `http://${address}`) return 403;
  if (site !== undefined && site !== "same-origin" && site !== "none") return 403;
  const isRead = request.method === "GET" || request.method === "HEAD";
  return isRead || origin !== undefined ? undefined : 403;
}
