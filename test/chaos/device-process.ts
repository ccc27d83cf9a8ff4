import { spawn } from "node:child_process";
import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { clientProgram } from "../program/client-process.ts";

/** How a run of the program ended; `code` is null where a signal ended it. */
export interface DeviceEnded {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** A run of the program that can be killed. */
export interface DeviceRun {
  readonly pid: number;
  readonly ended: Promise<DeviceEnded>;
  /** All it has printed so far. */
  stdout(): string;
  kill(signal?: NodeJS.Signals): void;
}

/** One device: a home, a folder it works in, and whatever of it runs. */
export interface ChaosDevice {
  readonly name: string;
  readonly home: string;
  readonly folder: string;
  start(args: readonly string[], stdin?: string): DeviceRun;
  run(args: readonly string[], stdin?: string): Promise<DeviceEnded>;
  /** Runs with `--json` and expects exit 0 and one document. */
  json<T = Readonly<Record<string, unknown>>>(...args: readonly string[]): Promise<T>;
  /** Runs with `--json` and expects a failure; gives its code. */
  failure(...args: readonly string[]): Promise<string>;
  /** Ends all that runs here, outright; nothing starts here any more. */
  close(): Promise<void>;
}

/** Where a device lies, and who runs it. */
interface Place {
  readonly root: string;
  readonly name: string;
  /** The home where it is not a folder in the root. */
  readonly home?: string;
  /** User and group that run the program; needs root. */
  readonly uid?: number;
}

/** A device in a folder of its own below a root. */
export function createChaosDevice({ root, name, uid, home: given }: Place): ChaosDevice {
  const home = given ?? join(root, name, "home");
  const folder = join(root, name, "work");
  mkdirSync(folder, { recursive: true });
  if (uid !== undefined) for (const path of [join(root, name), folder]) chownSync(path, uid, uid);
  const runs = new Set<DeviceRun>();
  let isClosed = false;
  const start = (args: readonly string[], stdin = ""): DeviceRun => {
    if (isClosed) throw new Error(`${name} is closed`);
    const started = startClient(
      { home, folder, ...(uid === undefined ? {} : { uid }) },
      args,
      stdin,
    );
    runs.add(started);
    void started.ended.finally(() => runs.delete(started));
    return started;
  };
  const run = async (args: readonly string[], stdin = ""): Promise<DeviceEnded> =>
    await start(args, stdin).ended;
  return {
    name,
    home,
    folder,
    start,
    run,
    json: async <T>(...args: readonly string[]) => {
      const { code, stdout, stderr } = await run([...args, "--json"]);
      if (code !== 0) throw new Error(`${name}: ${args.join(" ")}: exit ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    failure: async (...args) => {
      const { code, stdout, stderr } = await run([...args, "--json"]);
      if (code === 0) throw new Error(`${name}: ${args.join(" ")} did not fail: ${stdout}`);
      return (JSON.parse(stderr) as { error: { code: string } }).error.code;
    },
    close: async () => {
      isClosed = true;
      const open = [...runs];
      for (const one of open) one.kill("SIGKILL");
      await Promise.all(open.map(({ ended }) => ended));
    },
  };
}

function startClient(
  place: { readonly home: string; readonly folder: string; readonly uid?: number },
  args: readonly string[],
  stdin: string,
): DeviceRun {
  const { home, folder, uid } = place;
  const { PATH = "", TMPDIR = "" } = process.env;
  const started = performance.now();
  const child = spawn(process.execPath, [clientProgram, ...args], {
    // Nothing else of this machine's settings may reach it.
    env: {
      PATH,
      ...(TMPDIR === "" ? {} : { TMPDIR }),
      HOME: "/nonexistent",
      TIDEMARK_HOME: home,
      TIDEMARK_KEYCHAIN: "off",
    },
    cwd: folder,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // A program that is killed does not read its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const ended = new Promise<DeviceEnded>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ code, stdout, stderr, ms: performance.now() - started });
    });
  });
  return {
    pid: child.pid ?? 0,
    ended,
    stdout: () => stdout,
    kill: (signal = "SIGKILL") => {
      child.kill(signal);
    },
  };
}
