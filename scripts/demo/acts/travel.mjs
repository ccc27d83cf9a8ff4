import { claim } from "../claim.mjs";
import { clipped } from "../screen.mjs";

/** What both laptops are going to decide on their own. */
const openQuestion = [
  "--kind",
  "decision",
  "--title",
  "Where diffs are rendered is open",
  "--narrative",
  "The server has the files; the browser has the width of the page.",
];

/** What somebody who meets the same error on the other laptop would ask. */
const query = "secret_key_base configuration";

/** What one laptop captured is found on the other. */
export const travel = {
  short: "Recall",
  title: "What laptop-a learned is found on laptop-b",
  async run(world, { screen }) {
    const { laptopA, laptopB } = world;
    const saved = await laptopA.ask("save", ...openQuestion);
    screen.progress("laptop-a syncs");
    await laptopA.sync();
    screen.progress("laptop-b syncs");
    await laptopB.sync();
    const { items } = await laptopB.ask("search", query);
    const hit = items.find(({ kind }) => kind === "fix");
    claim(hit !== undefined, "a search on laptop-b finds the fix of laptop-a", { query, items });
    claim(hit.author.device === "laptop-a", "the hit tells which device learned it", hit.author);
    const { total } = await laptopB.ask("list", "--all");
    const own = await laptopA.ask("list", "--all");
    claim(total === own.total, "laptop-b has all that laptop-a has", {
      "laptop-a": own.total,
      "laptop-b": total,
    });
    const given = await contextFor(laptopB, world.hookCalls[0].payload);
    claim(
      given.includes("secret_key_base"),
      "an agent on laptop-b is given it when a prompt quotes the error",
      given,
    );
    world.edited = saved;
    const { accent, quiet } = screen.colours;
    return {
      facts: [
        `${total} of ${own.total} observations arrived: what was captured, and one saved by hand`,
        quiet(`laptop-b $ tidemark search '${query}'`),
        `${accent(hit.kind.padEnd(9))} ${clipped(hit.title, 46)}  ${quiet("by laptop-a")}`,
        "a prompt there that quotes the error gets the fix from its hook, as data",
      ],
      summary: `${total} observations on both`,
    };
  },
};

/** What the hook tells an agent whose prompt quotes the error. */
async function contextFor(device, { transcript_path, cwd, permission_mode }) {
  const { stdout } = await device.hook("UserPromptSubmit", {
    session_id: "demo-laptop-b",
    transcript_path,
    cwd,
    permission_mode,
    hook_event_name: "UserPromptSubmit",
    prompt: "mix test fails with: no :secret_key_base configuration found in SpotterWeb.Endpoint",
  });
  return stdout === "" ? "" : JSON.parse(stdout).hookSpecificOutput.additionalContext;
}
