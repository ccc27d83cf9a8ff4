import { systemClock } from "../platform/clock.ts";
import { fileBytes } from "../platform/file-bytes.ts";
import { keyPlaceText, readKeyPlace } from "../platform/key-file.ts";
import { modeOf, runtimeVersion } from "../platform/mode.ts";
import type { Environment } from "../platform/paths.ts";
import { environment } from "../platform/program.ts";
import { wayTo } from "../platform/proxy/proxy-env.ts";
import { systemRandom } from "../platform/random.ts";
import { readSkips } from "../platform/skip-log.ts";
import { createSpoolFile } from "../platform/spool-file.ts";
import { endable } from "../platform/stop-signals.ts";
import { createCheckNotice } from "../surfaces/cli/check-notice.ts";
import type { Io } from "../surfaces/cli/io.ts";
import { abortAfter } from "./abort-after.ts";
import { checkAgents } from "./diagnose-agents.ts";
import { checkFindings, checkScrub } from "./diagnose-scrub.ts";
import { checkQuarantine } from "./diagnose-quarantine.ts";
import { checkRefused } from "./diagnose-refused.ts";
import { checkSealing } from "./diagnose-sealing.ts";
import { checkStart } from "./diagnose-start.ts";
import { checkSummariser } from "./diagnose-summariser.ts";
import { tryDeviceKey } from "./device-key.ts";
import { checkEmbedder } from "./embed-state.ts";
import { openDeviceHome, type Home } from "./home.ts";
import { checkLinks } from "./link-note.ts";
import { openMemory, type Memory } from "./memory.ts";
import { parkedBinding } from "./parked-binding.ts";
import { reportLines } from "../store/repair/report.ts";
import { wayHintOf } from "../sync/http/way-trouble.ts";
import { shownRepair } from "./repair-note.ts";
import { UserError } from "./user-error.ts";

/** One check of an installation; `fix` is the command to run, empty where none is needed. */
export interface Check {
  readonly name: string;
  readonly status: "PASS" | "WARN" | "FAIL";
  readonly message: string;
  readonly fix: string;
}

/** Oldest runtime: major and minor. */
const nodeMin = [20, 19] as const;
/** Difference of clocks that a person should know of, in milliseconds. */
const clockSlackMs = 120_000;
/** Longest wait for the server, in milliseconds. */
const serverMsMax = 10_000;

/** Checks this installation from the bottom up; what cannot be opened ends the list, but for what waits for it. */
export async function diagnose(
  env: Environment,
  io: Pick<Io, "err" | "isErrTty">,
  options: { readonly rebuildsSearch: boolean },
): Promise<readonly Check[]> {
  const checks: Check[] = [checkNode(), ...checkStart()];
  const home = opened("home", () => openDeviceHome(env));
  if ("check" in home) return [...checks, home.check];
  const key = await checkKey(home.value);
  checks.push(checkHome(home.value), key, ...checkSettings(home.value));
  const notice = createCheckNotice(io, () => fileBytes(home.value.paths.database));
  notice.begin("checking the database");
  const memory = opened("database", () => openMemory(home.value, { look: "always" }));
  if ("check" in memory) {
    notice.end();
    return [...checks, memory.check, checkSpool(home.value)];
  }
  const { upkeep } = memory.value.store;
  if (options.rebuildsSearch) endable(() => upkeep.rebuildSearch());
  checks.push(...endable(() => checkDatabase(memory.value)));
  notice.end();
  checks.push(
    ...checkRepair(memory.value),
    ...checkSealing(memory.value),
    ...checkLinks(memory.value, home.value),
    ...checkQuarantine(memory.value),
    ...checkRefused(memory.value),
    checkSpool(home.value),
    checkSkips(home.value),
    checkFindings(home.value),
    ...checkAgents(env, home.value, memory.value),
    ...checkSummariser(home.value, memory.value),
    ...checkEmbedder(home.value, memory.value),
  );
  const scrub = checkScrub(home.value);
  checks.push(scrub);
  // A project is known by its scrubbed name.
  if (scrub.status !== "FAIL") checks.push(checkProject(home.value, memory.value));
  // Without the key there is nothing to ask the server with.
  if (key.status !== "FAIL") checks.push(...(await checkServer(home.value)));
  return checks;
}

function pass(name: string, message: string): Check {
  return { name, status: "PASS", message, fix: "" };
}

function opened<T>(name: string, open: () => T): { readonly value: T } | { readonly check: Check } {
  try {
    return { value: open() };
  } catch (cause) {
    if (!(cause instanceof UserError)) throw cause;
    return { check: { name, status: "FAIL", message: cause.message, fix: cause.hint } };
  }
}

function checkNode(): Check {
  const version = runtimeVersion();
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isFit = major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1]);
  if (isFit) return pass("node", `Node.js ${version}`);
  const fix = `install Node.js ${nodeMin.join(".")} or newer`;
  return { name: "node", status: "FAIL", message: `Node.js ${version} is too old`, fix };
}

function checkHome({ paths }: Home): Check {
  const mode = modeOf(paths.home) ?? 0;
  if ((mode & 0o077) === 0) return pass("home", `${paths.home}, open to nobody else`);
  const fix = `chmod 700 ${JSON.stringify(paths.home)}`;
  return { name: "home", status: "FAIL", message: `${paths.home} is open to others`, fix };
}

/** A misspelt `capture` would leave capture on; a setting of a newer version is one as well. */
function checkSettings({ paths, unknownSettings }: Home): readonly Check[] {
  if (unknownSettings.length === 0) return [];
  const message = `${paths.config}: ${unknownSettings.join(", ")}: unknown to this version, and without effect`;
  const fix = "mend the name there (docs/guides/settings.md has all of them), or update tidemark";
  return [{ name: "settings", status: "WARN", message, fix }];
}

async function checkKey(home: Home): Promise<Check> {
  const { paths, identity } = home;
  const name = "device key";
  const key = await tryDeviceKey(home);
  if (!key.ok) {
    return { name, status: "FAIL", message: key.error.message, fix: key.error.hint };
  }
  const kept = readKeyPlace(paths.deviceKey);
  if (key.value === undefined || kept === undefined) {
    if (identity() === undefined) return pass(name, "none yet: pairing makes it");
    const fix = "move device.json away and pair this device again; what it holds is kept";
    return { name, status: "FAIL", message: `${paths.deviceKey} is missing`, fix };
  }
  return pass(name, `kept ${keyPlaceText(kept, paths.deviceKey)}`);
}

function checkDatabase({ store }: Memory): readonly Check[] {
  const { sqliteVersion, journalMode, synchronous, bytes } = store.upkeep.facts();
  const isSafe = journalMode === "wal" && synchronous === 2;
  const facts = `SQLite ${sqliteVersion}, ${journalMode}, synchronous ${synchronous}, ${Math.ceil(bytes / 1024)} KiB`;
  const pragmas: Check = isSafe
    ? pass("database", facts)
    : {
        name: "database",
        status: "FAIL",
        message: facts,
        fix: "set TIDEMARK_HOME to a folder on a local disk",
      };
  const findings = store.upkeep.check();
  if (findings.length === 0)
    return [pragmas, pass("integrity", "records, digests and search index agree")];
  return [
    pragmas,
    ...findings.map(({ kind, message }): Check => ({
      name: "integrity",
      status: "FAIL",
      message: `${kind}: ${message}`,
      fix:
        kind === "search"
          ? "tidemark doctor --rebuild-search"
          : "tidemark export --output backup.ndjson, then ask for help",
    })),
  ];
}

function checkRepair(memory: Memory): readonly Check[] {
  const report = memory.repair ?? shownRepair(memory);
  if (report === undefined) return [];
  const message = reportLines(report).join("; ");
  const { aside } = report;
  const fix = aside === null ? "" : `rm ${JSON.stringify(aside)}*, once you miss nothing`;
  return [{ name: "repair", status: "WARN", message, fix }];
}

function checkSpool({ paths }: Home): Check {
  const hasLines = createSpoolFile(systemRandom, paths.spool).hasLines();
  if (!hasLines) return pass("spool", "nothing waits");
  const message = "captures wait that the database has not taken yet";
  return { name: "spool", status: "WARN", message, fix: "tidemark status" };
}

function checkSkips({ paths }: Home): Check {
  const { total, byReason } = readSkips(paths.skips);
  if (total === 0) return pass("hooks", "nothing was left out");
  const reasons = Object.entries(byReason).map(([reason, count]) => `${reason} ${count}`);
  const message = `${total} hook calls were not captured (${reasons.join(", ")})`;
  return { name: "hooks", status: "WARN", message, fix: `look into ${paths.log}` };
}

function checkProject(home: Home, memory: Memory): Check {
  const project = home.projectAt();
  const namespace = memory.store.bindings.namespaceOf(project);
  const replica = memory.store.replicas.replica(namespace);
  const name = replica?.name ?? namespace;
  if (replica?.status === "parked") {
    return { name: "project", status: "WARN", ...parkedBinding(project, name) };
  }
  return pass("project", `${project} goes to ${name}`);
}

function serverFix(code: string): string {
  if (code === "device-revoked" || code === "invalid-token") return "tidemark pair <link>";
  return wayHintOf(code) ?? "check the network and the server";
}

/** The server's address, and the proxy on the way without its password. */
function placeOf(url: string): string {
  const way = wayTo(new URL(url), environment());
  return way.kind === "proxy" ? `${url} through the proxy ${way.proxy.origin}` : url;
}

async function checkServer(home: Home): Promise<readonly Check[]> {
  const identity = home.identity();
  if (identity === undefined)
    return [pass("server", "not paired: everything stays on this device")];
  // The wire brings its schemas along; a device without a server does without them.
  const { connectServer } = await import("./server.ts");
  const hello = await (await connectServer(home)).transport.hello(abortAfter(serverMsMax));
  if (!hello.ok) {
    const { code, title } = hello.error;
    const message = `${placeOf(identity.server.url)}: ${title}`;
    return [{ name: "server", status: "FAIL", message, fix: serverFix(code) }];
  }
  const { protocol, server, device } = hello.value;
  const about = `${placeOf(identity.server.url)}, version ${server.version}, protocol ${protocol.version}`;
  const offMs = Math.abs(server.time - systemClock.nowMs());
  const clock: Check =
    offMs < clockSlackMs
      ? pass("clock", "agrees with the server's")
      : {
          name: "clock",
          status: "WARN",
          message: `${Math.round(offMs / 1000)} s apart from the server's`,
          fix: "set this machine's clock",
        };
  if (server.id !== identity.server.id) {
    const fix = "check the address; nothing is sent to it";
    return [
      {
        name: "server",
        status: "FAIL",
        message: `${about}: another server than the one paired with`,
        fix,
      },
    ];
  }
  if (device === undefined) {
    return [
      {
        name: "server",
        status: "FAIL",
        message: `${about}: does not know this device`,
        fix: "tidemark pair <link>",
      },
    ];
  }
  return [pass("server", about), clock];
}
