import { fail, ok, type NamespaceId } from "@tidemark/protocol";
import type { PushAnswer } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import type { PushPlan } from "../store/replica-store.ts";
import { PushAhead } from "./push-ahead.ts";
import { syncLimits } from "./sync-limits.ts";
import { createVirtualTime } from "./testing/virtual-time.ts";
import { cancelled, type Answer, type Transport } from "./transport.ts";

const namespace = "mine" as NamespaceId;
const never = new AbortController().signal;
const body = Promise.resolve(new Uint8Array([1]));
const planOf = (line: string): PushPlan => ({ lines: [line] }) as unknown as PushPlan;
const refused = { family: "retry", code: "rate-limited", title: "slowly" } as const;

interface Sent {
  readonly line: string | undefined;
  hasEnd: boolean;
  isAborted: boolean;
  readonly answer: (answer: Answer<PushAnswer>) => void;
}

/** A network that tells what of each push has left. */
function scene({ canHoldEnds = true, isAwaited = false } = {}) {
  const sent: Sent[] = [];
  const time = createVirtualTime();
  const running = new Set<Promise<void>>();
  const push: Transport["push"] = (_, { lines, end, onSent }, signal) =>
    new Promise((resolve) => {
      const each: Sent = { line: lines[0], hasEnd: false, isAborted: false, answer: resolve };
      sent.push(each);
      onSent?.();
      void end?.then(() => (each.hasEnd = true));
      signal.addEventListener("abort", () => {
        each.isAborted = true;
        resolve(fail(cancelled));
      });
    });
  const ahead = new PushAhead({
    transport: { push, canHoldEnds },
    timers: time,
    slots: { isAwaited: () => isAwaited },
    spawn: (work) => {
      const task = work().finally(() => running.delete(task));
      running.add(task);
    },
  });
  return { ahead, sent, time, running };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("[PS33] all of a push but its end leaves, and the end once it is the next one's turn", async () => {
  const { ahead, sent, running } = scene();
  const plan = planOf("second");
  await ahead.begin(namespace, plan, body);
  await settled();
  expect(sent).toMatchObject([{ line: "second", hasEnd: false }]);
  const ended = ahead.end(plan, never);
  await settled();
  expect(sent).toMatchObject([{ hasEnd: true, isAborted: false }]);
  const answer = ok({ head: 7 } as PushAnswer);
  sent[0]?.answer(answer);
  expect(await ended?.answer).toBe(answer);
  await settled();
  expect(running.size).toBe(0);
  expect(ahead.end(plan, never)).toBeUndefined();
});

test("[PS33] what is not the next one any more is broken off, its end never sent", async () => {
  const { ahead, sent, running } = scene();
  await ahead.begin(namespace, planOf("second"), body);
  expect(ahead.end(planOf("another"), never)).toBeUndefined();
  await ahead.begin(namespace, planOf("third"), body);
  ahead.drop();
  await ahead.begin(namespace, planOf("fourth"), undefined);
  await ahead.begin(namespace, planOf("fifth"), undefined);
  await settled();
  expect(sent.map(({ isAborted, hasEnd }) => [isAborted, hasEnd])).toEqual([
    [true, false],
    [true, false],
    [true, false],
    [false, false],
  ]);
  ahead.drop();
  await settled();
  expect(running.size).toBe(0);
});

test("[PS33] one that is over before its end left is sent anew, whatever ended it", async () => {
  const { ahead, sent } = scene();
  const plan = planOf("second");
  await ahead.begin(namespace, plan, body);
  sent[0]?.answer(fail(refused));
  await settled();
  expect(ahead.end(plan, never)).toBeUndefined();
  expect(sent).toMatchObject([{ isAborted: true, hasEnd: false }]);
});

test("[EN5, PS33] a server that asks for patience before the end left has answered this push", async () => {
  const { ahead, sent } = scene();
  const plan = planOf("second");
  await ahead.begin(namespace, plan, body);
  const patience = fail({ ...refused, retryAfterMs: 30_000 });
  sent[0]?.answer(patience);
  await settled();
  expect(await ahead.end(plan, never)?.answer).toBe(patience);
  expect(sent).toMatchObject([{ hasEnd: false }]);
  await ahead.begin(namespace, plan, body);
  sent[1]?.answer(patience);
  await settled();
  // Another push is not what it answered.
  expect(ahead.end(planOf("another"), never)).toBeUndefined();
});

test("[PS33] a push whose end has left is given up with its exchange, and only then", async () => {
  const { ahead, sent } = scene();
  const [plan, stop] = [planOf("second"), new AbortController()];
  await ahead.begin(namespace, plan, body);
  ahead.end(plan, stop.signal);
  ahead.drop();
  expect(sent[0]?.isAborted).toBe(false);
  stop.abort();
  expect(sent[0]?.isAborted).toBe(true);
});

test("[PS33] a way on which an end waits for five seconds is left to one push at a time for a while", async () => {
  const { ahead, sent, time } = scene();
  const plan = planOf("slow");
  await ahead.begin(namespace, plan, body);
  await time.advance(syncLimits.aheadHoldMsMax - 1);
  expect(sent[0]?.isAborted).toBe(false);
  await time.advance(1);
  expect(sent[0]?.isAborted).toBe(true);
  expect(ahead.end(plan, never)).toBeUndefined();
  for (let push = 0; push < syncLimits.aheadRestPushes; push += 1) {
    await ahead.begin(namespace, planOf("rest"), body);
  }
  expect(sent).toHaveLength(1);
  await ahead.begin(namespace, planOf("again"), body);
  expect(sent).toHaveLength(2);
});

test("[PS33] an end that has left waits for its answer as long as any push", async () => {
  const { ahead, sent, time } = scene();
  const plan = planOf("second");
  await ahead.begin(namespace, plan, body);
  ahead.end(plan, never);
  await time.advance(syncLimits.aheadHoldMsMax * 2);
  expect(sent[0]?.isAborted).toBe(false);
});

test("[PS33] where no end can wait nothing leaves before its turn", async () => {
  const { ahead, sent } = scene({ canHoldEnds: false });
  await ahead.begin(namespace, planOf("second"), body);
  expect(sent).toEqual([]);
});

test("[EN26, PS33] where another namespace has the next turn nothing leaves before its own", async () => {
  const { ahead, sent } = scene({ isAwaited: true });
  await ahead.begin(namespace, planOf("second"), body);
  expect(sent).toEqual([]);
});
