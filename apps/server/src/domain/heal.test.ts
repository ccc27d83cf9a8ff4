import { createMemoryStore } from "../store/memory/memory-store.ts";
import { healScenarios } from "./testing/heal-scenarios.ts";

healScenarios("memory", async (clock) => createMemoryStore({ clock }));
