import type { Network, NetworkRequest } from "../../apps/client/src/sync/http/network.ts";
import { withoutAdvance } from "../integration/earlier-server.ts";
import { laterEventText, laterHello, laterText } from "../integration/later-server.ts";
import { heldRequest as instantHeldRequest, instantRequest } from "./instant-request.ts";
import type { SimServer, Instance } from "./sim-server.ts";
import { withNonceCheck } from "./nonce-check.ts";
import { strikes, type Run } from "./world-state.ts";

/** What a network tells of what passed, for checks; the body is the server's own answer. */
export interface Passed {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly body: string;
}

/** What one device's network is made of. */
export interface NetworkDeps {
  readonly run: Run;
  readonly name: string;
  readonly server: SimServer;
  /** Nothing passes while this says so: the process that asked is gone, or the machine is offline. */
  readonly isGone: () => boolean;
  readonly isOffline: () => boolean;
  /** The server answers as one of a later version does. */
  readonly isBehind: boolean;
  /** A small number, so that batches have many edges. */
  readonly pushOps: number;
  /** Around each request that the server answers; what is returned is checked after the answer. */
  readonly watch: () => (passed: Passed) => void;
}

class Unreachable extends Error {}

/** The way between one process and the server, with all that happens on it. */
export function createSimNetwork(deps: NetworkDeps): Network {
  const checked = withNonceCheck(deps, (request, end) => send(deps, request, end));
  return { send: (request) => checked(request), sendHeld: checked };
}

/** Waits for ever. A promise of its own each time: one that all share would hold every world. */
async function never(): Promise<never> {
  return await new Promise<never>(() => undefined);
}

async function send(
  deps: NetworkDeps,
  request: NetworkRequest,
  end?: Promise<void>,
): Promise<Response> {
  const { run } = deps;
  const { time, tape } = run;
  if (deps.isGone()) return await never();
  run.trace(`${deps.name} sends ${request.method} ${pathOf(request.url)}`);
  await time.sleep(1 + delayOf(run));
  if (deps.isGone()) return await never();
  if (deps.isOffline() || strikes(run, "dropRequest")) throw new Unreachable();
  if (strikes(run, "blackHole")) return await never();
  if (strikes(run, "captivePortal")) return captivePortal();
  if (strikes(run, "busyServer")) return busy(tape.pick([503, 429, 502]), tape.draw(30));
  const instance = deps.server.reach();
  if (instance === undefined) throw new Unreachable();
  if (request.url.endsWith("/v1/pokes")) return await openStream(deps, request, instance);
  if (strikes(run, "duplicate")) duplicateLater(deps, request, end);
  const answered = await deliver(deps, request, { instance, end });
  await time.sleep(1 + delayOf(run));
  if (deps.isGone()) return await never();
  const told = answered.status < 400 ? answered.body.length : answered.body;
  run.trace(`${deps.name} gets ${answered.status} ${told}`);
  if (strikes(run, "dropAnswer")) throw new Unreachable();
  const heard = inVersion(deps, request, answered);
  return asResponse(
    heard,
    strikes(run, "cutAnswer") ? tape.draw(heard.body.length + 1) : undefined,
  );
}

/** The answer as the version of the replica that gave it writes it. */
function inVersion(deps: NetworkDeps, request: NetworkRequest, answer: Answered): Answered {
  const isPush = request.url.endsWith("/ops") && answer.status === 200;
  const isOlder = isPush && strikes(deps.run, "olderReplica");
  const told = isOlder ? { ...answer, body: withoutAdvance(answer.body) } : answer;
  return deps.isBehind ? asLater(request, told) : told;
}

/** The answer with what a later version adds to it; it still speaks the device's version. */
function asLater({ url }: NetworkRequest, answer: Answered): Answered {
  const hello = url.endsWith("/v1/hello") ? laterHello(1) : {};
  const { limits: _limits, ...said } = hello;
  const type = answer.headers.get("content-type") ?? "";
  if (!type.includes("json")) return answer;
  return { ...answer, body: laterText(type, answer.body, (body) => ({ ...body, ...said })) };
}

/**
 * A request that arrives once more, as a proxy that tries again sends it; its answer goes nowhere. Of
 * one whose end never came no proxy has all.
 */
function duplicateLater(deps: NetworkDeps, request: NetworkRequest, end?: Promise<void>): void {
  const delayMs = 1 + deps.run.tape.draw(60_000);
  const again = (): void => {
    const instance = deps.server.reach();
    if (instance !== undefined) deliver(deps, request, { instance }).catch(() => undefined);
  };
  const start = (): void => {
    deps.run.time.after(delayMs, again);
  };
  if (end === undefined) start();
  else void end.then(start);
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

async function deliver(
  deps: NetworkDeps,
  request: NetworkRequest,
  { instance, end }: { readonly instance: Instance; readonly end?: Promise<void> | undefined },
): Promise<Answered> {
  const { run } = deps;
  const isCut = request.body !== undefined && strikes(run, "cutRequest");
  const told = deps.watch();
  const { method, url } = request;
  const whole = end === undefined ? instantRequest(request) : heldRequest(deps, request, end);
  const sent = isCut ? cutRequest(request, run.tape.draw(1_000)) : whole;
  const response = await untilDeath(instance, instance.app.fetch(sent));
  const text = await response.text();
  told({ method, url, status: response.status, body: text });
  if (!instance.isUp || isCut) throw new Unreachable();
  return { status: response.status, headers: response.headers, body: widened(deps, request, text) };
}

/** A request whose end comes once it is let go; a network is as slow with that as with the rest. */
function heldRequest(deps: NetworkDeps, request: NetworkRequest, end: Promise<void>): Request {
  const { run } = deps;
  const broken = new Promise<never>((_resolve, reject) => {
    const breakOff = (): void => {
      reject(new Unreachable());
    };
    if (request.signal.aborted) breakOff();
    else request.signal.addEventListener("abort", breakOff, { once: true });
  });
  const arrived = async (): Promise<void> => {
    // Given up before, it breaks off; an end that has left arrives, whoever still waits for an answer.
    await Promise.race([end, broken]);
    await run.time.sleep(1 + delayOf(run));
    if (deps.isGone() || deps.isOffline()) throw new Unreachable();
  };
  return instantHeldRequest(request, arrived());
}

/** A request whose connection breaks while the body is on its way. */
function cutRequest(
  { method, url, headers, body = "" }: NetworkRequest,
  perMille: number,
): Request {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const part = brokenAfter(bytes.subarray(0, Math.floor((bytes.length * perMille) / 1_000)));
  return new Request(url, { method, headers, body: part, duplex: "half" });
}

function brokenAfter(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let isSent = false;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (isSent) controller.error(new Unreachable());
      else controller.enqueue(bytes);
      isSent = true;
    },
  });
}

/** Tells small batches, as a server with lower limits would. */
function widened(deps: NetworkDeps, { url }: NetworkRequest, text: string): string {
  if (!url.endsWith("/v1/hello")) return text;
  const hello = JSON.parse(text) as { limits?: Record<string, number> };
  if (hello.limits === undefined) return text;
  hello.limits["pushOpsMax"] = deps.pushOps;
  return JSON.stringify(hello);
}

function asResponse({ status, headers, body }: Answered, cutAt: number | undefined): Response {
  const init = { status, headers };
  if (status === 204 || status === 304) return new Response(null, init);
  if (cutAt === undefined) return new Response(body, init);
  return new Response(brokenAfter(new TextEncoder().encode(body.slice(0, cutAt))), init);
}

async function openStream(
  deps: NetworkDeps,
  { method, url, headers, signal }: NetworkRequest,
  instance: Instance,
): Promise<Response> {
  const { run } = deps;
  const aborted = new AbortController();
  const response = await untilDeath(
    instance,
    instance.app.fetch(instantRequest({ method, url, headers }, aborted.signal)),
  );
  if (response.body === null || response.status !== 200) {
    const body = await response.text();
    return asResponse({ status: response.status, headers: response.headers, body }, undefined);
  }
  const isSilent = strikes(run, "silentStream");
  const reader = response.body.getReader();
  let end: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      let isOver = false;
      end = (): void => {
        if (isOver) return;
        isOver = true;
        instance.onDeath.delete(end);
        aborted.abort();
        reader.cancel().catch(() => undefined);
        controller.error(new Unreachable());
      };
      instance.onDeath.add(end);
      signal.addEventListener("abort", end, { once: true });
      const forward = async (): Promise<void> => {
        for (;;) {
          const next = await reader.read();
          if (isOver) return;
          if (next.done || deps.isGone() || strikes(run, "cutStream")) return end();
          await run.time.sleep(1 + delayOf(run));
          if (isOver) return;
          if (!isSilent && !deps.isOffline()) controller.enqueue(piece(deps, next.value));
        }
      };
      forward().catch(end);
    },
    cancel: () => {
      end();
    },
  });
  return new Response(body, { status: 200, headers: response.headers });
}

function piece({ isBehind }: NetworkDeps, bytes: Uint8Array): Uint8Array {
  if (!isBehind) return bytes;
  return new TextEncoder().encode(laterEventText(new TextDecoder().decode(bytes)));
}

/** The answer, unless the replica dies first. */
async function untilDeath<T>(instance: Instance, work: Promise<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const die = (): void => {
      reject(new Unreachable());
    };
    instance.onDeath.add(die);
    work.then(resolve, reject).finally(() => instance.onDeath.delete(die));
  });
}

function delayOf(run: Run): number {
  return strikes(run, "delay") ? run.tape.pick([50, 1_000, 10_000, 70_000]) : run.tape.draw(20);
}

function captivePortal(): Response {
  const page = "<!doctype html><title>Free wireless network</title><p>Please accept our terms.";
  return new Response(page, { status: 200, headers: { "content-type": "text/html" } });
}

function busy(status: number, retryAfterS: number): Response {
  const headers = { "content-type": "text/html", "retry-after": String(retryAfterS) };
  return new Response("<h1>Please come back later</h1>", { status, headers });
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
