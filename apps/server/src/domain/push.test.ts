import { createMemoryStore } from "../store/memory/memory-store.ts";
import { pushScenarios } from "./testing/push-scenarios.ts";

pushScenarios("memory", async (clock) => createMemoryStore({ clock }));
