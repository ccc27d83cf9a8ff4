import { type Position } from "@tidemark/protocol";
import {
  keyCopiedSchema as copiedSchema,
  positionSchema,
  problemSchema,
  problemType,
} from "@tidemark/protocol/wire";
import type { Failure } from "../transport.ts";
import { isTooDeep } from "./json-depth.ts";
import { mediaTypeOf } from "./media-type.ts";
import type { NetworkResponse } from "./network.ts";
import { bounded, retryAfterOf } from "./retry-after.ts";

/** No answer, a cut one, or one that took too long: the same request may be sent again. */
export const unreachable: Failure = {
  family: "retry",
  code: "unreachable",
  title: "The server cannot be reached.",
};

/** An answer that is no Tidemark server's: a captive portal, a proxy's page, another program. */
export const notTidemark: Failure = {
  family: "retry",
  code: "not-tidemark",
  title: "Something else than a Tidemark server answers at this address.",
};

/** A redirect, which is not followed (AU58): a captive portal, or an address that has moved. */
export const redirected: Failure = {
  family: "retry",
  code: "redirected",
  title: "The server's address leads on to another one, which is not followed.",
};

/** An answer of the right kind that breaks off or does not read as it should. */
export const garbled: Failure = {
  family: "retry",
  code: "garbled",
  title: "The server's answer broke off or could not be read.",
};

/** An answer that is larger than any honest one. */
export const oversized: Failure = {
  family: "bug",
  code: "answer-too-large",
  title: "The server's answer is larger than this client takes.",
};

/**
 * Whether a proxy found a body larger than it takes (EN32). One that asks for patience with it is left
 * alone for as long (EN23).
 */
export function isTooLargeOnTheWay({ code, retryAfterMs }: Failure): boolean {
  return code === "http-413" && retryAfterMs === undefined;
}

/** What a refused request means (WR30), and how long to wait at least (WR37). */
export function refusalOf(response: NetworkResponse, body: string): Failure {
  const problem = mediaTypeOf(response) === problemType ? problemOf(body) : undefined;
  const failure = problem ?? unknownRefusal(response);
  const retryAfterMs = failure.retryAfterMs ?? retryAfterOf(response);
  return retryAfterMs === undefined ? failure : { ...failure, retryAfterMs: bounded(retryAfterMs) };
}

function problemOf(body: string): Failure | undefined {
  const parsed = problemSchema.safeParse(parseJson(body));
  if (!parsed.success) return undefined;
  const { family, code, title, retryAfterMs } = parsed.data;
  const position = code === "writer-position" ? positionOf(parsed.data) : undefined;
  return {
    family,
    code,
    title,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(position === undefined ? {} : { position }),
    ...counterOf(parsed.data),
  };
}

function counterOf(problem: object): Pick<Failure, "counter"> {
  const parsed = copiedSchema.safeParse(problem);
  return parsed.success ? { counter: parsed.data.counter } : {};
}

function positionOf(problem: object): Position | undefined {
  const parsed = positionSchema.safeParse(problem);
  return parsed.success ? parsed.data : undefined;
}

/** A refusal that is not ours to understand: transient, and where it looks final, rare and told. */
function unknownRefusal({ status, headers }: NetworkResponse): Failure {
  if (status >= 300 && status < 400 && headers.get("location") !== null) return redirected;
  const code = `http-${String(status)}`;
  const title = `Something on the way answered with status ${String(status)}.`;
  const isPassing = status >= 500 || status < 400 || [408, 425, 429].includes(status);
  return { family: isPassing ? "retry" : "reject", code, title };
}

/** Undefined for anything that is no JSON, or deeper than any answer. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
