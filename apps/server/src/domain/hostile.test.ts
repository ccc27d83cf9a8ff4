import { createMemoryStore } from "../store/memory/memory-store.ts";
import { hostileScenarios } from "./testing/hostile-scenarios.ts";

hostileScenarios("memory", async (clock) => createMemoryStore({ clock }));
