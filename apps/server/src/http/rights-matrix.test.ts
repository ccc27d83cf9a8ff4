import { beforeAll, describe, expect, test } from "vitest";
import { routeTable, type RouteName } from "./route-table.ts";
import { rightsTable } from "./testing/rights-table.ts";
import {
  callers,
  createRightsWorld,
  markOf,
  type Answer,
  type Caller,
  type Ids,
  type RightsWorld,
} from "./testing/rights-world.ts";

const names = Object.keys(routeTable) as RouteName[];

/** Who is in which team; the others must not learn that it is there. */
const isInA = new Set<Caller>(["machine", "reader", "writer", "admin", "owner"]);
const isInB = new Set<Caller>(["foreigner", "foreignMachine"]);

let world: RightsWorld;
let without: RightsWorld;
beforeAll(async () => {
  world = await createRightsWorld();
  without = await createRightsWorld({ isDeleted: true });
});

function outcomeOf({ status, body }: Answer): string {
  const code = /"code":"([a-z-]+)"/.exec(status >= 400 ? body : "")?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}

async function sendTo(name: RouteName, caller: Caller, ids: Ids): Promise<Answer> {
  const { path, ...sending } = rightsTable[name].request(ids);
  return await world.send(caller, path, sending);
}

test("[NS20] every route has a row that says who gets which answer, and every row a route (abuse 93)", () => {
  expect(Object.keys(rightsTable).toSorted()).toEqual(names.toSorted());
  const inPaths = names.map((name) => {
    const ids = [...routeTable[name].path.matchAll(/:(\w+)/g)].map(([, id = ""]) => id);
    return [name, ids] as const;
  });
  // What a path names is asked for with an id of somebody else's as well.
  const unasked = inPaths.filter(
    ([name, ids]) => !ids.every((id) => rightsTable[name].ids.some((asked) => fills(asked, id))),
  );
  expect(unasked).toEqual([]);
});

describe.each(names)("%s", (name) => {
  test("[NS20] each kind of caller gets the answer of the table, and who is refused changes nothing", async () => {
    const got: Record<string, string> = {};
    const changed: Caller[] = [];
    for (const caller of callers) {
      const answer = await sendTo(name, caller, world.a);
      got[caller] = outcomeOf(answer);
      if (answer.status >= 400 && answer.hasChanged) changed.push(caller);
    }
    expect(got).toEqual(rightsTable[name].answers);
    expect(changed).toEqual([]);
  });

  test("[NS21] to who is not in a team its ids are as ids that nothing has (abuse 81, 90, 91)", async () => {
    for (const caller of callers) {
      for (const id of rightsTable[name].ids) {
        const random = await sendTo(name, caller, { ...world.a, [id]: world.none[id] });
        const places = [
          ...(isInB.has(caller) ? [] : [world.b]),
          ...(isInA.has(caller) ? [] : [world.a]),
        ];
        for (const place of places) {
          const foreign = await sendTo(name, caller, { ...world.a, [id]: place[id] });
          expect({ caller, id, ...foreign }).toEqual({ caller, id, ...random });
        }
      }
    }
  });

  test("[NS21] no answer names what is in a team to who is not in it (abuse 87, 88, 89)", async () => {
    const told: string[] = [];
    for (const caller of callers) {
      const { body } = await sendTo(name, caller, world.a);
      if (!isInB.has(caller) && leakOf("b", caller).test(body)) told.push(`${caller} of b`);
      // Who was or waits to be a member has that in their own log, and is told where they wait.
      const isTheirs =
        (caller === "exMember" && name === "deviceLog") ||
        (caller === "waiting" && ["deviceLog", "hello"].includes(name));
      if (!isInA.has(caller) && !isTheirs && leakOf("a", caller).test(body))
        told.push(`${caller} of a`);
    }
    expect(told).toEqual([]);
  });
});

const inNamespaces = names.filter((name) => rightsTable[name].ids.includes("namespace"));

test.each(inNamespaces)(
  "[NS22] to its members a deleted namespace is as one that never was: %s",
  async (name) => {
    for (const caller of isInA) {
      const sendIn = async (ids: Ids): Promise<Answer> => {
        const { path, ...sending } = rightsTable[name].request(ids);
        return await without.send(caller, path, sending);
      };
      const answer = await sendIn(without.a);
      if (name === "namespaceRestore" && caller === "owner") {
        expect(answer).toMatchObject({ status: 200, hasChanged: true });
        continue;
      }
      const { namespace } = without.none;
      expect({ caller, ...answer }).toEqual({
        caller,
        ...(await sendIn({ ...without.a, namespace })),
      });
      expect(answer.hasChanged).toBe(false);
    }
  },
);

/** Whether an id stands where a path says so: who waits is a user too. */
function fills(id: keyof Ids, inPath: string): boolean {
  return id === inPath || (id === "waiting" && inPath === "user");
}

function leakOf(team: "a" | "b", caller: Caller): RegExp {
  const { namespace, user, waiting, device, link } = world[team];
  const ids = [namespace, user, device, link, ...(caller === "waiting" ? [] : [waiting])];
  return new RegExp([markOf[team], ...ids].join("|"));
}
