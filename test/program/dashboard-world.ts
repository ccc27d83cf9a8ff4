import { createHash } from "node:crypto";
import { spawn, type ChildProcess } from "node:child_process";
import type { JsonObject, NamespaceId, RecordId } from "../../packages/protocol/src/index.ts";
import type { Store } from "../../apps/client/src/store/store.ts";
import {
  scrubbed,
  testOptions,
  testStore,
} from "../../apps/client/src/store/testing/test-store.ts";
import { clientProgram } from "./client-process.ts";

/*
 * A memory of a year's size that looks like one: 500 sessions of one project and what they left.
 */

const perSession = 40;
const namespace = "personal" as NamespaceId;
const project = "git:example.com/ada/harbour";
const minuteMs = 60_000;
const folders = ["src/api", "src/store", "src/sync", "src/web/pages", "src/web/parts", "test"];
const areas = ["session", "queue", "index", "cursor", "upload", "export"];
const roles = ["client", "table", "limits", "errors", "schema", "retry"];
const kinds = ["decision", "change", "change", "failure", "fix", "note", "discovery"];
const things = ["the queue", "the index", "the upload", "a cursor", "the export", "the session"];
const happenings = [
  "keeps what the server refused",
  "drops nothing when it is full",
  "waits for the lock, then goes on",
  "was read twice after a restart",
  "takes one page at a time",
  "fails where the clock goes back",
];

/** Fills a new database with so many observations, the last ones made just now. */
export function fillMemory(path: string, count: number): void {
  const store = testStore({ ...testOptions(), path });
  const nowMs = Date.now();
  const timeOf = (n: number): number => nowMs - (count - n) * 20 * minuteMs;
  const sessions = Math.ceil(count / perSession);
  for (let session = 0; session < sessions; session += 1) {
    const fields = { title: sentence(session), agent: "claude-code", project };
    put(store, { collection: "session", id: sessionId(session), fields }, timeOf(session * 40));
  }
  for (let batch = 0; batch < count; batch += 500) {
    store.transact(() => {
      for (let n = batch; n < Math.min(count, batch + 500); n += 1) save(store, n, timeOf(n));
    });
  }
  for (const back of [0, 1, 2]) tellSession(store, { count, session: sessions - 1 - back }, nowMs);
  store.close();
}

function draws(n: number): (place: number, options: readonly string[]) => string {
  const bytes = createHash("sha256").update(String(n)).digest();
  return (place, options) => options[(bytes[place] ?? 0) % options.length] ?? "";
}

function sentence(n: number): string {
  const at = draws(n);
  const text = `${at(10, things)} ${at(11, happenings)}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function save(store: Store, n: number, atMs: number): void {
  const at = draws(n);
  const file = (place: number): string =>
    `${at(place, folders)}/${at(place + 1, areas)}/${at(place + 2, roles)}.ts`;
  const fields = {
    title: sentence(n),
    narrative: "It was seen in a long run, and tried again by hand before it was mended. ".repeat(
      6,
    ),
    facts: ["the test that shows it stands beside it"],
    concepts: ["retry"],
    kind: at(0, kinds),
    project,
    session: sessionId(Math.floor(n / perSession)),
    filesModified: [file(1), file(4)],
    filesRead: n % 3 === 0 ? ["README.md"] : [],
    agent: "claude-code",
    origin: "agent",
  };
  put(store, { collection: "observation", id: idOf(n), fields }, atMs);
}

/** What an agent told of a session, and what it was given. */
function tellSession(
  store: Store,
  { count, session }: { readonly count: number; readonly session: number },
  nowMs: number,
): void {
  const id = sessionId(session);
  const at = nowMs - (500 - session) * minuteMs;
  const prompt = `Why is it that ${sentence(session).toLowerCase()}?`;
  const events: readonly JsonObject[] = [
    { event: "session-start", agent: "claude-code", source: "startup" },
    { event: "prompt", agent: "claude-code", prompt },
    { event: "tool", agent: "claude-code", tool: { name: "Bash", ok: true } },
    { event: "turn-end", agent: "claude-code", assistant: "It is mended, and the test stands." },
  ];
  for (const [place, payload] of events.entries()) {
    store.sessions.addEvent({
      key: `${id} ${place}`,
      session: id,
      atMs: at + place,
      payload: payload as never,
    });
  }
  const items = Array.from({ length: 7 }, (_, place) => ({
    id: idOf(count - 100 - session - place * 9),
    tokens: 48 + ((session + place * 13) % 40),
  }));
  const tokens = 110 + items.reduce((sum, item) => sum + item.tokens, 0);
  store.sessions.addGiving({ session: id, atMs: at, tokens, tokensMax: 800, items });
}

function sessionId(session: number): string {
  return `${String(session).padStart(4, "0")}${"session".padEnd(22, "0")}`;
}

function idOf(n: number): RecordId {
  return createHash("sha256").update(`o${n}`).digest("hex").slice(0, 26) as RecordId;
}

interface Made {
  readonly collection: string;
  readonly id: string;
  readonly fields: JsonObject;
}

function put(store: Store, { collection, id, fields }: Made, atMs: number): void {
  const change = { kind: "put", id: id as RecordId, collection, fields: scrubbed(fields) } as const;
  const made = store.changes.change(namespace, [change], atMs);
  if (!made.ok) throw new Error(made.error.kind);
}

/** Starts the dashboard and gives it with its link. */
export async function startDashboard(
  home: string,
  folder: string,
): Promise<{ readonly child: ChildProcess; readonly link: URL }> {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: "/nonexistent", TIDEMARK_HOME: home, TIDEMARK_KEYCHAIN: "off" };
  const child = spawn(process.execPath, [clientProgram, "dashboard"], { cwd: folder, env });
  const link = await new Promise<URL>((resolve, reject) => {
    child.once("close", () => {
      reject(new Error("the dashboard ended before it said where it is"));
    });
    child.stdout.once("data", (chunk: Buffer) => {
      resolve(new URL(chunk.toString().trim()));
    });
  });
  return { child, link };
}
