import { isFields, textOf, type Fields } from "../json.ts";
import { nothingYet, type BroughtRow } from "./brought.ts";

/** A reader of one file of the MCP memory server, line by line. */
export interface GraphReader {
  /** Why a line is nothing that can be taken; undefined where it can. */
  readLine(line: string): { readonly from: string; readonly reason: string } | undefined;
  /** Every entity with what is said of it and how it is related. Call it once, last. */
  end(): readonly BroughtRow[];
}

/** Whether a line is one of the MCP memory server's. */
export function isGraphLine(line: Fields): boolean {
  return line["type"] === "entity"
    ? typeof line["name"] === "string" && Array.isArray(line["observations"])
    : line["type"] === "relation" && typeof line["relationType"] === "string";
}

/** Reads the knowledge graph of the MCP memory server: an entity is one thing to remember. */
export function createGraphReader(): GraphReader {
  const entities: Fields[] = [];
  // By what they start from: looked for in all of them, an entity would cost as much as its graph.
  const relationsByFrom = new Map<unknown, Fields[]>();
  let number = 0;
  return {
    readLine: (text) => {
      number += 1;
      if (text.trim() === "") return undefined;
      const line = parse(text);
      if (line === undefined || !isGraphLine(line)) {
        return { from: `line ${number}`, reason: "it is neither entity nor relation" };
      }
      if (line["type"] === "entity") {
        entities.push(line);
        return undefined;
      }
      const others = relationsByFrom.get(line["from"]) ?? [];
      relationsByFrom.set(line["from"], others);
      others.push(line);
      return undefined;
    },
    end: () => entities.map((entity) => entityOf(entity, relationsByFrom)),
  };
}

function entityOf(
  entity: Fields,
  relationsByFrom: ReadonlyMap<unknown, readonly Fields[]>,
): BroughtRow {
  const name = textOf(entity, "name") ?? "";
  const from = `MCP memory server entity ${name}`;
  const type = textOf(entity, "entityType");
  const said = (entity["observations"] as readonly unknown[]).filter(
    (each): each is string => typeof each === "string" && each.trim() !== "",
  );
  const related = (relationsByFrom.get(name) ?? []).map(
    (relation) => `${textOf(relation, "relationType") ?? ""} ${textOf(relation, "to") ?? ""}`,
  );
  if (name === "") return { ok: false, from, reason: "it has no name" };
  if (said.length + related.length === 0)
    return { ok: false, from, reason: "nothing is said of it" };
  return {
    ok: true,
    value: {
      ...nothingYet,
      from,
      key: "",
      title: type === undefined ? name : `${name} (${type})`,
      facts: [...said, ...related],
      concepts: type === undefined ? [] : [type],
    },
  };
}

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
