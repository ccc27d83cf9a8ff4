import { expect, test } from "vitest";
import { ask, claimServer, outcome } from "../testing/client.ts";
import { createHarness } from "../testing/harness.ts";
import { pollAnswer, pollCode, showCode } from "../testing/pairing.ts";

test("[PR4] a browser finds no page for codes, and what it posts decides about none (abuse 24)", async () => {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const shown = await showCode(harness, "desk");
  const rows = async () => (await harness.store.accounts.verifyAudit()).rows;
  const before = await rows();
  const { code, id } = shown;
  for (const path of [`/pair?code=${code}`, `/pair/${code}`, `/v1/pair?code=${code}`]) {
    const page = await ask(harness, path);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page.headers.get("access-control-allow-origin")).toBeNull();
    expect(await outcome(page)).toBe("404 not-found");
  }
  // A form of somebody else's page, with what a browser may send of its own accord.
  const forms = [
    { type: "application/x-www-form-urlencoded", body: `id=${id}&code=${code}` },
    { type: "text/plain", body: JSON.stringify({ id, code }) },
    { type: "application/json", body: JSON.stringify({ id, code }) },
  ];
  const { token } = owner;
  const known = { origin: "https://evil.example", cookie: `session=${token}; token=${token}` };
  for (const path of ["/v1/pair/lookup", "/v1/pair/approve", "/v1/pair/deny"]) {
    for (const { type, body } of forms) {
      const headers = { ...known, "content-type": type };
      const sent = await ask(harness, path, { method: "POST", headers, body });
      expect(await outcome(sent)).toBe("401 invalid-token");
    }
    const asked = await ask(harness, path, { method: "OPTIONS", headers: known });
    expect(asked.headers.get("access-control-allow-origin")).toBeNull();
  }
  expect(await pollAnswer(await pollCode(harness, shown))).toMatchObject({ status: "pending" });
  expect(await rows()).toBe(before);
});
