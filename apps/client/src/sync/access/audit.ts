/** Who did what on the server, as a paired device may read it (AD4). */
import { fail, ok, type NamespaceId, type Result } from "@tidemark/protocol";
import {
  auditAnswerSchema,
  auditCheckSchema,
  type AuditAnswer,
  type AuditCheck,
  type AuditItem,
} from "@tidemark/protocol/wire";
import type { Caller } from "../http/caller.ts";
import { accessError, type AccessError } from "./access-error.ts";
import { orTooOld } from "./too-old.ts";

/** Which rows somebody wants: all of the server, one namespace's, or those about oneself. */
export type AuditPart =
  | { readonly of: "server" }
  | { readonly of: "namespace"; readonly namespace: NamespaceId }
  | { readonly of: "self" };

/** Rows, newest first; `isWhole` says that there are no older ones. */
export interface AuditRows {
  readonly items: readonly AuditItem[];
  readonly isWhole: boolean;
}

/** Reads the audit. Every call ends when its signal aborts. */
export interface AuditReader {
  /** At most so many rows; undefined: all. */
  rows(
    part: AuditPart,
    limit: number | undefined,
    signal: AbortSignal,
  ): Promise<Result<AuditRows, AccessError>>;
  /** Has the server follow its chain of rows. */
  check(signal: AbortSignal): Promise<Result<AuditCheck, AccessError>>;
}

/** Rows that are asked for at a time. */
const pageRowsMax = 200;

/** Rows that are kept in memory, whatever a server has to tell. */
const rowsMax = 100_000;

/** A page goes on below the one before, row by row; otherwise reading all would never end. */
function isOlder(items: readonly AuditItem[], last: AuditItem | undefined): boolean {
  return items.every(({ seq }, index) => {
    const before = index === 0 ? last : items[index - 1];
    return before === undefined || seq < before.seq;
  });
}

const notOlder: AccessError = {
  code: "not-older",
  message: "the server tells rows of its audit twice or out of order",
  hint: "this is no answer of a sound server: ask who runs it",
};

/** Makes the reader of a paired device. */
export function createAuditReader({ caller }: { readonly caller: Caller }): AuditReader {
  return {
    rows: async (part, limit, signal) => {
      const items: AuditItem[] = [];
      let after: string | undefined;
      for (;;) {
        const wanted = Math.min(pageRowsMax, (limit ?? Number.POSITIVE_INFINITY) - items.length);
        const page = await readPage(caller, { part, after, limit: wanted }, signal);
        if (!page.ok) return page;
        if (!isOlder(page.value.items, items.at(-1))) return fail(notOlder);
        items.push(...page.value.items);
        after = page.value.next ?? undefined;
        if (after !== undefined && page.value.items.length === 0) return fail(notOlder);
        const isFull = items.length >= (limit ?? rowsMax);
        if (after === undefined || isFull) return ok({ items, isWhole: after === undefined });
      }
    },
    check: async (signal) => {
      const call = { method: "GET", path: "/v1/audit/check" } as const;
      const answer = await caller.json(call, auditCheckSchema, signal);
      return answer.ok ? ok(answer.value) : fail(auditError(accessError(answer.error)));
    },
  };
}

async function readPage(
  caller: Caller,
  asked: {
    readonly part: AuditPart;
    readonly after: string | undefined;
    readonly limit: number;
  },
  signal: AbortSignal,
): Promise<Result<AuditAnswer, AccessError>> {
  const { part, after, limit } = asked;
  const path = part.of === "self" ? "/v1/devices/log" : "/v1/audit";
  const query = {
    limit: String(limit),
    ...(after === undefined ? {} : { after }),
    ...(part.of === "namespace" ? { namespace: part.namespace } : {}),
  };
  const answer = await caller.json({ method: "GET", path, query }, auditAnswerSchema, signal);
  if (answer.ok) return ok(answer.value);
  const error = accessError(answer.error);
  if (part.of === "server") return fail(auditError(error));
  if (part.of === "self") return fail(orTooOld(error, lacksAudit));
  return fail(error.code === "not-found" ? await whyAbsent(caller, signal) : error);
}

const lacksAudit = "the audit";

/** Whether it is the namespace that is absent, or the whole audit. */
async function whyAbsent(caller: Caller, signal: AbortSignal): Promise<AccessError> {
  const asked = { part: { of: "server" }, after: undefined, limit: 1 } as const;
  const page = await readPage(caller, asked, signal);
  if (!page.ok && page.error.code === "upgrade-server") return page.error;
  return accessError({ family: "reject", code: "not-found", title: "" });
}

function auditError(error: AccessError): AccessError {
  if (error.code !== "forbidden") return orTooOld(error, lacksAudit);
  return {
    code: error.code,
    message: "only the owner of the server may read all of its audit",
    hint: "as an admin: tidemark audit --namespace NAME; about yourself: tidemark device log",
  };
}
