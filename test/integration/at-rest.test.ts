/** What lies on a device's disk after it has worked with its server. */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createWorld, type World } from "./world.ts";

let world: World | undefined;
afterEach(() => {
  world?.close();
  world = undefined;
});

test("[AU50] no token, proof or assertion lies on the disk or in the environment (abuse 179)", async () => {
  const secrets = new Set<string>();
  const here = await createWorld(async (request, deliver) => {
    for (const name of ["authorization", "dpop"]) {
      const shown = request.headers.get(name)?.replace(/^DPoP /u, "") ?? "";
      if (shown !== "") secrets.add(shown);
    }
    const isToken = new URL(request.url).pathname === "/v1/auth/token";
    if (!isToken) return await deliver();
    secrets.add(new URLSearchParams(await request.clone().text()).get("client_assertion") ?? "");
    const answer = await deliver();
    const { access_token: token } = (await answer.clone().json()) as { access_token: string };
    secrets.add(token);
    return answer;
  });
  world = here;
  here.a.put("record_1", { title: "lies on the disk" });
  await here.a.sync();
  await here.b.sync();
  here.b.set("record_1", { title: "and goes on lying" });
  await here.b.sync();
  await here.a.sync();
  expect([...secrets].filter((secret) => secret.length > 100).length).toBeGreaterThan(6);
  let bytes = "";
  here.clone(here.a, (path) => {
    const folder = dirname(path);
    for (const name of readdirSync(folder)) bytes += readFileSync(join(folder, name), "latin1");
  });
  expect(bytes).toContain("and goes on lying");
  const around = `${bytes}${JSON.stringify(process.env)}${process.argv.join(" ")}`;
  for (const secret of secrets) {
    expect(around.includes(secret)).toBe(false);
    // Nor one of the three parts of it.
    for (const part of secret.split(".").slice(1)) expect(around.includes(part)).toBe(false);
  }
});
