import { ok } from "@tidemark/protocol";
import { linesOfColumns } from "../../store/prepared/page-columns.ts";
import type { NetworkResponse } from "../../sync/http/network.ts";
import type { PageReply } from "./thread-talk.ts";

/** A thread's answer as one that came by the network. */
export function responseOf({ status, headers, lines, body }: PageReply): NetworkResponse {
  return {
    status,
    headers: { get: (name) => headers.get(name) ?? null },
    body: lines === undefined ? new Blob([body]).stream() : null,
    lines: lines?.ok === true ? ok(linesOfColumns(lines.value)) : lines,
  };
}
