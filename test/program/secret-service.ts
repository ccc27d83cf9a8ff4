/** Buses of a desktop session: one with a real Secret Service, and ones that misbehave. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A session's bus, and what a program that runs in the session finds in its environment. */
export interface SessionBus {
  readonly env: Readonly<Record<string, string>>;
  /** Everything that was written below the home of the session's user. */
  readonly userHome: string;
  close(): Promise<void>;
}

/** Why no real Secret Service can run here; undefined where it can. */
export function secretServiceMissing(): string | undefined {
  if (process.platform !== "linux") return "a Secret Service is for Linux";
  const missing = ["dbus-run-session", "gnome-keyring-daemon"].filter(
    (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0,
  );
  return missing.length === 0
    ? undefined
    : `apt-get install gnome-keyring dbus (${missing.join(" and ")} missing)`;
}

/**
 * Starts a session with gnome-keyring, unlocked by a password as signing in does, or locked, with
 * nobody there to type it. A session with the home of another finds that one's keychain.
 */
export async function startSecretService(
  options: { readonly isLocked?: boolean; readonly userHome?: string } = {},
): Promise<SessionBus> {
  const userHome = options.userHome ?? mkdtempSync(join(tmpdir(), "tidemark-session-"));
  const unlock = "printf password | gnome-keyring-daemon --unlock --components=secrets >&2;";
  const script = `${options.isLocked === true ? "" : unlock} echo "$DBUS_SESSION_BUS_ADDRESS"; cat`;
  const child = spawn("dbus-run-session", ["--", "sh", "-c", script], {
    env: { PATH: process.env["PATH"] ?? "", HOME: userHome, XDG_RUNTIME_DIR: userHome },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const address = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => {
      reject(new Error("the session ended before it began"));
    });
    child.stdout.once("data", (chunk: Buffer) => {
      resolve(chunk.toString().trim());
    });
  });
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: address, TIDEMARK_KEYCHAIN: "on" },
    userHome,
    close: async () => {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.stdin.end();
      await ended;
      rmSync(userHome, { recursive: true, force: true });
    },
  };
}

/** A bus that takes connections and says nothing, or something that is none of a bus's words. */
export async function startOddBus(answer: string | undefined): Promise<SessionBus> {
  const userHome = mkdtempSync(join(tmpdir(), "tidemark-bus-"));
  const path = join(userHome, "bus");
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", () => {
      if (answer !== undefined) socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}`, TIDEMARK_KEYCHAIN: "on" },
    userHome,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(userHome, { recursive: true, force: true });
    },
  };
}
