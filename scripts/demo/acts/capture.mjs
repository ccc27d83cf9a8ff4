import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { claim } from "../claim.mjs";
import { createCanary, plantedCalls } from "../planted.mjs";
import { hookCallsOf } from "../recording.mjs";
import { clipped } from "../screen.mjs";
import { createSecrets } from "../secrets.mjs";

const session = fileURLToPath(
  new URL("../../../test/fixtures/sessions/review-page.jsonl", import.meta.url),
);
/** Observations that the session must leave at least; it holds far more moments than that. */
const observationsMin = 10;

/** Replays a real agent session, with secrets planted in it, through the hooks of one laptop. */
export const capture = {
  short: "Capture",
  title: "A recorded agent session runs through the hooks of laptop-a",
  async run(world, { screen }) {
    const { stage, laptopA } = world;
    const secrets = createSecrets();
    const canary = createCanary(randomInt(1e6, 1e7));
    const calls = hookCallsOf(session, { folder: stage.workFolder });
    const planted = plantedCalls(secrets, canary, calls[0]);
    calls.splice(Math.floor(calls.length / 2), 0, ...planted);
    Object.assign(world, { secrets, canary, hookCalls: calls });

    const times = await replay(laptopA, calls, screen);
    const { items, total } = await laptopA.ask("list", "--all");
    claim(items.length === total, "a list tells how many there are", { total });
    claim(total >= observationsMin, "the session leaves observations", { total });
    const remembered = items.filter((item) => JSON.stringify(item).includes(canary));
    claim(remembered.length > 0, "what stood beside the secrets is remembered", items.length);
    const samples = pickSamples(items).map((item) => sampleLine(item, screen.colours));
    return {
      facts: [
        `${calls.length} hook calls, ${median(times)} ms each, all exit 0`,
        `${total} observations: ${kindsOf(items)}`,
        ...samples,
      ],
      summary: `${calls.length} hook calls, ${total} observations`,
    };
  },
};

async function replay(device, calls, screen) {
  const times = [];
  for (const [index, { event, payload }] of calls.entries()) {
    screen.progress(`${Math.round((100 * index) / calls.length)} %  ${event}`);
    const startMs = performance.now();
    const { code, stderr } = await device.hook(event, payload);
    times.push(performance.now() - startMs);
    claim(code === 0 && stderr === "", `the hook ${event} ends well and in silence`, stderr);
  }
  return times;
}

function median(numbers) {
  const sorted = numbers.toSorted((left, right) => left - right);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

function kindsOf(items) {
  const counts = new Map();
  for (const { kind } of items) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const sorted = [...counts].toSorted((left, right) => right[1] - left[1]);
  const named = sorted.slice(0, 4).map(([kind, count]) => `${count} ${kind}`);
  const rest = sorted.slice(4).reduce((sum, [, count]) => sum + count, 0);
  return [...named, ...(rest > 0 ? [`${rest} other`] : [])].join(", ");
}

/** What a person would tell of this session: an error and its fix, a command, the commit. */
function pickSamples(items) {
  const oldestFirst = items.toReversed();
  const first = (kind) => oldestFirst.find((item) => item.kind === kind);
  const commit = items.find(({ title }) => title.startsWith("Committed"));
  return [first("fix"), first("command"), commit].filter((item) => item !== undefined);
}

function sampleLine({ kind, title }, colours) {
  return `${colours.accent(kind.padEnd(9))} ${clipped(title, 60)}`;
}
