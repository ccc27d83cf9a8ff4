import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readdirSync } from "node:fs";
import { BrokenClaim } from "./claim.mjs";
import { cleanEnvironment, clientProgram, run } from "./programs.mjs";

/** Longest wait for a sync that a hook has started. */
const settleMsMax = 20_000;

/** One device: a home of its own, and the real `tidemark` to run in it. */
export function createDevice({ name, folder, workFolder }) {
  const home = join(folder, name);
  const env = cleanEnvironment(process.env, {
    TIDEMARK_HOME: home,
    HOME: join(folder, "home"),
    TIDEMARK_KEYCHAIN: "off",
  });
  const options = { env, cwd: workFolder };

  /** Runs a command; gives whatever came of it. */
  const attempt = (...args) => run(clientProgram, args, options);

  /** Runs a command that must succeed, and gives its JSON. */
  async function ask(...args) {
    const result = await attempt(...args, "--json");
    if (result.code !== 0) throw failed(`${name}: tidemark ${args[0]} succeeds`, result);
    try {
      return JSON.parse(result.stdout);
    } catch {
      throw failed(`${name}: tidemark ${args[0]} --json prints one JSON document`, result);
    }
  }

  /** Waits until no sync that a hook has started is at work. */
  async function settle() {
    const endMs = Date.now() + settleMsMax;
    while (entriesOf(join(home, "sync.lock")).length > 0 && Date.now() < endMs) await sleep(50);
  }

  return {
    name,
    home,
    env,
    attempt,
    ask,
    settle,
    /** Runs the hook program as an agent does. */
    hook: (event, payload) =>
      run(clientProgram, ["hook", "claude-code", event], {
        ...options,
        input: JSON.stringify(payload),
      }),
    /** A whole push and pull that leaves nothing to do. */
    async sync() {
      await settle();
      const result = await attempt("sync");
      if (result.code !== 0) throw failed(`${name}: a sync leaves nothing to do`, result);
    },
  };
}

function failed(text, { code, signal, stdout, stderr }) {
  const said = `${stderr}${stdout}`.trim();
  return new BrokenClaim(text, `it ended with ${signal ?? code}:\n${said}`);
}

function entriesOf(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
