import { storeContract } from "../contract.ts";
import { createMemoryStore } from "./memory-store.ts";

storeContract("memory", async (clock) => createMemoryStore({ clock }));
