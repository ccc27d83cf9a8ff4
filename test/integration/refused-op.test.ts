import { expect, test } from "vitest";
import { errorKinds } from "../../packages/protocol/src/index.ts";
import { createWorld, type Fate } from "./world.ts";

/** Refuses one push as too large, and lets no page through before that. */
function refusingOnce(): { readonly fate: Fate; readonly begin: () => void } {
  let refused: Promise<void> | undefined;
  let isRefused = (): void => undefined;
  const fate: Fate = async (request, deliver) => {
    const { pathname } = new URL(request.url);
    if (refused === undefined) return await deliver();
    if (pathname.endsWith("/records")) {
      await refused;
      return await deliver();
    }
    if (!pathname.endsWith("/ops")) return await deliver();
    const { status, family } = errorKinds["too-large"];
    // Before the next turn of the event loop all that follows from the answer is done.
    setImmediate(isRefused);
    const problem = { type: "t", title: "Too large.", status, code: "too-large", family };
    const headers = { "content-type": "application/problem+json" };
    return new Response(JSON.stringify(problem), { status, headers });
  };
  const begin = (): void => {
    refused = new Promise((resolve) => (isRefused = resolve));
  };
  return { fate, begin };
}

test("[PL26, EN10] a page that was under way while an op was refused here is asked for again", async () => {
  const { fate, begin } = refusingOnce();
  const world = await createWorld(fate);
  const { a, b } = world;
  b.put("theirs", { title: "from b" });
  await b.sync();
  begin();
  a.put("mine", { title: "too large" });
  const outcome = await a.sync();
  expect(outcome.namespaces).toMatchObject([{ isDone: true, rejected: 1, failure: undefined }]);
  expect(a.titles()).toMatchObject({ theirs: "from b" });
  world.close();
});
