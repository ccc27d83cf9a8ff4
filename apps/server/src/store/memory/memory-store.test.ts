import { storeContract } from "../contract.ts";
import { owner } from "../testing/contract-rows.ts";
import { ownNamespaces } from "../testing/own-namespaces.ts";
import { emptyAccounts } from "./account-state.ts";
import { createMemoryStore } from "./memory-store.ts";

let accounts = emptyAccounts();

storeContract(
  "memory",
  async (clock) => {
    accounts = emptyAccounts();
    return createMemoryStore({ clock, accounts });
  },
  async (count) => ownNamespaces(accounts, owner, count),
);
