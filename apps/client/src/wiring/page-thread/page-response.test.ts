import { fail } from "@tidemark/protocol";
import { expect, test, vi } from "vitest";
import { garbled } from "../../sync/http/failures.ts";
import { lostBody, responseOf } from "./page-response.ts";
import type { PageBody, PageHead } from "./thread-talk.ts";

const head: PageHead = {
  status: 200,
  headers: new Map([["content-type", "text/html"]]),
  hasLines: false,
};

test("[PL25] a body that is none of lines and that nobody wants is given up, once", async () => {
  const giveUp = vi.fn<() => void>();
  const { body } = responseOf(head, new Promise(() => undefined), giveUp);
  await body?.cancel();
  expect(giveUp).toHaveBeenCalledOnce();
});

test("[PL25] a body that is none of lines is read as it came, and its end lost is an error", async () => {
  const text: PageBody = { kind: "text", text: "<p>log in</p>" };
  const whole = responseOf(head, Promise.resolve(text), () => undefined);
  expect(whole.headers.get("content-type")).toBe("text/html");
  expect(whole.headers.get("retry-after")).toBeNull();
  expect(await new Response(whole.body).text()).toBe("<p>log in</p>");
  const broken = responseOf(head, Promise.resolve(lostBody), () => undefined);
  await expect(new Response(broken.body).text()).rejects.toThrow("broke off");
});

test("[PL25] lines whose end was lost are garbled, and so is a text in their place", async () => {
  const lined = { ...head, hasLines: true };
  for (const body of [lostBody, { kind: "text", text: "" } as const]) {
    const response = responseOf(lined, Promise.resolve(body), () => undefined);
    expect(response.body).toBeNull();
    expect(await response.lines).toEqual(fail(garbled));
  }
});
