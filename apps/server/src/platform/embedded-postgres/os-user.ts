import { userInfo } from "node:os";
import { fail, ok } from "@tidemark/protocol";
import { type Attempt, ownDatabaseHint } from "./failure.ts";
import { type RunAs, runProgram } from "./run-program.ts";

/** Who runs PostgreSQL, and who connects to it. */
export interface OsUsers {
  /** Set only when the server is root, for PostgreSQL refuses to be. */
  readonly runAs: RunAs | undefined;
  /** The name of the server's own user, which PostgreSQL lets in by asking the kernel. */
  readonly serverName: string;
}

/** The system user made when the server is root and the machine has no user `postgres`. */
const systemUserName = "tidemark-pg";

/** Chooses the users (PG23): an ordinary user runs PostgreSQL itself; root hands it to another. */
export async function chooseOsUsers(): Promise<Attempt<OsUsers>> {
  const isRoot = process.getuid?.() === 0;
  const serverName = nameOfServerUser();
  if (serverName === undefined) {
    return fail({
      kind: "no-unprivileged-user",
      message: `user id ${process.getuid?.() ?? "?"} has no name, and PostgreSQL needs one`,
      hint: `add the user id to /etc/passwd, ${ownDatabaseHint}`,
    });
  }
  if (!isRoot) return ok({ runAs: undefined, serverName });
  if (process.platform !== "linux") return fail(cannotBeRoot("PostgreSQL does not run as root"));
  const runAs =
    (await findUser("postgres")) ?? (await findUser(systemUserName)) ?? (await createSystemUser());
  if (runAs === undefined) return fail(cannotBeRoot(`cannot create the user ${systemUserName}`));
  return ok({ runAs, serverName });
}

function nameOfServerUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

async function findUser(name: string): Promise<RunAs | undefined> {
  const uid = await idOf("-u", name);
  const gid = await idOf("-g", name);
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

async function idOf(which: "-u" | "-g", name: string): Promise<number | undefined> {
  const end = await runProgram("id", [which, name], { folder: "/", runAs: undefined });
  const id = Number.parseInt(end.output, 10);
  return end.code === 0 && id > 0 ? id : undefined;
}

async function createSystemUser(): Promise<RunAs | undefined> {
  const flags = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"];
  const args = [...flags, "--shell", "/usr/sbin/nologin", systemUserName];
  await runProgram("useradd", args, { folder: "/", runAs: undefined });
  return await findUser(systemUserName);
}

function cannotBeRoot(message: string): {
  readonly kind: "no-unprivileged-user";
  readonly message: string;
  readonly hint: string;
} {
  return {
    kind: "no-unprivileged-user",
    message,
    hint: `run tidemark-server as an ordinary user, ${ownDatabaseHint}`,
  };
}
