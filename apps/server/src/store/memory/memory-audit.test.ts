import { auditContract } from "../testing/audit-contract.ts";
import { createMemoryStore } from "./memory-store.ts";

auditContract("memory", async (clock) => createMemoryStore({ clock }));
