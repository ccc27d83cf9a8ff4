// The package has hooks and no module of its own: its scan is taken from its files.
import { scan } from "@coo-quack/sensitive-canary/dist/lib/rules.js";
import { answer, replaceValues } from "./adapter.mjs";

await answer((text) =>
  replaceValues(
    text,
    scan(text).map(({ secretValue }) => secretValue),
  ),
);
