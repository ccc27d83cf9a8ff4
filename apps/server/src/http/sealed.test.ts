import { createMemoryStore } from "../store/memory/memory-store.ts";
import { sealedScenarios } from "./testing/sealed-scenarios.ts";

sealedScenarios(async (clock) => createMemoryStore({ clock }));
