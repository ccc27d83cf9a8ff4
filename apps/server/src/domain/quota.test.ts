import { createMemoryStore } from "../store/memory/memory-store.ts";
import { quotaScenarios } from "./testing/quota-scenarios.ts";

quotaScenarios("memory", async (clock) => createMemoryStore({ clock }));
