import { expect, test } from "vitest";
import { createLinkBook, type LinkBook } from "./link-book.ts";

const day = 24 * 3_600_000;
const binding = new Uint8Array([1, 2, 3]);
let nowMs = 0;
const facts = new Map<string, string>();

function book(serverId = "srv_a"): LinkBook {
  return createLinkBook({
    facts: {
      meta: (key) => facts.get(key),
      changeMeta: (key, change) => {
        const value = change(facts.get(key));
        if (value === undefined) facts.delete(key);
        else facts.set(key, value);
      },
    },
    clock: { nowMs: () => nowMs },
    serverId,
  });
}

function fresh(): LinkBook {
  facts.clear();
  nowMs = 1_000;
  return book();
}

test("[EE21] a link vouches for a week from its end, and then is forgotten", () => {
  const links = fresh();
  links.keep({ id: "a", side: "made", binding, lifeMs: 600_000 });
  nowMs += 600_000 + 7 * day - 1;
  expect(links.links().map(({ id }) => id)).toEqual(["a"]);
  nowMs += 1;
  expect(links.links()).toEqual([]);
  links.keep({ id: "b", side: "opened", binding, lifeMs: 0 });
  expect(facts.get("pairing-links")).not.toContain('"a"');
});

test("[EE21] a link that lives longer than an hour opens nothing, and is kept for its check", () => {
  const links = fresh();
  links.keep({ id: "a", side: "made", binding, lifeMs: 3_600_001 });
  links.keep({ id: "b", side: "made", binding, lifeMs: 3_600_000 });
  expect(links.links()).toMatchObject([
    { id: "a", isOpening: false, soonUntilMs: nowMs },
    { id: "b", isOpening: true, soonUntilMs: nowMs + 900_000 },
  ]);
});

test("[EE21] links of another server vouch for nobody here", () => {
  const links = fresh();
  links.keep({ id: "a", side: "made", binding, lifeMs: 0 });
  expect(book("srv_b").links()).toEqual([]);
  expect(book().links()).toHaveLength(1);
});

test("[EE21] twenty are kept, the newest; what is noted of one stays with it", () => {
  const links = fresh();
  for (let at = 0; at < 25; at += 1) {
    links.keep({ id: `l${at}`, side: "made", binding, lifeMs: 0 });
  }
  expect(
    links
      .links()
      .map(({ id }) => id)
      .at(0),
  ).toBe("l5");
  expect(links.links()).toHaveLength(20);
  links.change("l7", { isTold: true });
  links.drop("l8");
  expect(
    links
      .links()
      .filter(({ isTold }) => isTold)
      .map(({ id }) => id),
  ).toEqual(["l7"]);
  expect(links.links()).toHaveLength(19);
});

test("[EE21] the link of a device that is shut out is forgotten", () => {
  const links = fresh();
  const joined = { device: "dev_b", name: "b", thumbprint: "t", isVouched: true };
  links.keep({ id: "a", side: "made", binding, lifeMs: 0 });
  links.change("a", { joined });
  links.dropDevice("dev_c");
  expect(links.links()[0]?.joined).toEqual(joined);
  links.dropDevice("dev_b");
  expect(links.links()).toEqual([]);
});

test("[EE21] what cannot be read keeps nobody out of the rest", () => {
  const links = fresh();
  facts.set("pairing-links", "{");
  expect(links.links()).toEqual([]);
  facts.set("pairing-links", '[null, 7, {"id": "a"}]');
  expect(links.links()).toEqual([]);
  links.keep({ id: "b", side: "made", binding, lifeMs: 0 });
  expect(links.links()).toHaveLength(1);
});
