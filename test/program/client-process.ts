import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The program as `npm run build` leaves it. */
export const clientProgram: string = fileURLToPath(
  new URL("../../apps/client/dist/main.js", import.meta.url),
);

/** How a run of the program ended. */
interface ClientEnded {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One device: a home of its own and a folder it works in. */
export interface TestDevice {
  readonly home: string;
  readonly folder: string;
  run(args: readonly string[], stdin?: string): Promise<ClientEnded>;
  /** Has its daemon run until something is done; `env` is what its service sets besides. */
  withDaemon(until: () => Promise<void>, env?: Readonly<Record<string, string>>): Promise<void>;
  /** Runs as an agent's shell does. */
  runAsAgent(...args: readonly string[]): Promise<ClientEnded>;
  /** Runs with `--json`, expects exit 0 and one document. */
  json<T = Readonly<Record<string, unknown>>>(...args: readonly string[]): Promise<T>;
  /** Runs with `--json`, expects a failure and gives its error. */
  error(
    ...args: readonly string[]
  ): Promise<{ readonly exit: number; readonly code: string; readonly hint: string }>;
}

/** The titles of what a command lists, in the order of their letters: of all observations by default. */
export async function titlesOf(
  device: TestDevice,
  ...verb: readonly string[]
): Promise<readonly string[]> {
  const listing = verb.length === 0 ? ["list", "--all"] : verb;
  const { items } = await device.json<{ items: readonly { title: string }[] }>(...listing);
  return items.map(({ title }) => title).toSorted();
}

/** Makes devices, and removes them. */
export interface Devices {
  /** `env` is what its user's session sets besides. */
  device(name: string, env?: Readonly<Record<string, string>>): TestDevice;
  clear(): void;
}

/** Devices of one test file. */
export function createDevices(): Devices {
  const root = mkdtempSync(join(tmpdir(), "tidemark-client-"));
  return {
    device: (name, env = {}) => {
      const home = join(root, name, "home");
      const folder = join(root, name, "work");
      mkdirSync(folder, { recursive: true });
      const run = (args: readonly string[], stdin = "") =>
        runClient({ home, folder, env }, args, stdin);
      return {
        home,
        folder,
        run,
        withDaemon: (until, more = {}) =>
          runDaemon({ home, folder, env: { ...env, ...more } }, until),
        runAsAgent: (...args) =>
          runClient({ home, folder, env: { ...env, CLAUDECODE: "1" } }, args, ""),
        json: async <T>(...args: readonly string[]) => {
          const ended = await run([...args, "--json"]);
          if (ended.code !== 0) throw new Error(`${args.join(" ")}: ${ended.code} ${ended.stderr}`);
          return JSON.parse(ended.stdout) as T;
        },
        error: async (...args) => {
          const ended = await run([...args, "--json"]);
          const { error } = JSON.parse(ended.stderr) as { error: { code: string; hint: string } };
          return { exit: ended.code ?? -1, ...error };
        },
      };
    },
    clear: () => {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly home: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Nothing else of this machine's settings may reach it. */
function envOf({ home, env }: Place): NodeJS.ProcessEnv {
  const { PATH = "", TMPDIR = "" } = process.env;
  return {
    PATH,
    ...(TMPDIR === "" ? {} : { TMPDIR }),
    HOME: "/nonexistent",
    TIDEMARK_HOME: home,
    // A developer's own keychain is none of a test's business.
    TIDEMARK_KEYCHAIN: "off",
    ...env,
  };
}

async function runDaemon(place: Place, until: () => Promise<void>): Promise<void> {
  const daemon = spawn(process.execPath, [clientProgram, "daemon"], {
    env: envOf(place),
    cwd: place.folder,
    stdio: "ignore",
  });
  try {
    await until();
  } finally {
    daemon.kill("SIGTERM");
    await once(daemon, "exit");
  }
}

async function runClient(
  place: Place,
  args: readonly string[],
  stdin: string,
): Promise<ClientEnded> {
  const child = spawn(process.execPath, [clientProgram, ...args], {
    env: envOf(place),
    cwd: place.folder,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // A program that does not read its input may end before it was written.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, stdout, stderr };
}
