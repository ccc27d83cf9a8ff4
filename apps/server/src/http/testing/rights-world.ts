import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import { createTestClock, createTestRandom, type TestClock } from "../../auth/testing/auth-deps.ts";
import { emptyAccounts, type AccountState } from "../../store/memory/account-state.ts";
import { copyAccounts } from "../../store/memory/copy-accounts.ts";
import { createMemoryStore } from "../../store/memory/memory-store.ts";
import {
  ask,
  claimServer,
  createClient,
  createTestWriter,
  joinServer,
  push,
  signIn,
  type Sending,
  type Server,
  type TestClient,
} from "./client.ts";
import { bodyText, createHarness } from "./harness.ts";

/** Everyone who may stand before a route, as seen from team A. */
export const callers = [
  "nobody",
  "stranger",
  "foreigner",
  "exMember",
  "waiting",
  "revoked",
  "foreignMachine",
  "machine",
  "reader",
  "writer",
  "admin",
  "owner",
] as const;

/** See {@link callers}; `foreigner` owns team B, `stranger` is in neither, `waiting` waits for A. */
export type Caller = (typeof callers)[number];

/** One id of each kind that a request may name, all of one place. */
export interface Ids {
  readonly namespace: NamespaceId;
  readonly user: UserId;
  /** Who waits to be let in. */
  readonly waiting: UserId;
  readonly device: DeviceId;
  readonly link: string;
  readonly record: string;
  readonly writer: string;
  readonly cursor: string;
}

/** What an answer looked like, to the byte. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  /** Whether anything that lasts is another than before. */
  readonly hasChanged: boolean;
}

/** Two teams on one server, and callers of every kind. */
export interface RightsWorld {
  /** Ids of team A, of team B, and ids that nothing has. */
  readonly a: Ids;
  readonly b: Ids;
  readonly none: Ids;
  /** Sends one request to the server as it was when the world was made. */
  send(caller: Caller, path: string, sending: Sending): Promise<Answer>;
}

/** What every name in team A, and in team B, begins with. */
export const markOf = { a: "alfa", b: "zeta" } as const;

const none: Ids = {
  namespace: `ns_${"7".repeat(26)}` as NamespaceId,
  user: `usr_${"7".repeat(26)}` as UserId,
  waiting: `usr_${"7".repeat(26)}` as UserId,
  device: `dev_${"7".repeat(26)}` as DeviceId,
  link: "7".repeat(16),
  record: "rec_7777",
  writer: "wri_7777",
  cursor: Buffer.from(JSON.stringify([1, 1, 1, "7".repeat(26)])).toString("base64url"),
};

/** Makes the world once; every request then meets a copy of it. Team A may be deleted by then. */
export async function createRightsWorld(
  given: { readonly isDeleted?: boolean } = {},
): Promise<RightsWorld> {
  const clock = createTestClock();
  const state = emptyAccounts();
  const harness = createHarness({ clock, store: createMemoryStore({ clock, accounts: state }) });
  const server: Server = { ...harness, clock };
  const made = await populate(server, clock);
  if (given.isDeleted === true) {
    await made.clients.owner?.call("DELETE", `/v1/namespaces/${made.a.namespace}`);
  }
  const send = async (caller: Caller, path: string, sending: Sending): Promise<Answer> => {
    const copy = copyAccounts(state);
    const store = createMemoryStore({ clock, accounts: copy });
    // One seed for all: what two answers differ in then comes from what was asked for.
    const fresh = createHarness({ clock, store, random: createTestRandom("cell") });
    const place: Server = { ...fresh, clock };
    const client = made.clients[caller];
    const answering =
      client === undefined
        ? ask(place, path, initOf(sending))
        : createClient(place, client).send(path, sending);
    const response = await answering;
    // A stream of pokes ends with the application, and so can be read to its end.
    fresh.app.close();
    const body = await bodyText(response);
    return {
      status: response.status,
      headers: [...response.headers],
      body,
      hasChanged: lasting(copy) !== lasting(state),
    };
  };
  return { a: made.a, b: made.b, none, send };
}

function initOf({ method = "GET", body, headers = {} }: Sending): RequestInit {
  return { method, headers, ...(body === undefined ? {} : { body }) };
}

/** All rows but signs of life, as text. */
function lasting(state: AccountState): string {
  return JSON.stringify(state, (key, value: unknown) => {
    if (key === "lastSeenAtMs" || key === "attempts") return undefined;
    if (value instanceof Map) return [...(value as Map<unknown, unknown>)];
    return value instanceof Set ? [...(value as Set<unknown>)] : value;
  });
}

interface Populated {
  readonly a: Ids;
  readonly b: Ids;
  readonly clients: Readonly<Record<Caller, TestClient | undefined>>;
}

async function populate(server: Server, clock: TestClock): Promise<Populated> {
  const root = await claimServer(server, "root");
  const lobby = await root.createNamespace("lobby");
  const admit = async (name: string): Promise<TestClient> => {
    const link = await root.createLink({ kind: "invite", namespace: lobby.id });
    const client = await joinServer(server, link, name);
    await root.call("DELETE", memberPath(lobby.id, client));
    return client;
  };
  const owner = await admit("alfa-ada");
  const foreigner = await admit("zeta-bob");
  const stranger = await admit("sam");
  const a = await owner.createNamespace("alfa-team");
  const invited = async (name: string, role: string): Promise<TestClient> =>
    await joinServer(
      server,
      await owner.createLink({ kind: "invite", namespace: a.id, role }),
      name,
    );
  const writer = await invited("alfa-will", "writer");
  const reader = await invited("alfa-rita", "reader");
  const admin = await invited("alfa-adam", "admin");
  const exMember = await invited("erik", "writer");
  await owner.call("DELETE", memberPath(a.id, exMember));
  const waiting = await wait(server, { client: owner, namespace: a.id, mark: "wanda" });
  const b = await foreigner.createNamespace("zeta-team");
  const inA = await fill(server, { client: owner, namespace: a.id, mark: "alfa" });
  const inB = await fill(server, { client: foreigner, namespace: b.id, mark: "zeta" });
  const waitingInB = await wait(server, { client: foreigner, namespace: b.id, mark: "zeta-zoe" });
  // Past the time in which a new device makes no links; tokens are asked for again.
  clock.advance(16 * 60_000);
  const again = async (client: TestClient): Promise<TestClient> =>
    await signIn(server, client.device, client.admission);
  const ada = await again(owner);
  const revoked = await joinServer(server, await ada.createLink({ kind: "device" }), "alfa-lost");
  await ada.call("DELETE", `/v1/devices/${revoked.admission.device.id}`);
  return {
    a: { ...inA.ids, user: writer.admission.user.id, waiting: waiting.admission.user.id },
    b: { ...inB.ids, waiting: waitingInB.admission.user.id },
    clients: {
      nobody: undefined,
      stranger: await again(stranger),
      foreigner: await again(foreigner),
      exMember: await again(exMember),
      waiting: await again(waiting),
      revoked,
      foreignMachine: await again(inB.machine),
      machine: await again(inA.machine),
      reader: await again(reader),
      writer: await again(writer),
      admin: await again(admin),
      owner: ada,
    },
  };
}

function memberPath(namespace: NamespaceId, { admission }: TestClient): string {
  return `/v1/namespaces/${namespace}/members/${admission.user.id}`;
}

/** Somebody who opened an invite that waits for an admin's word. */
async function wait(server: Server, { client, namespace, mark }: Team): Promise<TestClient> {
  const request = { kind: "invite", namespace, role: "writer", confirm: true, madeFor: "xenia" };
  return await joinServer(server, await client.createLink(request), mark);
}

interface Team {
  readonly client: TestClient;
  readonly namespace: NamespaceId;
  readonly mark: string;
}

/** A record, a machine, a link and another device, all of one team. */
async function fill(
  server: Server,
  { client, namespace, mark }: Team,
): Promise<{
  readonly ids: Omit<Ids, "waiting">;
  readonly machine: TestClient;
}> {
  const writer = `${mark}-writer`;
  await push(client, namespace, createTestWriter(writer).body([`${mark}-secret`]));
  const pulled = await client.send(`/v1/namespaces/${namespace}/records`);
  const tail = (await bodyText(pulled)).trimEnd().split("\n").at(-1) ?? "";
  const { cursor } = JSON.parse(tail) as { cursor: string };
  const fleet = await client.createLink({ kind: "ci", namespace, role: "writer" });
  const machine = await joinServer(server, fleet, `${mark}-machine`);
  const desk = await joinServer(
    server,
    await client.createLink({ kind: "device" }),
    `${mark}-desk`,
  );
  await push(desk, namespace, createTestWriter(`${mark}-desk-writer`).body([`${mark}-note`]));
  const ids = {
    namespace,
    user: client.admission.user.id,
    device: desk.admission.device.id,
    link: fleet.id,
    record: `${writer}-record-1`,
    writer,
    cursor,
  };
  return { ids, machine };
}
