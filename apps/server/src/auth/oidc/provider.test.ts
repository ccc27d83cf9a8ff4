import { expect, test } from "vitest";
import { sha256 } from "../../platform/hash.ts";
import { createTestClock } from "../testing/auth-deps.ts";
import { createOidcProvider } from "./provider.ts";

const issuer = "https://id.example";
const flow = { secret: "secret", redirectUri: "https://tidemark.example/console/identity" };

test("[CO10] a provider that did not answer is asked again after a while, also where the clock was ahead and is set back", async () => {
  const clock = createTestClock();
  let isAway = false;
  const fetch = async (): Promise<Response> => {
    await Promise.resolve();
    if (isAway) throw new Error("away");
    return Response.json({ issuer, authorization_endpoint: `${issuer}/authorize` });
  };
  const settings = { issuer, clientId: "tidemark", clientSecret: undefined, label: "ID" };
  const provider = createOidcProvider({ clock, sha256, fetch }, settings);
  expect(await provider.begin(flow)).toMatchObject({ ok: true });
  clock.advance(3_600_000);
  isAway = true;
  expect(await provider.begin(flow)).toEqual({ ok: false, error: "unavailable" });
  isAway = false;
  expect(await provider.begin(flow)).toEqual({ ok: false, error: "unavailable" });
  clock.advance(-3_600_000);
  expect(await provider.begin(flow)).toMatchObject({ ok: true });
  // What was known before the clock was set back is not believed for an hour more.
  isAway = true;
  clock.advance(-3_600_000);
  expect(await provider.begin(flow)).toEqual({ ok: false, error: "unavailable" });
});
