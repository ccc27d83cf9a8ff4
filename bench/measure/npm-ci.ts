import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const installMsMax = 15 * 60_000;
const tellEveryMs = 15_000;
const tailLength = 1_500;

/** A folder with a `package.json` and a lock file of its own. */
export interface Installation {
  readonly folder: string;
  /** What is told before a first installation, such as how long it takes. */
  readonly notice: string;
  /** Whether packages may run scripts to compile native code. */
  readonly hasScripts: boolean;
}

/**
 * Installs what a folder of its own pins by `npm ci`, where it is missing or other versions are
 * pinned now; `stop` breaks it off. Returns why it failed, where it did.
 */
export async function installPinned(
  installation: Installation,
  say: (line: string) => void,
  stop: AbortSignal,
): Promise<string | undefined> {
  const stampFile = join(installation.folder, "node_modules", ".tidemark-peers");
  const wanted = fingerprint(installation.folder);
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return undefined;
  say(installation.notice);
  const started = Date.now();
  const seconds = (): string => `${Math.round((Date.now() - started) / 1000)} s`;
  const ticker = setInterval(() => say(`  still installing (${seconds()})`), tellEveryMs);
  const failure = await npmCi(installation, stop);
  clearInterval(ticker);
  if (failure !== undefined) return failure;
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, wanted);
  say(`the peers are installed (${seconds()})`);
  return undefined;
}

/** What was installed, and for which Node: native code fits one only. */
function fingerprint(folder: string): string {
  const lock = readFileSync(join(folder, "package-lock.json"));
  return `${createHash("sha256").update(lock).digest("hex")} ${process.version} ${process.arch}`;
}

async function npmCi(
  { folder, hasScripts }: Installation,
  stop: AbortSignal,
): Promise<string | undefined> {
  const flags = ["--no-audit", "--no-fund", ...(hasScripts ? [] : ["--ignore-scripts"])];
  const child = spawn("npm", ["ci", ...flags], {
    cwd: folder,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
    signal: stop,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = `${output}${chunk.toString("utf8")}`.slice(-tailLength);
    });
  }
  const timer = setTimeout(() => child.kill("SIGTERM"), installMsMax);
  const end = await new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("close", (code, signal) => resolve(String(code ?? signal)));
  });
  clearTimeout(timer);
  return end === "0" ? undefined : `not installed: npm ci ended with ${end}: ${output.trim()}`;
}

/** Compiling wants Node's headers; where they lie beside this Node, nothing has to be fetched. */
function environment(): NodeJS.ProcessEnv {
  const home = join(dirname(process.execPath), "..");
  const hasHeaders = existsSync(join(home, "include", "node", "node_version.h"));
  // npm hands its own settings on to what it runs: those of the workspace are not for here.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/iu.test(name));
  return {
    ...Object.fromEntries(own),
    ...(hasHeaders && process.env["npm_config_nodedir"] === undefined
      ? { npm_config_nodedir: home }
      : {}),
  };
}
