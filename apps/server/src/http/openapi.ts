import { errorKinds, protocolVersion, versionHeader, type ErrorCode } from "@tidemark/protocol";
import { ndjsonType, problemType } from "@tidemark/protocol/wire";
import { routeNotes, type RouteNote } from "./route-notes.ts";
import { routeTable, type RouteName, type RouteRule } from "./route-table.ts";

/**
 * The description of every route (OpenAPI 3.1), made from the table that the application is made
 * from: paths, who may call, limits, rates and the codes of refusals.
 */
export function openApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const name of Object.keys(routeTable) as RouteName[]) {
    const rule: RouteRule = routeTable[name];
    const path = rule.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [rule.method.toLowerCase()]: operationOf(name, rule, routeNotes[name]),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tidemark",
      version: String(protocolVersion),
      description:
        "Missing and forbidden things of others look the same. Errors are problem documents with a stable code; its family says what to do.",
    },
    paths,
    components: { securitySchemes: { dpop }, schemas: { Problem: problemShape } },
  };
}

const dpop = {
  type: "http",
  scheme: "DPoP",
  description: "A token of /v1/auth/token with a proof by the device's key (RFC 9449).",
};

const problemShape = {
  type: "object",
  required: ["type", "title", "status", "code", "family", "requestId"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", enum: Object.keys(errorKinds) },
    family: { enum: [...new Set(Object.values(errorKinds).map(({ family }) => family))] },
    requestId: { type: "string" },
    retryAfterMs: { type: "integer" },
  },
};

function operationOf(name: RouteName, rule: RouteRule, note: RouteNote): object {
  const { body, rates } = rule;
  return {
    operationId: name,
    summary: note.summary,
    security: securityOf(rule),
    parameters: parametersOf(rule, note),
    ...(body === null ? {} : { requestBody: bodyOf(body) }),
    responses: responsesOf(rule, note),
    ...(rates.length === 0 ? {} : { "x-rates-per-minute": ratesOf(rates) }),
    ...(rule.auth === "person" ? { "x-machines": false } : {}),
  };
}

function securityOf({ auth }: RouteRule): readonly object[] {
  if (auth === "open") return [];
  return auth === "maybe" ? [{ dpop: [] }, {}] : [{ dpop: [] }];
}

function parametersOf({ path, anyVersion }: RouteRule, { query = [] }: RouteNote) {
  const text = { schema: { type: "string" } };
  return [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      in: "path",
      name,
      required: true,
      ...text,
    })),
    ...query.map((name) => ({ in: "query", name, ...text })),
    ...(anyVersion ? [] : [{ in: "header", name: versionHeader, ...text }]),
  ];
}

const mediaTypes = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  ndjson: ndjsonType,
} as const;

function bodyOf({ media, bytesMax }: NonNullable<RouteRule["body"]>): object {
  return { required: true, content: { [mediaTypes[media]]: {} }, "x-bytes-max": bytesMax };
}

function ratesOf(rates: RouteRule["rates"]): object {
  return Object.fromEntries(rates.map(({ by, perMinute }) => [by, perMinute]));
}

/** What the checks before any handler may answer (WR17), and the handler itself. */
function codesOf(rule: RouteRule, { errors }: RouteNote): readonly ErrorCode[] {
  const isAsked = rule.auth !== "open";
  return [
    ...(rule.beforeClaim ? [] : (["setup-required"] as const)),
    ...(rule.rates.length === 0 ? [] : (["rate-limited"] as const)),
    ...(rule.anyVersion ? [] : (["invalid", "upgrade-client", "upgrade-server"] as const)),
    ...(isAsked ? (["invalid-token", "query-changed", "device-revoked"] as const) : []),
    ...(rule.auth === "person" ? (["device-limited"] as const) : []),
    ...(rule.body === null ? [] : (["invalid", "too-large", "unsupported-media-type"] as const)),
    ...errors,
    "unavailable",
    "internal",
  ];
}

function responsesOf(rule: RouteRule, note: RouteNote): object {
  const codes = [...new Set(codesOf(rule, note))];
  const statuses = [...new Set(codes.map((code) => errorKinds[code].status))].toSorted(
    (left, right) => left - right,
  );
  const problems = statuses.map((status) => {
    const own = codes.filter((code) => errorKinds[code].status === status);
    const content = { [problemType]: { schema: { $ref: "#/components/schemas/Problem" } } };
    return [String(status), { description: own.join(", "), content, "x-codes": own }] as const;
  });
  return { [String(note.status)]: { description: "Done." }, ...Object.fromEntries(problems) };
}
