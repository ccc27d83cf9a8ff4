import type { NetworkResponse } from "./network.ts";

/** The media type alone, in lower case. */
export function mediaTypeOf({ headers }: Pick<NetworkResponse, "headers">): string {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  return type.trim().toLowerCase();
}

/** Whether an answer is a good one of the media type that was asked for. */
export function isGood(
  response: Pick<NetworkResponse, "headers" | "status">,
  type: string,
): boolean {
  return response.status >= 200 && response.status < 300 && mediaTypeOf(response) === type;
}
