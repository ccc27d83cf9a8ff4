import { turnOrigin } from "../../memory/turn-origin.ts";
import type { CliDeps } from "./deps.ts";

/** Who writes through the command line: a person, or a model through its shell, with what it has read (CP98). */
export function writerOf(deps: CliDeps): "user" | "agent" | "web" {
  if (deps.origin === "user") return "user";
  const home = deps.home();
  const project = home.projectAt();
  const isHere = (folder: string): boolean => home.projectAt(folder) === project;
  return turnOrigin(deps.memory().store.sessions, { nowMs: deps.clock.nowMs(), isHere });
}
