import { expect, test } from "vitest";
import { catalogNames } from "../packages/scrubber/src/catalog-names.ts";
import { catalog } from "../packages/scrubber/src/catalog.ts";
import { planRules } from "../packages/scrubber/src/compile.ts";
import {
  openPackedRules,
  packNames,
  packRules,
  unpackNames,
  type RuleFunction,
} from "../packages/scrubber/src/packed-rules.ts";
import type { Rule } from "../packages/scrubber/src/rule.ts";
import { packCatalog } from "./packed-catalog.mjs";

const unread = { priority: 0, source: "" };

/** What scanners do not compare is in the plan alone. */
function withoutAnchors(rule: Rule): { readonly anchors?: readonly string[] } {
  return "scan" in rule && rule.isExact !== true ? { anchors: [] } : {};
}

test("[SC4] the plan that a build writes is the plan of the catalogue, which is sound", async () => {
  const { packed } = await packCatalog();
  expect({ ok: true, value: packed.plan }).toEqual(planRules(catalog));
});

test("[SC13] what a build packs is read again as the catalogue", async () => {
  const functions: RuleFunction[] = [];
  const numberOf = (called: RuleFunction): number => {
    if (!functions.includes(called)) functions.push(called);
    return functions.indexOf(called);
  };
  const { texts, starts } = packRules(catalog, numberOf);
  const { packed, packedNames } = await packCatalog();
  expect([packed.texts, packed.starts]).toEqual([texts, starts]);
  expect(packed.functions.map(({ name }) => name)).toEqual(functions.map(({ name }) => name));
  const opened = openPackedRules({ ...packed, functions });
  expect(catalog.map((_, number) => opened.ruleAt(number))).toEqual(
    catalog.map((rule) => ({ ...rule, ...unread, ...withoutAnchors(rule) })),
  );
  expect(packedNames).toBe(packNames(catalogNames()));
  expect(unpackNames(packedNames)).toEqual(catalogNames().map((each) => ({ ...each, ...unread })));
});
