import { type NamedKind, openMax, run, type Rule, tokenRules, uuid } from "../rule.ts";
import { type NamedRow, namedKinds, type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList } from "./sources.ts";

const vault = "https://developer.hashicorp.com/vault/docs/concepts/tokens";
const terraform =
  "https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens";
const doppler = "https://docs.doppler.com/reference/auth-token-formats";
const infisical = "https://infisical.com/docs/documentation/platform/token";
const onepassword = "https://developer.1password.com/docs/service-accounts/";
const secretKey = "https://support.1password.com/secret-key-security/";
const tailscale = "https://tailscale.com/kb/1277/key-prefixes";
const bitwarden = "https://bitwarden.com/help/access-tokens/";

const rows: readonly PrefixRow[] = [
  ["vault_token", "hvs.", "word", 24, 0, vault],
  ["vault_batch_token", "hvb.", "word", 60, 0, vault],
  ["vault_recovery_token", "hvr.", "word", 24, 0, vault],
  ["doppler_personal_token", "dp.pt.", "alnum", 40, 64, doppler],
  ["doppler_service_token", "dp.st.", "dotted", 40, 100, doppler],
  ["doppler_cli_token", "dp.ct.", "alnum", 40, 64, doppler],
  ["doppler_account_token", "dp.sa.", "alnum", 40, 64, doppler],
  ["doppler_scim_token", "dp.scim.", "alnum", 40, 64, doppler],
  ["doppler_audit_token", "dp.audit.", "alnum", 40, 64, doppler],
  ["infisical_token", "st.", "dotted", 64, 120, infisical],
  ["onepassword_token", "ops_eyJ", "base64Any", 100, 0, onepassword],
  ["tailscale_auth_key", "tskey-auth-", "word", 16, 120, tailscale],
  ["tailscale_api_key", "tskey-api-", "word", 16, 120, tailscale],
  ["tailscale_client_secret", "tskey-client-", "word", 16, 120, tailscale],
  ["tailscale_webhook_secret", "tskey-webhook-", "word", 16, 120, tailscale],
  ["tailscale_scim_key", "tskey-scim-", "word", 16, 120, tailscale],
  ["pulumi_token", "pul-", "hex", 40, 64, "https://www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens/"],
  ["netbird_token", "nbp_", "alnum", 36, 48, "https://docs.netbird.io/"],
  ["scalr_token", "at-", "alnum", 60, 120],
  ["phase_token", "pss_service: pss_user:", "cookie", 80, 0, "https://docs.phase.dev/"],
]; // prettier-ignore

/** Tokens of what keeps secrets, and of networks between machines. */
export const secretsManagerRules: readonly Rule[] = tokenRules([
  ...prefixKinds(2, rows),
  {
    kind: "terraform_token",
    priority: 2,
    source: terraform,
    before: run("alnum", 14),
    anchors: [".atlasv1."],
    body: [run("word", 50, 90)],
  },
  {
    kind: "onepassword_secret_key",
    priority: 2,
    source: secretKey,
    anchors: ["A3-"],
    body: [
      run("upperAlnum", 6), "-", run("upperAlnum", 6, 11), "-", run("upperAlnum", 5), "-",
      run("upperAlnum", 5), "-", run("upperAlnum", 5),
    ],
  },
  {
    kind: "boundary_token",
    priority: 2,
    source: "https://developer.hashicorp.com/boundary/docs",
    anchors: ["at_"],
    body: [run("alnum", 10), "_", run("alnum", 80, openMax)],
  },
  {
    kind: "dotenv_vault_key",
    priority: 2,
    source: "https://www.dotenv.org/docs/security/dotenv-key",
    anchors: ["dotenv://:"],
    body: ["key_", run("hex", 64)],
  },
  {
    kind: "akeyless_key",
    priority: 2,
    source: githubList,
    anchors: ["p-"],
    body: [run("lowerAlnum", 12), "/", run("base64", 43), "="],
  },
]); // prettier-ignore

const names = (): readonly NamedRow[] => [
  ["vault_old_token", "vault", [["s.", run("alnum", 24)]], vault],
  ["bitwarden_token", "bitwarden|bws|accesstoken", [["0.", ...uuid, ".", run("alnum", 20, 64), ":", run("base64", 20, 64), "=="]], bitwarden],
  ["consul_token", "consul", [uuid], "https://developer.hashicorp.com/consul/docs/security/acl"],
  ["role_secret_id", "secretid", [uuid], "https://developer.hashicorp.com/vault/docs/auth/approle"],
  ["nomad_token", "nomad", [uuid], "https://developer.hashicorp.com/nomad/docs/secure/acl"],
  ["ngrok_token", "ngrok", [[run("ident", 40, 64)]], "https://ngrok.com/docs/agent/"],
  ["wireguard_key", "privatekey|presharedkey", [[run("base64", 43), "="]], "https://www.wireguard.com/quickstart/"],
  ["zerotier_token", "zerotier", [[run("alnum", 32)]], "https://docs.zerotier.com/"],
  ["teleport_token", "teleport", [[run("hex", 32)]], "https://goteleport.com/docs/"],
  ["keycloak_secret", "keycloak secret", [[run("alnum", 32)], uuid]],
  ["envkey", "envkey", [[run("alnum", 20, 80)], [run("alnum", 20), "-", run("alnum", 20, 40)]]],
  ["dotenvx_key", "dotenv privatekey", [[run("hex", 64)]], "https://dotenvx.com/docs"],
]; // prettier-ignore

/** What goes by its name alone. */
export const secretsManagerNames = (): readonly NamedKind[] => namedKinds(2, names());
