import { openMax, run, type Rule } from "../rule.ts";

/** Keys and tokens of Google's clouds. */
export const googleRules: readonly Rule[] = [
  { id: "google-api", kind: "google_api_key", anchor: "AIza", body: [run("word", 35, 40)] },
  { id: "gemini", kind: "gemini_key", anchor: "AQ.Ab8", body: [run("word", 40, 120)] },
  {
    id: "google-secret",
    kind: "google_client_secret",
    anchor: "GOCSPX-",
    body: [run("word", 20, 40)],
  },
  {
    id: "google-access",
    kind: "google_access_token",
    anchor: "ya29.",
    body: [run("dotted", 20, openMax)],
  },
  {
    id: "google-refresh",
    kind: "google_refresh_token",
    anchor: "1//0",
    body: [run("word", 30, 512)],
  },
];
