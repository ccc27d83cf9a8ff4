import { createMemoryStore } from "../store/memory/memory-store.ts";
import { costScenarios } from "./testing/cost-scenarios.ts";

costScenarios("memory", async (clock) => createMemoryStore({ clock }));
