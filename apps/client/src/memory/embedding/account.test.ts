import { expect, test } from "vitest";
import { embedAccountText, readEmbedAccount } from "./account.ts";

test("[RC32] how an embedder failed is read as it was written, and nothing else is", () => {
  const account = { failure: "timed-out", atMs: 1_700_000_000_000 } as const;
  expect(readEmbedAccount(embedAccountText(account))).toEqual(account);
  for (const other of [undefined, "", "stopped 1", "failed", "failed x", "failed 1.5"]) {
    expect(readEmbedAccount(other)).toBeUndefined();
  }
});
