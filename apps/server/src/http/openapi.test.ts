import { isErrorCode } from "@tidemark/protocol";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openApiDocument } from "./openapi.ts";
import { routeTable, type RouteRule } from "./route-table.ts";
import { ask, claimServer } from "./testing/client.ts";
import { bodyText, createHarness } from "./testing/harness.ts";

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly "x-bytes-max": number };
  readonly responses: Readonly<Record<string, { readonly "x-codes"?: readonly string[] }>>;
  readonly "x-rates-per-minute"?: Readonly<Record<string, number>>;
}

const { paths } = openApiDocument() as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

test("[WR21] the published description is made from the route table, rule for rule", () => {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const named = operations.map(({ operationId }) => operationId);
  expect(named.toSorted()).toEqual(Object.keys(routeTable).toSorted());
  for (const [name, given] of Object.entries(routeTable)) {
    const rule: RouteRule = given;
    const path = paths[rule.path.replaceAll(/:(\w+)/g, "{$1}")];
    const operation = path?.[rule.method.toLowerCase()];
    expect(operation?.operationId).toBe(name);
    expect(operation?.security).toHaveLength(
      { open: 0, maybe: 2, device: 1, person: 1 }[rule.auth],
    );
    expect(operation?.requestBody?.["x-bytes-max"]).toBe(rule.body?.bytesMax);
    const rates = Object.values(operation?.["x-rates-per-minute"] ?? {});
    expect(rates).toEqual(rule.rates.map(({ perMinute }) => perMinute));
    const codes = Object.values(operation?.responses ?? {}).flatMap((one) => one["x-codes"] ?? []);
    expect(codes.filter((code) => !isErrorCode(code))).toEqual([]);
    expect(codes.includes("device-limited")).toBe(rule.auth === "person");
  }
});

test("[WR21] the description in the documentation is the current one", async () => {
  const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(
    join(import.meta.dirname, "../../../../docs/openapi.json"),
  );
});

test("[WR21] a server tells its description to anybody", async () => {
  const harness = createHarness();
  await claimServer(harness);
  const answer = await ask(harness, "/v1/openapi.json");
  expect(answer.status).toBe(200);
  expect(JSON.parse(await bodyText(answer))).toEqual(openApiDocument());
});

test("[WR21] a server tells a network its description 60 times a minute", async () => {
  const harness = createHarness();
  await claimServer(harness);
  const statuses = [];
  for (let count = 0; count < 61; count += 1) {
    statuses.push((await ask(harness, "/v1/openapi.json")).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 60 }, () => 200), 429]);
});
