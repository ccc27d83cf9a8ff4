import { isObject, type JsonValue } from "@tidemark/protocol";

/** Characters of what was said that are told. */
const saidCharsMax = 300;

/** What an event of a session was, in one line: its name, its tool, and how what was said begins. */
export function eventHead(payload: JsonValue): string {
  if (!isObject(payload)) return "event";
  const text = (name: string): string => {
    const value = payload[name];
    return typeof value === "string" ? value : "";
  };
  const tool = payload["tool"];
  const named = isObject(tool) && typeof tool["name"] === "string" ? tool["name"] : "";
  const said = text("prompt") || text("assistant") || text("error");
  return [text("event"), named, said.slice(0, saidCharsMax)]
    .filter((part) => part !== "")
    .join(" · ");
}
