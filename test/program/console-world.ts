import {
  chainNext,
  chainStart,
  opLine,
  type NamespaceId,
  type Op,
  type RecordId,
  type WriterId,
} from "../../packages/protocol/src/index.ts";
import { sha256 } from "../../apps/server/src/platform/hash.ts";
import {
  claimServer,
  joinServer,
  push,
  type Server,
  type TestClient,
} from "../../apps/server/src/http/testing/client.ts";

/** A server with people, a team and something to read. */
export interface ConsoleWorld {
  readonly owner: TestClient;
  readonly colleague: TestClient;
  readonly team: NamespaceId;
  readonly personal: NamespaceId;
  /** A record that was changed, and one of its values lost. */
  readonly disputed: RecordId;
}

const day = 86_400_000;

/** Ends up as text on every page, whatever it looks like. */
export const hostileTitle =
  '<img src=x onerror="document.title=1"> [x](javascript:alert(1)) <script>alert(2)</script> \u202Edesrever';

const learned = [
  [
    "discovery",
    "Postgres refuses NUL in text columns; SQLite does not",
    "An outbox stood still for a day: one record held a NUL from a terminal capture. Canonical text now replaces it at capture, so both stores agree.",
  ],
  [
    "decision",
    "Conflicts are records, not prompts",
    "Nobody answers a merge prompt at two in the morning. The losing value is kept as a record of its own and settled when there is time.",
  ],
  [
    "bugfix",
    "Retry-After was read as seconds and as a date, whichever came first",
    "The proxy sends a date. The client waited 56 years, then gave up. Both forms are parsed now; the longer of the two wins, capped at five minutes.",
  ],
  [
    "trap",
    "`pnpm install` in the container runs as root and leaves a store nobody can write",
    "Set the store inside the work folder, or chown it afterwards. The build looks fine until the second run.",
  ],
  [
    "discovery",
    "The staging load balancer closes idle streams after 55 seconds",
    "Pings go every 20 seconds, so this never showed in tests. It did when a laptop slept.",
  ],
  [
    "feature",
    "Search looks through titles, narratives, facts and files",
    "Every word has to be there. Fewer words find more.",
  ],
  [
    "decision",
    "One writer per store, minted anew when history forks",
    "A restored laptop is another writer. It costs sixteen bytes and saves every argument about who was first.",
  ],
  [
    "refactor",
    "Group commit lives beside the queue it drains",
    "Moving it out of the transaction made the lock order visible, and the deadlock with it.",
  ],
] as const;

/** Claims the server and fills it. */
export async function createConsoleWorld(server: Server): Promise<ConsoleWorld> {
  const owner = await claimServer(server, "Ada");
  const personal = (await owner.hello()).namespaces?.[0]?.id ?? ("" as NamespaceId);
  const team = (await owner.createNamespace("harbour")).id;
  const invite = await owner.createLink({ kind: "invite", namespace: team, role: "writer" });
  const colleague = await joinServer(server, invite, "Dana");
  await owner.createLink({ kind: "invite", namespace: team, role: "reader" });
  const nowMs = Date.now();
  const ada = createWriter(owner, team, "writer_ada");
  const dana = createWriter(colleague, team, "writer_dana");
  await ada.put(
    Array.from({ length: 24 }, (_, index) =>
      observation(index, nowMs - (30 - index) * 3 * 3_600_000),
    ),
  );
  await dana.put([
    {
      id: "obs_hostile",
      at: nowMs - 2 * day,
      fields: { title: hostileTitle, kind: "trap", narrative: hostileTitle },
    },
  ]);
  const disputed = "obs_0" as RecordId;
  await dana.set(
    disputed,
    { narrative: "Both stores agree since canonical text replaces NUL at capture." },
    90,
  );
  await ada.set(disputed, { narrative: "Fixed in the outbox: a NUL is refused with a hint." }, 91);
  const own = createWriter(owner, personal, "writer_own");
  await own.put([
    {
      id: "own_0",
      at: nowMs - 3_600_000,
      fields: { title: "The key of the shed hangs behind the door", kind: "note" },
    },
  ]);
  return { owner, colleague, team, personal, disputed };
}

interface Draft {
  readonly id: string;
  readonly at: number;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

function observation(index: number, at: number): Draft {
  const [kind, title, narrative] = learned[index % learned.length] ?? learned[0];
  const round = Math.floor(index / learned.length);
  return {
    id: `obs_${index}`,
    at,
    fields: {
      kind,
      title: round === 0 ? title : `${title} (${round + 1})`,
      narrative,
      facts: ["Seen on Debian 12 and macOS 15", "A test quotes the rule"],
      concepts: ["sync", kind],
      filesModified: ["apps/server/src/domain/push.ts"],
      project: "github.com/acme/harbour",
      agent: index % 3 === 0 ? "codex" : "claude-code",
    },
  };
}

/** Writes puts and sets, a push at a time. */
function createWriter(client: TestClient, namespace: NamespaceId, name: string) {
  const writer = name as WriterId;
  let after = 0;
  let chain = chainStart(sha256, writer);
  const send = async (ops: readonly Omit<Op, "n">[]): Promise<void> => {
    const header = JSON.stringify({ writer, after, chain });
    const lines = ops.map((op) => {
      after += 1;
      const line = opLine({ ...op, n: after } as Op);
      chain = chainNext(sha256, chain, line);
      return line;
    });
    const answer = await push(client, namespace, `${[header, ...lines].join("\n")}\n`);
    if (answer.status !== 200) throw new Error(await answer.text());
  };
  const base = { collection: "observation" } as const;
  return {
    put: async (drafts: readonly Draft[]): Promise<void> => {
      await send(
        drafts.map(({ id, at, fields }, index) => ({
          ...base,
          record: id as RecordId,
          lamport: after + index + 1,
          at,
          op: "put",
          fields,
        })) as unknown as Omit<Op, "n">[],
      );
    },
    /** Without a base: unaware of what stands. */
    set: async (record: RecordId, fields: Draft["fields"], lamport: number): Promise<void> => {
      const op = {
        ...base,
        record,
        lamport: after + 1,
        at: Date.now() - lamport * 1_000,
        op: "put",
        fields,
      };
      await send([op] as unknown as Omit<Op, "n">[]);
    },
  };
}

/** A sign-in link of a device, for the address of the server. */
export async function consoleLink(server: Server, client: TestClient): Promise<string> {
  const { path } = await client.call<{ path: string }>("POST", "/v1/console/links");
  return server.url + path;
}
