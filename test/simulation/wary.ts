/** A server that finds secrets which the devices' scrubbers of before did not know (SC60, SC61). */
import { ok } from "../../packages/protocol/src/index.ts";
import type { ScrubbedJson } from "../../packages/scrubber/src/index.ts";
import type { Scrub } from "../../apps/client/src/memory/scrub.ts";
import type { SecretCheck } from "../../apps/server/src/domain/sync-deps.ts";
import type { SimDevice } from "./sim-device.ts";
import type { World } from "./world.ts";

const secret = "hush ";

/** A word with something beside it that no server keeps. */
export function withSecret(word: string): string {
  return `${secret}${word}`;
}

/** The server's second look. */
export const secondLook: SecretCheck = {
  look: (lines) => ({
    end: () => new Set(lines.flatMap((line, index) => (line.includes(secret) ? [index] : []))),
    drop: () => undefined,
  }),
  holdsSecret: ({ fields }) => JSON.stringify(fields).includes(secret),
};

/** A scrubber that knows by now what the server knows. */
export const knowingScrub: Scrub = scrubOf((text) => text.replaceAll(secret, ""));

/** A scrubber that finds nothing in this world. */
export const unknowingScrub: Scrub = scrubOf((text) => text);

function scrubOf(clean: (text: string) => string): Scrub {
  return {
    value: (value) => ok((typeof value === "string" ? clean(value) : value) as ScrubbedJson),
    payload: (payload) => payload,
    text: clean,
  };
}

/** No secret is on the server, but sealed (SC60). */
export function checkSecrets({ run, server }: World): void {
  for (const { records, revisions } of server.state.namespaces.values()) {
    const held = [...records.values()].map(({ form }) => form.fields ?? "");
    const past = [...revisions.values()].map(({ row }) => row.value);
    const found = [...held, ...past].find((text) => text.includes(secret));
    if (found !== undefined) run.broken("SC60", `the server keeps a secret: ${found}`);
  }
}

/** What a device holds back for a secret that it can take out: its next answer tells it to (SC81). */
export function* mendable(world: World, device: SimDevice): Generator<string> {
  if (!device.knowsSecrets || world.extras.isWary !== true) return;
  const { reads, replicas } = device.reader().store;
  for (const { namespace, record, code } of reads.rejected()) {
    if (code !== "secret-detected" || !world.isMember(device, namespace)) continue;
    const { role, status } = replicas.replica(namespace) ?? {};
    // What was forgotten since waits for the forget; a reader's changes wait for a person.
    if (role === "reader" || status !== "active") continue;
    if (reads.get(namespace, record) === undefined) continue;
    yield `${device.name} holds ${record} back, which it can mend`;
  }
}
