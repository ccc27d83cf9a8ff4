import { expect, test } from "vitest";
import { anybodysNames, kindsUnder } from "./named-kinds.ts";

test.each([...anybodysNames])(
  "[SC13] no kind goes by the name %s, which is not looked up",
  (name) => {
    expect(kindsUnder(name)).toEqual([]);
  },
);
