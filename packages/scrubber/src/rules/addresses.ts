import type { Rule } from "../rule.ts";
import { scanAddress } from "../scanners/address.ts";
import { addressRows } from "./address-table.ts";
import { unknownSource } from "./sources.ts";

/** Addresses that take messages or answer calls from whoever knows them: host and path stay. */
export const addressRules: readonly Rule[] = addressRows().map(
  ([kind, hosts, , , source = unknownSource], index) => ({
    id: `address-${index + 1}`,
    kind,
    priority: 2,
    source,
    anchors: hosts.split("|"),
    scan: scanAddress,
  }),
);
