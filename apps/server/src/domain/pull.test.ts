import { createMemoryStore } from "../store/memory/memory-store.ts";
import { pullScenarios } from "./testing/pull-scenarios.ts";

pullScenarios("memory", async (clock) => createMemoryStore({ clock }));
