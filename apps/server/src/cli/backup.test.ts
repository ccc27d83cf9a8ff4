import { expect, test } from "vitest";
import { spelled } from "./backup.ts";

test("[OPS80] a backup says how much it holds, of one thing as of several", () => {
  const of = (namespaces: number, records: number, later: readonly string[] = []) =>
    spelled({ serverId: "srv_1", namespaces, records, later }, "x.backup").split("\n");
  expect(of(1, 1)[0]).toBe("Backed up 1 namespace with 1 record of srv_1: x.backup");
  expect(of(2, 0)[0]).toBe("Backed up 2 namespaces with 0 records of srv_1: x.backup");
  expect(of(1, 1)[1]).toContain("keep it as you keep the database");
  expect(of(1, 1, ["0099_later"])[1]).toContain("cannot restore the file");
});
