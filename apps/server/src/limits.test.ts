import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { limits } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { serverLimits } from "./limits.ts";

const page = fileURLToPath(new URL("../../../docs/security.md", import.meta.url));

/** Every number under its path, such as `pokes.ofDeviceMax`. */
function flat(value: object, path = ""): readonly (readonly [string, number])[] {
  return Object.entries(value).flatMap(([name, entry]: [string, unknown]) =>
    typeof entry === "number"
      ? [[`${path}${name}`, entry] as const]
      : flat(entry as object, `${path}${name}.`),
  );
}

/** The rows of the page that begin with a limit's name and its number. */
function documented(): ReadonlyMap<string, number> {
  const rows = readFileSync(page, "utf8").matchAll(/^\| `([\w.]+)` \| ([\d,]+) \| [^|]+ \|$/gm);
  return new Map(
    [...rows].map(([, name = "", number = ""]) => [name, Number(number.replaceAll(",", ""))]),
  );
}

test("[OPS28] the documented limits are those of the code, each of them", () => {
  const code = Object.fromEntries([...flat(limits), ...flat(serverLimits)]);
  expect(Object.fromEntries(documented())).toEqual(code);
});
