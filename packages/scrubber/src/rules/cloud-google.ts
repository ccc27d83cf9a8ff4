import { type NamedKind, openMax, run, type Rule, tokenRules } from "../rule.ts";
import { githubList, unknownSource } from "./sources.ts";

const apiKeys = "https://cloud.google.com/docs/authentication/api-keys";
const tokenTypes = "https://cloud.google.com/docs/authentication/token-types";
const oauth = "https://developers.google.com/identity/protocols/oauth2";
const gemini = "https://ai.google.dev/gemini-api/docs/api-key";
const recaptcha = "https://developers.google.com/recaptcha/docs/verify";

/** Keys and tokens of Google's clouds. */
export const googleRules: readonly Rule[] = tokenRules([
  {
    kind: "google_api_key",
    priority: 0,
    source: apiKeys,
    anchors: ["AIza"],
    body: [run("word", 35, 40)],
  },
  {
    kind: "gemini_key",
    priority: 0,
    source: gemini,
    anchors: ["AQ.Ab8"],
    body: [run("word", 40, 120)],
  },
  {
    kind: "google_client_secret",
    priority: 0,
    source: githubList,
    anchors: ["GOCSPX-"],
    body: [run("word", 20, 40)],
  },
  {
    kind: "google_access_token",
    priority: 0,
    source: tokenTypes,
    anchors: ["ya29."],
    body: [run("dotted", 20, openMax)],
  },
  {
    kind: "google_refresh_token",
    priority: 0,
    source: oauth,
    anchors: ["1//0"],
    body: [run("word", 30, 512)],
  },
  {
    kind: "google_authorization_code",
    priority: 1,
    source: oauth,
    anchors: ["4/0A"],
    body: [run("word", 50, 256)],
  },
  {
    kind: "firebase_server_key",
    priority: 2,
    source: unknownSource,
    before: run("word", 11),
    anchors: [":APA91b"],
    body: [run("word", 120, 200)],
  },
]);

/** What goes by its name alone. */
export const googleNames = (): readonly NamedKind[] => [
  {
    kind: "google_client_secret",
    priority: 0,
    source: oauth,
    words: ["google|gcp|youtube", "secret"],
    shapes: [[run("word", 24)]],
  },
  {
    kind: "recaptcha_secret",
    priority: 2,
    source: recaptcha,
    words: ["recaptcha|captcha", "secret|key"],
    shapes: [["6L", run("word", 38)]],
  },
];
