import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { builtin } from "../builtin.ts";
import type { Environment } from "../paths.ts";
import { parseAnswer, type KeychainAnswer, type KeychainRequest } from "./keychain-talk.ts";

/** Why the keychain of the system did not do what it was asked for. */
export type KeychainFailure =
  /** This system has none that we know. */
  | "no-keychain"
  /** Nobody's desktop session runs here, so nothing holds a keychain open. */
  | "no-session"
  /** Nobody could answer the question by which a keychain is unlocked. */
  | "over-ssh"
  /** The optional package `@napi-rs/keyring` or our child program is not there. */
  | "not-installed"
  | "no-answer"
  /** Locked, or it said no. */
  | "refused"
  /** It answered with something else than what it was given. */
  | "garbled";

/**
 * The keychain of the system that a user is signed in to: Keychain on macOS, Credential Manager on
 * Windows, the Secret Service of a desktop session on Linux. Each call is a process of its own that
 * is killed when its time is over, because a Secret Service may block for ever.
 */
export interface Keychain {
  /** Why a new key is not put there, known without asking it; undefined where it may be tried. */
  readonly unfit: KeychainFailure | "asked" | undefined;
  /** Stores a secret, durable and read back on return. */
  keep(account: string, secret: string): Promise<Result<void, KeychainFailure>>;
  /** Undefined where it is open and has no such entry. */
  read(account: string): Promise<Result<string | undefined, KeychainFailure>>;
  /** Takes an entry out; that there was none is no failure. */
  remove(account: string): Promise<Result<void, KeychainFailure>>;
}

/** How the child is run. */
export interface KeychainOptions {
  readonly env: Environment;
  /** Whether a new key may go there at all. */
  readonly isWanted: boolean;
  readonly platform: string;
  /** Number of the user on Unix, by which a session's bus is found. */
  readonly uid: number | undefined;
  /** Path of the child program that loads the native module. */
  readonly program: string;
  /** Longest wait for one answer, in milliseconds. */
  readonly waitMs: number;
  /** The same for reading, where a person may have to unlock it first. */
  readonly readWaitMs: number;
}

/** Longest wait for the keychain where nobody is there to unlock it, in milliseconds (OPS48). */
export const keychainMsMax = 2_000;

/** Longest answer, in characters; a key is some 150. */
const answerCharsMax = 4_096;

/** The keychain of this system. */
export function systemKeychain(options: KeychainOptions): Keychain {
  const { env, platform, program } = options;
  const bus = platform === "linux" ? sessionBus(options) : undefined;
  const absent = absence(platform, bus, program);
  const childEnv = childEnvironment(env, bus);
  const ask = async (
    request: Omit<KeychainRequest, "waitMs">,
    waitMs: number,
  ): Promise<Result<KeychainAnswer, KeychainFailure>> => {
    if (absent !== undefined) return fail(absent);
    const text = await runChild(program, childEnv, { ...request, waitMs });
    if (text === undefined) return fail("no-answer");
    const answer = parseAnswer(text);
    if (answer === undefined) return fail("garbled");
    if (answer.kind === "refused" || answer.kind === "not-installed") return fail(answer.kind);
    return ok(answer);
  };
  return {
    unfit: options.isWanted ? (absent ?? unfitness(platform, env)) : "asked",
    keep: async (account, secret) => {
      const answer = await ask({ op: "keep", account, secret }, options.waitMs);
      if (!answer.ok) return answer;
      const { kind } = answer.value;
      const back = kind === "found" ? answer.value.secret : undefined;
      return back === secret ? ok(undefined) : fail("garbled");
    },
    read: async (account) => {
      const answer = await ask({ op: "read", account }, options.readWaitMs);
      if (!answer.ok) return answer;
      const { value } = answer;
      return ok(value.kind === "found" ? value.secret : undefined);
    },
    remove: async (account) => {
      const answer = await ask({ op: "remove", account }, options.waitMs);
      return answer.ok ? ok(undefined) : answer;
    },
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

function absence(
  platform: string,
  bus: string | undefined,
  program: string,
): KeychainFailure | undefined {
  if (platform !== "linux" && platform !== "darwin" && platform !== "win32") return "no-keychain";
  if (platform === "linux" && bus === undefined) return "no-session";
  return existsSync(program) ? undefined : "not-installed";
}

/** Why a new key does not go into a keychain that may be there. */
function unfitness(platform: string, env: Environment): KeychainFailure | undefined {
  if (isSet(env["SSH_CONNECTION"]) || isSet(env["SSH_TTY"])) return "over-ssh";
  // A bus that was only found by looking belongs to a session that this program may be no part of.
  const isInSession = isSet(env["DBUS_SESSION_BUS_ADDRESS"]) || isSet(env["XDG_RUNTIME_DIR"]);
  return platform !== "linux" || isInSession ? undefined : "no-session";
}

/** Where the session's message bus listens; looked for where an agent's shell does not say so. */
function sessionBus({ env, uid }: KeychainOptions): string | undefined {
  const named = env["DBUS_SESSION_BUS_ADDRESS"];
  if (isSet(named)) return named;
  const runtime = env["XDG_RUNTIME_DIR"];
  const folder = isSet(runtime) ? runtime : uid === undefined ? undefined : `/run/user/${uid}`;
  if (folder === undefined) return undefined;
  const socket = join(folder, "bus");
  return existsSync(socket) ? `unix:path=${socket}` : undefined;
}

/** Without what slows a start of Node, or loads something into it that would see the key. */
function childEnvironment(env: Environment, bus: string | undefined): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, NODE_EXTRA_CA_CERTS: _certificates, ...rest } = env;
  return bus === undefined ? rest : { ...rest, DBUS_SESSION_BUS_ADDRESS: bus };
}

/** What the child printed; undefined where it had no answer in time. */
function runChild(
  program: string,
  env: NodeJS.ProcessEnv,
  request: KeychainRequest,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = builtin.childProcess().spawn(process.execPath, [program], {
      stdio: ["pipe", "pipe", "ignore"],
      env,
      windowsHide: true,
    });
    let text = "";
    const end = (answer: string | undefined): void => {
      clearTimeout(timer);
      // It may hang in the system and not die of this: nothing here waits for it any more.
      child.kill("SIGKILL");
      child.stdin.destroy();
      child.stdout.destroy();
      child.unref();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      end(undefined);
    }, request.waitMs);
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("\n") || text.length > answerCharsMax) end(text);
    });
    child.stdout.on("end", () => {
      end(text);
    });
    child.on("error", () => {
      end(undefined);
    });
    // A child that died before it read tells so by its empty answer.
    child.stdin.on("error", () => undefined);
    // By a pipe: arguments and environment are there for other programs to see.
    child.stdin.end(`${JSON.stringify(request)}\n`);
  });
}
