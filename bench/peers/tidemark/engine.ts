/**
 * `engine.ts sync JSON`: one full push and pull by the engine of the client, and what it took
 * without the start of a program.
 */
import { environment } from "../../../apps/client/src/platform/program.ts";
import { actAsClient, syncHome } from "../../sync/sync-home.ts";
import { measured, runVerbs } from "../client-verbs.mjs";

actAsClient();

await runVerbs({
  sync: async () => await measured(async () => await syncHome(environment())),
});
