import { ok, type NamespaceId } from "@tidemark/protocol";
import {
  helloSchema,
  keysAnswerSchema,
  linkStateSchema,
  namespaceInfoSchema,
  type KeysAnswer,
  type KeysRequest,
  type LinkState,
  type NamespaceInfo,
  type SealedBeginning,
} from "@tidemark/protocol/wire";
import { z } from "zod";
import type { Call, Caller } from "../http/caller.ts";
import type { Answer } from "../transport.ts";
import { requestsFor } from "./log-requests.ts";

/** The feature that a server with encrypted namespaces names in `hello`. */
export const sealedFeature = "sealed-namespaces";

/** What a server relays of encrypted namespaces. Every call ends when its signal aborts. */
export interface KeysApi {
  /** Whether the server knows encrypted namespaces: one that does not would make a plain one. */
  isKnown(signal: AbortSignal): Promise<Answer<boolean>>;
  /** Tells this device's key for wraps. */
  announce(statement: string, signal: AbortSignal): Promise<Answer<unknown>>;
  /** The log, and the wraps for this device or for another recipient. */
  read(
    asked: { readonly namespace: NamespaceId; readonly recipient?: string },
    signal: AbortSignal,
  ): Promise<Answer<KeysAnswer>>;
  /**
   * Adds to a log that is still as long as `after`; `conflict` where it is not. What is more than fits
   * into one request goes in several, until one is not taken (see `requestsFor`).
   */
  change(
    namespace: NamespaceId,
    request: KeysRequest,
    signal: AbortSignal,
  ): Promise<Answer<KeysAnswer>>;
  /** What became of a link that this person made. */
  linkState(link: string, signal: AbortSignal): Promise<Answer<LinkState>>;
  create(
    namespace: { readonly name: string; readonly sealed: SealedBeginning },
    signal: AbortSignal,
  ): Promise<Answer<NamespaceInfo>>;
}

/** The same over HTTP, with a device's credentials. */
export function createKeysApi(caller: Caller): KeysApi {
  const pathOf = (namespace: NamespaceId): string =>
    `/v1/namespaces/${encodeURIComponent(namespace)}/keys`;
  return {
    isKnown: async (signal) => {
      const call = { method: "GET", path: "/v1/hello", isOpen: true } as const;
      const hello = await caller.json(call, helloSchema, signal);
      return hello.ok ? ok(hello.value.features.includes(sealedFeature)) : hello;
    },
    announce: (statement, signal) =>
      caller.json(
        { method: "POST", path: "/v1/sealing-key", ...json({ statement }) },
        z.object({}),
        signal,
      ),
    read: ({ namespace, recipient }, signal) => {
      const query = recipient === undefined ? {} : { query: { for: recipient } };
      const call = { method: "GET", path: pathOf(namespace), ...query } as const;
      return caller.json(call, keysAnswerSchema, signal);
    },
    change: async (namespace, whole, signal) => {
      const send = (request: KeysRequest): Promise<Answer<KeysAnswer>> => {
        const call = { method: "POST", path: pathOf(namespace), ...json(request) } as const;
        return caller.json(call, keysAnswerSchema, signal);
      };
      const { first, last } = requestsFor(whole);
      for (const request of first) {
        const answer = await send(request);
        if (!answer.ok) return answer;
      }
      return await send(last);
    },
    linkState: (link, signal) => {
      const path = `/v1/links/${encodeURIComponent(link)}`;
      return caller.json({ method: "GET", path }, linkStateSchema, signal);
    },
    create: (namespace, signal) => {
      const call = { method: "POST", path: "/v1/namespaces", ...json(namespace) } as const;
      return caller.json(call, namespaceInfoSchema, signal);
    },
  };
}

function json(body: object): Pick<Call, "body"> {
  return { body: { type: "application/json", content: JSON.stringify(body) } };
}
