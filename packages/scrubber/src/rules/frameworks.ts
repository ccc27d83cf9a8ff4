import { type NamedKind, type Part, run, type Rule, tokenRules } from "../rule.ts";
import { type NamedRow, namedKinds } from "./rows.ts";

const django = "https://docs.djangoproject.com/en/stable/ref/settings/#secret-key";
const laravel = "https://laravel.com/docs/encryption";
const rails = "https://guides.rubyonrails.org/security.html";
const otp = "https://github.com/google/google-authenticator/wiki/Key-Uri-Format";

/** What programs sign and encrypt with, as their frameworks write it. */
export const frameworkRules: readonly Rule[] = tokenRules([
  {
    kind: "django_key",
    priority: 1,
    source: django,
    anchors: ["django-insecure-"],
    body: [run("word", 12, 80)],
  },
  {
    kind: "laravel_key",
    priority: 1,
    source: laravel,
    anchors: ["base64:"],
    body: [run("base64", 43), "="],
  },
]);

const anyKey: readonly (readonly Part[])[] = [
  [run("anyHex", 32)],
  [run("anyHex", 64)],
  [run("anyHex", 128)],
  [run("base64Any", 43), "="],
];

const names = (): readonly NamedRow[] => [
  ["rails_master_key", "rails|railsmasterkey", [[run("hex", 32)]], rails],
  ["rails_secret_key_base", "secretkeybase", [[run("hex", 64, 128)]], rails],
  ["totp_secret", "totp|otp|mfa|twofactor|authenticator", [[run("base32", 16, 64)]], otp],
  ["webhook_signing_secret", "webhook|webhooks", [[run("word", 20, 128)], ...anyKey]],
  ["jwt_signing_key", "jwt|jws", anyKey],
  ["encryption_key", "encryption|encrypt|aes|cipher|crypto", anyKey],
  ["signing_key", "signing|signature|hmac|sign", anyKey],
  ["session_key", "session|cookie", anyKey],
]; // prettier-ignore

/** What goes by its name alone. */
export const frameworkNames = (): readonly NamedKind[] => namedKinds(1, names());
