import {
  parseRecoveryCode,
  type NamespaceId,
  type RecordId,
} from "../../packages/protocol/src/index.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import type { ScrubbedFields } from "../../apps/client/src/store/store.ts";
import {
  emptyAccounts,
  type AccountState,
} from "../../apps/server/src/store/memory/account-state.ts";
import { copyAccounts } from "../../apps/server/src/store/memory/copy-accounts.ts";
import { createMemoryStore } from "../../apps/server/src/store/memory/memory-store.ts";
import { createWorld, type Device, type Fate, type World, type WorldOptions } from "./world.ts";

const signal = new AbortController().signal;

/** A world with an encrypted namespace on its first device, and a server that can be set back. */
export interface Vault {
  readonly world: World;
  readonly id: NamespaceId;
  readonly code: Uint8Array;
  /** What the server has of accounts and namespaces; another object after it was set back. */
  accounts(): AccountState;
  /** What the server has of the encrypted namespace. */
  state(): NonNullable<ReturnType<AccountState["namespaces"]["get"]>>;
  /** Copies the server's database; what is given sets it back to that. */
  backUp(): () => Promise<void>;
  /** Lets the second device in. */
  letIn(): Promise<void>;
  save(device: Device, id: string, title: string): void;
  /** Syncs both devices twice. */
  settle(): Promise<void>;
  /** Of which epochs the server has keys for somebody. */
  epochsFor(isMeant: (recipient: string) => boolean): readonly number[];
}

/** See {@link Vault}. */
export async function openVault(
  fate?: Fate,
  options: Omit<WorldOptions, "isSealed"> = {},
): Promise<Vault> {
  let accounts = emptyAccounts();
  const world = await createWorld(fate, (clock) => createMemoryStore({ clock, accounts }), {
    ...options,
    isSealed: true,
  });
  await world.a.sync();
  const made = await world.a.keeper.create("vault", signal);
  if (!made.ok) throw new Error(made.error.message);
  await world.a.sync();
  const { id } = made.value.info;
  const state: Vault["state"] = () => {
    const found = accounts.namespaces.get(id);
    if (found === undefined) throw new Error("no namespace");
    return found;
  };
  return {
    world,
    id,
    code: codeOf(made.value.recoveryCode),
    accounts: () => accounts,
    state,
    backUp: () => {
      const copy = copyAccounts(accounts);
      return async () => {
        accounts = copy;
        await world.restoreServer();
      };
    },
    letIn: async () => {
      await world.b.sync();
      await world.b.keeper.look(id, signal);
      const look = await world.a.keeper.look(id, signal);
      if (!look.ok || look.value.waiting[0] === undefined) throw new Error("nobody waits");
      const done = await world.a.keeper.admit(id, look.value.waiting[0], signal);
      if (!done.ok) throw new Error(done.error.message);
      await world.b.keeper.look(id, signal);
    },
    save: (device, record, title) => {
      const fields = { title } as unknown as ScrubbedFields;
      const put = {
        kind: "put",
        id: record as RecordId,
        collection: "observation",
        fields,
      } as const;
      const changed = device.store.changes.change(id, [put], world.clock.nowMs());
      if (!changed.ok) throw new Error(changed.error.kind);
    },
    settle: async () => {
      for (const device of [world.a, world.b, world.a, world.b]) await device.sync();
    },
    epochsFor: (isMeant) =>
      state()
        .wraps.filter(({ recipient }) => isMeant(recipient))
        .map(({ epoch }) => epoch)
        .toSorted((left, right) => left - right),
  };
}

/** The bytes of a recovery code that was shown. */
export function codeOf(shown: string): Uint8Array {
  const code = parseRecoveryCode(sha256, shown);
  if (code === undefined) throw new Error("what was shown is no recovery code");
  return code;
}
