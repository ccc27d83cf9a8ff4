import { deviceKeyOfSeed, thumbprintOf, type DeviceKey } from "../platform/device-key.ts";
import { hmacSha256, sha256 } from "../platform/hash.ts";
import type { Identity } from "../platform/identity.ts";
import { epochSecretOf, sealingKeyOf } from "../platform/sealing-key.ts";
import type { Store } from "../store/store.ts";
import type { Caller } from "../sync/http/caller.ts";
import type { Clock, Random } from "../sync/ports.ts";
import { createKeeper, type Keeper } from "../sync/sealed/keeper.ts";
import { createKeyExchange, type KeyExchange } from "../sync/sealed/key-exchange.ts";
import { createKeysApi } from "../sync/sealed/keys-api.ts";
import { createLinkBook } from "../sync/sealed/link-book.ts";
import type { Asked, Holder, SealedParts } from "../sync/sealed/own-keys.ts";

/** What this device does with keys of encrypted namespaces. */
export interface Keyring {
  readonly exchange: (store: Store) => KeyExchange;
  readonly keeper: (store: Store) => Keeper;
}

/** What of a device's key is needed here. */
type KeyHalves = Pick<DeviceKey, "publicJwk" | "privateJwk">;

/** Wires the keys of a paired device. */
export function openKeyring(device: {
  readonly caller: Caller;
  readonly key: KeyHalves;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly random: Random;
}): Keyring {
  const { caller, key, identity, clock, random } = device;
  let made: Holder | undefined;
  // When it is first needed: most runs of the program have nothing to do with encrypted namespaces.
  const self = (): Holder =>
    (made ??= holderOf(key, { device: identity.device.id, user: identity.user.id }));
  const api = createKeysApi(caller);
  const parts = (store: Store): SealedParts => ({
    api,
    store: store.replicas,
    get self() {
      return self();
    },
    asked: askedIn(store),
    links: createLinkBook({ facts: store.upkeep, clock, serverId: identity.server.id }),
    sha256,
    hmacSha256,
    thumbprint: thumbprintOf,
    random,
  });
  return {
    exchange: (store) => createKeyExchange(parts(store)),
    keeper: (store) =>
      createKeeper(parts(store), (seed, who) => holderOf(deviceKeyOfSeed(seed), who)),
  };
}

function holderOf(
  key: KeyHalves,
  { device, user }: { readonly device: string; readonly user: string },
): Holder {
  const sign = key.privateJwk();
  const open = sealingKeyOf(sign);
  const keys = { device, user, sig: key.publicJwk.x, enc: open.x };
  return { keys, sign: { ...sign }, open: { ...open }, epochSecret: epochSecretOf(sign) };
}

function askedIn({ upkeep }: Store): Asked {
  const nameOf = (namespace: string): string => `sealing-asked ${namespace}`;
  return {
    isAsked: (namespace) => upkeep.meta(nameOf(namespace)) !== undefined,
    note: (namespace) => {
      upkeep.setMeta(nameOf(namespace), "1");
    },
  };
}
