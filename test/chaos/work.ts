import type { Tape } from "../simulation/tape.ts";
import type { ChaosDevice, DeviceEnded, DeviceRun } from "./device-process.ts";
import { addTo, type Acknowledged } from "./oracle.ts";

/** What all workers of a run share. */
export interface Work {
  readonly asked: Acknowledged;
  /** Saved observations with their ids; the first ones are edited most. */
  readonly records: { readonly title: string; readonly id: string; readonly by: string }[];
  /** How often what was done, and to what end. */
  readonly done: Map<string, number>;
  /** Ends that no fault explains. */
  readonly odd: string[];
}

/** One process after the other on one device, as people and agents start them, until told to stop. */
export async function workOn(
  device: ChaosDevice,
  work: Work,
  { tape, name, stop }: { readonly tape: Tape; readonly name: string; readonly stop: AbortSignal },
): Promise<void> {
  const typicalMs = new Map<string, number>();
  for (let n = 1; !stop.aborted; n += 1) {
    const task = pickTask(device, work, { tape, name: `${device.name}${name}n${n}` });
    task.begin();
    const run = device.start(task.args, task.stdin);
    const end = disturb(run, task, { tape, typicalMs: typicalMs.get(task.verb) ?? 300 });
    const ended = await run.ended;
    end();
    if (ended.code !== null) typicalMs.set(task.verb, ended.ms);
    settle(work, task, ended);
  }
}

/** Chances, of a thousand, that a run is killed, and that it is stopped for a while. */
const killPerMille = 170;
const stopPerMille = 40;
/** Longest stop, in milliseconds: shorter than a command waits for one that writes. */
const stopMsMax = 3_000;

/**
 * Kills a run or stops it for a while, at a moment up to half as long again as its like took; where
 * it is left alone, only once its time is up. Gives what calls that off.
 */
function disturb(
  run: DeviceRun,
  { patienceMs: limitMs }: Task,
  { tape, typicalMs }: { readonly tape: Tape; readonly typicalMs: number },
): () => void {
  const isKilled = tape.chance(killPerMille);
  const isStopped = !isKilled && tape.chance(stopPerMille);
  const atMs = isKilled || isStopped ? tape.draw(Math.ceil(typicalMs * 1.5)) : limitMs;
  const stopMs = isStopped ? tape.draw(stopMsMax) : 0;
  const timers = [setTimeout(() => run.kill(isStopped ? "SIGSTOP" : "SIGKILL"), atMs)];
  if (isStopped) timers.push(setTimeout(() => run.kill("SIGCONT"), atMs + stopMs));
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

interface Task {
  readonly verb: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** How long it may take before it is killed, in milliseconds. */
  readonly patienceMs: number;
  /** Codes of failures that are the faults' doing. */
  readonly excused: RegExp;
  begin(): void;
  succeed(stdout: string): void;
}

interface Chance {
  readonly tape: Tape;
  /** Unique in the run. */
  readonly name: string;
}

const verbs = [
  ...Array.from({ length: 8 }, () => "save"),
  ...Array.from({ length: 3 }, () => "hook"),
  ...Array.from({ length: 4 }, () => "edit"),
  ...Array.from({ length: 6 }, () => "sync"),
  // Until a device has something of its own to forget, it lists.
  ...Array.from({ length: 3 }, () => "forget"),
  "list",
] as const;
/** Records that every device edits, so that edits meet. */
const hotRecords = 4;
const patienceMs = 20_000;
const syncPatienceMs = 6_000;

function pickTask(device: ChaosDevice, work: Work, chance: Chance): Task {
  const verb = chance.tape.pick(verbs);
  if (verb === "hook") return hookTask(device, work, chance);
  if (verb === "edit") return editTask(work, chance);
  if (verb === "forget") return forgetTask(device, work, chance);
  if (verb === "sync" || verb === "list") return readTask(verb);
  return saveTask(device, work, chance);
}

function saveTask({ name: by }: ChaosDevice, { asked, records }: Work, { name }: Chance): Task {
  const title = `note ${name}`;
  return {
    verb: "save",
    args: ["save", "--title", title, "--json"],
    patienceMs,
    excused: /^store-busy$/,
    begin: () => asked.invoked.add(title),
    succeed: (stdout) => {
      asked.saved.add(title);
      records.push({ title, id: (JSON.parse(stdout) as { readonly id: string }).id, by });
    },
  };
}

// A hook exits 0 whatever happens; it loses nothing while the disk takes bytes.
function hookTask(device: ChaosDevice, { asked }: Work, { name }: Chance): Task {
  const title = `marker ${name} stands for a hook`;
  return {
    verb: "hook",
    args: ["hook", "claude-code", "UserPromptSubmit"],
    stdin: JSON.stringify({
      session_id: `session-${name}`,
      cwd: device.folder,
      hook_event_name: "UserPromptSubmit",
      prompt: `Remember that ${title}`,
    }),
    patienceMs,
    excused: /^never$/,
    begin: () => asked.invoked.add(title),
    succeed: () => asked.saved.add(title),
  };
}

function editTask({ asked, records }: Work, { tape, name }: Chance): Task {
  const known = tape.chance(200) ? records : records.slice(0, hotRecords);
  const { title, id } = tape.pick(known);
  const narrative = `story ${name}`;
  return {
    verb: "edit",
    args: ["edit", id, "--set", `narrative=${narrative}`, "--json"],
    patienceMs,
    // A record may not have come to this device yet, or have been forgotten.
    excused: /^(?:store-busy|unknown-record|forgotten|not-found)$/,
    begin: () => {
      addTo(asked.editing, title, narrative);
    },
    succeed: () => {
      addTo(asked.edited, title, narrative);
    },
  };
}

function forgetTask({ name: by }: ChaosDevice, work: Work, { tape }: Chance): Task {
  const { asked, records } = work;
  const own = records.slice(hotRecords).filter((each) => each.by === by || tape.chance(50));
  if (own.length === 0) return readTask("list");
  const { title, id } = tape.pick(own);
  return {
    verb: "forget",
    args: ["forget", id, "--yes", "--json"],
    patienceMs,
    excused: /^(?:store-busy|unknown-record|not-found)$/,
    begin: () => asked.forgetting.add(title),
    succeed: () => asked.forgotten.add(title),
  };
}

function readTask(verb: "sync" | "list"): Task {
  const isSync = verb === "sync";
  return {
    verb,
    args: isSync ? ["sync", "--bounded", "--json"] : ["list", "--all", "--json"],
    patienceMs: isSync ? syncPatienceMs : patienceMs,
    excused: isSync ? /./ : /^store-busy$/,
    begin: () => undefined,
    succeed: () => undefined,
  };
}

function settle(work: Work, task: Task, { code, stdout, stderr }: DeviceEnded): void {
  if (code === 0) task.succeed(stdout);
  const failure = code === null || code === 0 ? undefined : codeOf(stderr);
  const end = code === null ? "killed" : (failure ?? "ok");
  const key = `${task.verb} ${end}`;
  work.done.set(key, (work.done.get(key) ?? 0) + 1);
  if (failure === undefined || task.excused.test(failure)) return;
  work.odd.push(`${task.args.join(" ")} ends with ${String(code)}: ${stderr}`);
}

/** The code of a failure as `--json` tells it; anything else is a crash. */
function codeOf(stderr: string): string {
  try {
    return (JSON.parse(stderr) as { readonly error: { readonly code: string } }).error.code;
  } catch {
    return "crash";
  }
}
