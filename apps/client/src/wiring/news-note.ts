import type { Hello, WaitingPlace } from "@tidemark/protocol/wire";
import { attempt } from "../store/store-error.ts";
import type { Store } from "../store/store.ts";
import {
  newsName,
  newsText,
  newsToldName,
  readNews,
  toldText,
  type ShownNews,
} from "../sync/news.ts";
import { readWaiting, waitingName, waitingText } from "../sync/waiting.ts";
import type { Home } from "./home.ts";

type Upkeep = Pick<Store, "upkeep">;

/** Keeps what `hello` tells of the person's devices, for whoever shows it to the person (AD5). */
export function noteNews({ upkeep }: Upkeep, hello: Hello): void {
  const { news, server } = hello;
  if (news === undefined) return;
  attempt(() => {
    const before = upkeep.meta(newsName);
    const text = newsText(before, server.id, news);
    if (text !== before) upkeep.setMeta(newsName, text);
  });
}

/** Keeps where `hello` says that the person waits to be let in (NS24). */
export function noteWaiting({ upkeep }: Upkeep, { waiting = [], server }: Hello): void {
  attempt(() => {
    const before = upkeep.meta(waitingName);
    const text = waitingText(server.id, waiting);
    const isNothing = before === undefined && waiting.length === 0;
    if (text !== before && !isNothing) upkeep.setMeta(waitingName, text);
  });
}

/** Where the person waits to be let in; nowhere while the device is not paired. */
export function knownWaiting({ upkeep }: Upkeep, home: Home): readonly WaitingPlace[] {
  const server = home.identity()?.server.id;
  return server === undefined ? [] : readWaiting(upkeep.meta(waitingName), server);
}

/** What is known of the person's devices, newest first; nothing while the device is not paired. */
export function knownNews({ upkeep }: Upkeep, home: Home): readonly ShownNews[] {
  const identity = home.identity();
  if (identity === undefined) return [];
  const own = { device: identity.device.id, server: identity.server.id };
  return readNews(upkeep.meta(newsName), upkeep.meta(newsToldName), own);
}

/** What no person was shown yet on this device, oldest first; once this was called, they were. */
export function takeUntoldNews(store: Upkeep, home: Home): readonly ShownNews[] {
  const known = knownNews(store, home);
  const untold = known.filter(({ isNew }) => isNew).toReversed();
  const server = home.identity()?.server.id;
  const text = server === undefined ? undefined : toldText(known, server);
  if (untold.length > 0 && text !== undefined) store.upkeep.setMeta(newsToldName, text);
  return untold;
}
