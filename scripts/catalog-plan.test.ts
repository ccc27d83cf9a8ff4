import { expect, test } from "vitest";
import { catalog } from "../packages/scrubber/src/catalog.ts";
import { planRules } from "../packages/scrubber/src/compile.ts";
import { planCatalog } from "./catalog-plan.mjs";

test("[SC4] the plan that a build writes is the plan of the catalogue, which is sound", async () => {
  expect({ ok: true, value: await planCatalog() }).toEqual(planRules(catalog));
});
