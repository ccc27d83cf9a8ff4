import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the model does next: a tool, by the name and with the arguments that the host gives it. */
export type Step =
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly text: string };

/** A model that plays a part: the next step after each answer of a tool. */
export interface Model {
  readonly url: string;
  /** Every request that had tools, as it came. */
  readonly requests: readonly string[];
  play(steps: readonly Step[]): void;
  close(): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

/** One vendor's way to ask a model: what was done so far, and how an answer is written. */
interface Api {
  readonly path: RegExp;
  readonly hasTools: (body: Json) => boolean;
  /** How many tools have answered in this turn. */
  readonly answered: (body: Json) => number;
  readonly answer: (response: ServerResponse, body: Json, step: Step) => void;
}

const anthropic: Api = {
  path: /\/v1\/messages(?:\?|$)/u,
  hasTools: ({ tools }) => Array.isArray(tools) && tools.length > 0,
  answered: ({ messages }) => count(messages, '"type":"tool_result"'),
  answer: (response, body, step) => {
    const isTool = "tool" in step;
    const block = isTool
      ? { type: "tool_use", id: `toolu_${made()}`, name: step.tool, input: {} }
      : { type: "text", text: "" };
    const delta = isTool
      ? { type: "input_json_delta", partial_json: JSON.stringify(step.input) }
      : { type: "text_delta", text: step.text };
    const stop = { stop_reason: isTool ? "tool_use" : "end_turn", stop_sequence: null };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const whole = isTool ? { ...block, input: step.input } : { ...block, text: step.text };
    const message = { id: `msg_${made()}`, type: "message", role: "assistant", usage };
    if (body["stream"] !== true) {
      sendJson(response, { ...message, ...stop, model: body["model"], content: [whole] });
      return;
    }
    const begun = { ...message, model: body["model"], content: [], stop_reason: null };
    sendEvents(response, [
      { type: "message_start", message: begun },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: stop, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ]);
  },
};

const openAi: Api = {
  path: /\/responses$/u,
  hasTools: ({ tools }) => Array.isArray(tools) && tools.length > 0,
  answered: ({ input }) => count(input, 'call_output"'),
  answer: (response, _, step) => {
    const id = made();
    const item =
      "tool" in step
        ? {
            type: "function_call",
            id: `f${id}`,
            call_id: `c${id}`,
            name: step.tool,
            arguments: JSON.stringify(step.input),
          }
        : {
            type: "message",
            id: `m${id}`,
            role: "assistant",
            content: [{ type: "output_text", text: step.text }],
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    sendEvents(response, [
      { type: "response.created", response: { id: `r${id}` } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id: `r${id}`, output: [item], usage } },
    ]);
  },
};

const chat: Api = {
  path: /\/chat\/completions$/u,
  hasTools: ({ tools }) => Array.isArray(tools) && tools.length > 0,
  answered: ({ messages }) => count(messages, '"role":"tool"'),
  answer: (response, body, step) => {
    const called = { name: "tool" in step ? step.tool : "", arguments: "" };
    if ("tool" in step) called.arguments = JSON.stringify(step.input);
    const call = { index: 0, id: `call_${made()}`, type: "function", function: called };
    const delta = "tool" in step ? { tool_calls: [call] } : { content: step.text };
    const reason = "tool" in step ? "tool_calls" : "stop";
    const head = { id: `chat_${made()}`, created: 1, model: body["model"] };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const message = { role: "assistant", content: null, ...delta };
    if (body["stream"] !== true) {
      const choice = { index: 0, message, finish_reason: reason };
      sendJson(response, { ...head, object: "chat.completion", choices: [choice], usage });
      return;
    }
    const chunk = { ...head, object: "chat.completion.chunk" };
    sendEvents(response, [
      { ...chunk, choices: [{ index: 0, delta: { role: "assistant", ...delta } }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }], usage },
    ]);
  },
};

const google: Api = {
  path: /generateContent/iu,
  hasTools: ({ tools }) => JSON.stringify(tools ?? []).includes("run_shell_command"),
  answered: ({ contents }) => count(contents, '"functionResponse"'),
  answer: (response, _, step) => {
    const part =
      "tool" in step
        ? { functionCall: { name: step.tool, args: step.input } }
        : { text: step.text };
    const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const answer = { candidates: [candidate], usageMetadata };
    if (response.req.url?.includes("alt=sse") === true) sendEvents(response, [answer]);
    else sendJson(response, answer);
  },
};

const apis = [anthropic, openAi, chat, google];

/** Starts a model on a port of this machine that speaks the interfaces of vendors. */
export async function startModel(): Promise<Model> {
  const requests: string[] = [];
  let steps: readonly Step[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    const api = apis.find(({ path }) => path.test(request.url ?? ""));
    if (api === undefined) {
      sendJson(response, {});
      return;
    }
    const body = JSON.parse(text) as Json;
    // Hosts ask on the side as well, for titles and for which model to take.
    const isTurn = api.hasTools(body);
    if (isTurn) requests.push(text);
    const step = isTurn ? steps[api.answered(body)] : undefined;
    api.answer(response, body, step ?? { text: isTurn ? "Done." : "{}" });
  }
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    play: (next) => {
      steps = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let ids = 0;

function made(): number {
  ids += 1;
  return ids;
}

function count(value: unknown, part: string): number {
  return JSON.stringify(value ?? []).split(part).length - 1;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendEvents(response: ServerResponse, events: readonly object[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    const name = "type" in event ? `event: ${String(event.type)}\n` : "";
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}
