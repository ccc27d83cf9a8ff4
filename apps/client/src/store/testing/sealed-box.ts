/** An encrypted namespace and its keys, for tests: a key of an epoch is as many bytes of its number. */
import type { NamespaceId, NamespaceKeys } from "@tidemark/protocol";
import type { Store } from "../store.ts";
import { pair } from "./exchange.ts";
import type { TestServer } from "./test-server.ts";
import { seededRandom, testStore } from "./test-store.ts";

/** The namespace. */
export const box = "nse_box" as NamespaceId;

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

/** Its keys of some epochs. */
export function boxKeys(...epochs: readonly number[]): NamespaceKeys {
  return {
    namespace: box,
    names: key(99),
    epochs: new Map(epochs.map((epoch) => [epoch, key(epoch)])),
  };
}

/** Its log, as a device knows it that has read up to an epoch. */
export function boxLog(epoch: number) {
  const head = `h${epoch}`;
  return { namespace: box, length: epoch, head, epoch, name: "box", entries: [] };
}

/** A device comes by the keys of some epochs, and by the log up to the last of them. */
export function takeBoxKeys(store: Store, ...epochs: readonly number[]): void {
  store.replicas.takeSealing(boxLog(Math.max(...epochs)), boxKeys(...epochs));
}

/** A device that is paired; without epochs it has no key yet. */
export function boxDevice(server: TestServer, name: string, ...epochs: readonly number[]): Store {
  const store = testStore({ random: seededRandom(name) });
  if (epochs.length > 0) takeBoxKeys(store, ...epochs);
  pair(store, server);
  return store;
}
