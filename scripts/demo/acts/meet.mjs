import { isDeepStrictEqual } from "node:util";
import { claim } from "../claim.mjs";
import { titles } from "./part.mjs";

/** The network is back: both laptops agree, and what lost is kept. */
export const meet = {
  short: "Convergence",
  title: "Back online: the laptops agree, and nothing is lost",
  async run(world, { screen }) {
    const { wire, laptopA, laptopB, edited } = world;
    await wire.mend();
    screen.progress("both sync");
    for (const device of [laptopA, laptopB, laptopA]) await device.sync();
    const [a, b] = [await laptopA.ask("show", edited.id), await laptopB.ask("show", edited.id)];
    claim(isDeepStrictEqual(shared(a), shared(b)), "both laptops show the same observation", {
      a,
      b,
    });
    const lists = [await laptopA.ask("list", "--all"), await laptopB.ask("list", "--all")];
    const [left, right] = lists.map(({ items }) => items.map(shared).toSorted(byId));
    claim(isDeepStrictEqual(left, right), "both laptops hold the same observations", {
      a: lists[0].total,
      b: lists[1].total,
    });
    const kept = [await laptopA.ask("conflicts"), await laptopB.ask("conflicts")];
    const lost = a.title === titles.a ? titles.b : titles.a;
    claim([titles.a, titles.b].includes(a.title), "one of the two titles won", a);
    for (const { items } of kept) {
      const isKept = items.length === 1 && items[0].record === edited.id && items[0].value === lost;
      claim(isKept, "the title that lost is kept as a conflict", items);
    }
    const { good, quiet } = screen.colours;
    return {
      facts: [
        `${lists[0].total} observations on both, equal field by field`,
        `${good("shown")}  “${a.title}”`,
        `${good("kept")}   “${lost}”  ${quiet("tidemark conflicts")}`,
      ],
      summary: "equal on both, 1 conflict kept",
    };
  },
};

/** An observation without what differs by who looks: how far this device trusts its author. */
function shared({ trust: _trust, ...rest }) {
  return rest;
}

function byId(left, right) {
  return left.id < right.id ? -1 : 1;
}
