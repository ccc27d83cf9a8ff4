import { ok } from "@tidemark/protocol";
import { memoryLimits } from "../../../memory/limits.ts";
import { saveObservation } from "../../../memory/save.ts";
import { heldWhenSaved } from "../../../recall/held.ts";
import type { Call, Command } from "../command.ts";
import { heldLine } from "../render/held.ts";
import { namespaceForSave, projectOf } from "../scope.ts";
import { failed } from "../shown.ts";
import { misuse } from "../trouble.ts";
import { writerOf } from "../turn.ts";

const narrativeKiB = memoryLimits.narrativeBytesMax / 1_024;

/** Saves an observation that a person wrote. */
export const save: Command = {
  options: [
    {
      flags: "-t, --title <title>",
      help: `what was learned, in one line of at most ${memoryLimits.titleCharsMax} characters`,
    },
    {
      flags: "-k, --kind <kind>",
      help: "note, decision, fix, discovery, failure, …; `note` unless given",
    },
    {
      flags: "--narrative <text>",
      help: `the whole story, at most ${narrativeKiB} KiB; \`-\` reads it from standard input`,
    },
    {
      flags: "-f, --fact <fact>",
      help: `one fact, at most ${memoryLimits.factBytesMax} bytes`,
      isRepeatable: true,
    },
    {
      flags: "-c, --concept <concept>",
      help: `one word to find it by, at most ${memoryLimits.conceptCharsMax} characters`,
      isRepeatable: true,
    },
    { flags: "--file <path>", help: "a file it is about", isRepeatable: true },
    { flags: "-n, --namespace <name>", help: "save it there (name or id)" },
    { flags: "--local", help: "save it in `local`, which never leaves this device" },
    {
      flags: "-p, --project <project>",
      help: "of this project; the one of this folder unless given",
    },
  ],
  notes:
    "Secrets are taken out before anything is stored. Without --namespace it goes to the namespace\n" +
    "that this project is bound to (`tidemark namespace use`), else to your personal one.",
  run: async (deps, call) => {
    const title = call.text("title") ?? "";
    if (title.trim() === "") {
      return {
        ok: false,
        error: misuse("--title is missing", 'tidemark save --title "What was learned"'),
      };
    }
    const home = deps.home();
    const memory = deps.memory();
    const namespace = namespaceForSave({ memory, home }, call);
    if (!namespace.ok) return namespace;
    const narrative = call.text("narrative");
    const origin = writerOf(deps);
    const saved = saveObservation(memory, {
      ...contentOf(call),
      namespace: namespace.value,
      title,
      narrative: narrative === "-" ? await deps.io.stdinText() : (narrative ?? ""),
      project: projectOf(home, call.text("project")) ?? home.projectAt(),
      origin,
    });
    if (!saved.ok) return failed(saved.error);
    const { id, namespace: at } = saved.value;
    const signals = heldWhenSaved(memory.store.reads, saved.value);
    const held = signals === undefined ? pageLine(origin) : `\n${heldLine(id, signals)}`;
    const json = { id, namespace: at, ...(signals === undefined ? {} : { held: signals }) };
    return ok({ json, text: `saved ${id}${held}` });
  },
};

/** What a model's shell is told after it has read pages, as over MCP. */
function pageLine(origin: "user" | "agent" | "web"): string {
  if (origin !== "web") return "";
  return "\nthis turn read the web, so sessions are not given it until a person runs tidemark pin";
}

function contentOf(call: Call) {
  const kind = call.text("kind");
  return {
    facts: call.texts("fact"),
    concepts: call.texts("concept"),
    filesModified: call.texts("file"),
    ...(kind === undefined ? {} : { kind }),
  };
}
