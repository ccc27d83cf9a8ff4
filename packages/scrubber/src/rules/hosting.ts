import { openMax, type NamedKind, run, type Rule, tokenRules, uuid } from "../rule.ts";
import { type NamedRow, namedKinds, type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList, unknownSource } from "./sources.ts";

const digitalocean = "https://docs.digitalocean.com/reference/api/create-personal-access-token/";
const vercel = "https://vercel.com/docs/rest-api";
const supabase = "https://supabase.com/docs/guides/api/api-keys";
const fly = "https://fly.io/docs/security/tokens/";
const alibaba = "https://www.alibabacloud.com/help/en/ram/user-guide/create-an-accesskey-pair";
const tencent = "https://www.tencentcloud.com/document/product/598/32675";
const yandex = "https://yandex.cloud/en/docs/iam/concepts/authorization/";
const cloudflare = "https://developers.cloudflare.com/fundamentals/api/get-started/";
const backblaze = "https://www.backblaze.com/docs/cloud-storage-application-keys";

const rows: readonly PrefixRow[] = [
  ["digitalocean_token", "dop_v1_", "hex", 40, 96, digitalocean],
  ["digitalocean_oauth_token", "doo_v1_", "hex", 40, 96, digitalocean],
  ["digitalocean_refresh_token", "dor_v1_", "hex", 40, 96, digitalocean],
  ["heroku_key", "HRKU-", "word", 36, 96, "https://devcenter.heroku.com/articles/platform-api-reference"],
  ["vercel_token", "vcp_", "alnum", 40, 96, vercel],
  ["vercel_integration_token", "vci_", "alnum", 40, 96, vercel],
  ["vercel_app_token", "vca_", "alnum", 40, 96, vercel],
  ["vercel_refresh_token", "vcr_", "alnum", 40, 96, vercel],
  ["netlify_token", "nfp_ nfc_ nfo_ nfu_ nfb_", "alnum", 32, 80, "https://docs.netlify.com/api/get-started/"],
  ["fly_token", "fm1r_ fm1a_ fm2_", "base64Padded", 60, 0, fly],
  ["fly_oauth_token", "fo1_", "word", 40, 80, fly],
  ["render_key", "rnd_", "alnum", 28, 40, "https://render.com/docs/api"],
  ["supabase_token", "sbp_", "hex", 40, 80, supabase],
  ["supabase_key", "sb_secret_", "word", 24, 80, supabase],
  ["alibaba_key", "LTAI", "alnum", 17, 24, alibaba],
  ["tencent_key", "AKID", "alnum", 32, 40, tencent],
  ["yandex_key", "AQVN", "word", 35, 48, yandex],
  ["yandex_iam_token", "t1.", "dotted", 100, 400, yandex],
  ["yandex_oauth_token", "y0_", "word", 40, 80, yandex],
  ["yandex_storage_secret", "YC", "word", 38, 38, yandex],
  ["exoscale_key", "EXO", "hex", 24, 32, "https://community.exoscale.com/"],
  ["upcloud_token", "ucat_", "alnum", 26, 48, "https://developers.upcloud.com/"],
  ["dnsimple_token", "dnsimple_a_ dnsimple_u_", "alnum", 28, 80, "https://developer.dnsimple.com/v2/"],
  ["porkbun_key", "pk1_ sk1_", "hex", 64, 64, "https://porkbun.com/api/json/v3/documentation"],
  ["backblaze_key", "K00", "base64", 28, 32, backblaze],
  ["imagekit_key", "private_", "base64Padded", 28, 28],
  ["valtown_token", "vtwn_", "alnum", 30, 80, "https://docs.val.town/"],
  ["zuplo_key", "zpka_", "ident", 36, 80, githubList],
  ["unkey_key", "unkey_", "alnum", 20, 80, "https://www.unkey.com/docs/"],
  ["northflank_token", "nf-", "word", 60, 400],
  ["digitalocean_spaces_key", "DO00 DO80", "upperAlnum", 16, 16, digitalocean],
  ["volcengine_key", "AKLT", "alnum", 36, 64, githubList],
  ["jdcloud_key", "JDC_", "upperAlnum", 25, 40, githubList],
  ["scalingo_token", "tk-us-", "word", 48, 48, "https://developers.scalingo.com/"],
  ["ionic_token", "ion_", "alnum", 42, 42, githubList],
  ["cfx_key", "cfxk_", "ident", 20, 40, githubList],
  ["hop_token", "ptk_ ptkid_", "word", 30, 80, githubList],
  ["encore_key", "ena1_", "word", 40, 120, "https://encore.dev/docs/"],
  ["salad_key", "salad_cloud_user_ salad_cloud_", "ident", 30, 120, "https://docs.salad.com/"],
  ["wasmer_token", "wap_", "hex", 40, 80, "https://docs.wasmer.io/"],
  ["deno_org_token", "ddw_", "alnum", 36, 48],
]; // prettier-ignore

/** Tokens of hosters and of clouds beyond the three large ones. */
export const hostingRules: readonly Rule[] = tokenRules([
  ...prefixKinds(2, rows),
  {
    kind: "baidu_key",
    priority: 2,
    source: "https://cloud.baidu.com/doc/qianfan-docs/s/Mm8r1mejk",
    anchors: ["bce-v3/ALTAK-"],
    body: [run("alnum", 12, 40), "/", run("hex", 40)],
  },
  {
    kind: "convex_key",
    priority: 2,
    source: "https://docs.convex.dev/cli/deploy-key-types",
    anchors: ["prod:", "dev:", "preview:", "project:"],
    body: [run("word", 4, 64), "|", run("base64Padded", 40, openMax)],
  },
  {
    kind: "convex_preview_key",
    priority: 2,
    source: "https://docs.convex.dev/cli/deploy-key-types",
    anchors: ["preview:", "project:"],
    body: [run("word", 2, 64), ":", run("word", 2, 64), "|", run("base64Padded", 40, openMax)],
  },
  {
    kind: "cloudflare_origin_key",
    priority: 2,
    source: cloudflare,
    anchors: ["v1.0-"],
    body: [run("hex", 24), "-", run("hex", 146)],
  },
]);

const hex64 = [run("hex", 64)];

const names = (): readonly NamedRow[] => [
  ["heroku_old_key", "heroku", [uuid], "https://devcenter.heroku.com/articles/platform-api-reference"],
  ["vercel_old_token", "vercel", [[run("alnum", 24)]], vercel],
  ["railway_token", "railway", [uuid], "https://docs.railway.com/reference/public-api"],
  ["cloudflare_global_key", "cloudflare|cf", [[run("hex", 37)]], cloudflare],
  ["cloudflare_token", "cloudflare|cf", [[run("word", 40)]], cloudflare],
  ["cloudflare_storage_secret", "r2 secret", [hex64], cloudflare],
  ["fastly_token", "fastly", [[run("word", 32)]], "https://www.fastly.com/documentation/reference/api/auth-tokens/"],
  ["linode_token", "linode|akamai", [hex64], "https://techdocs.akamai.com/linode-api/reference/get-started"],
  ["hetzner_token", "hetzner|hcloud", [[run("alnum", 64)]], "https://docs.hetzner.cloud/"],
  ["vultr_key", "vultr", [[run("upperAlnum", 36)]], "https://www.vultr.com/api/"],
  ["scaleway_secret", "scaleway|scw", [uuid], "https://www.scaleway.com/en/docs/iam/"],
  ["ibm_key", "ibm|ibmcloud|bluemix", [[run("word", 44)]], "https://cloud.ibm.com/docs/account?topic=account-userapikey"],
  ["oracle_auth_token", "oracle|oci", [[run("alnum", 20)], [run("base64", 43), "="]]],
  ["alibaba_secret", "alibaba|aliyun|alicloud secret", [[run("alnum", 30)]], alibaba],
  ["tencent_secret", "tencent|tencentcloud secret", [[run("alnum", 32)]], tencent],
  ["digitalocean_spaces_secret", "spaces secret", [[run("base64", 43)]], digitalocean],
  ["ovh_secret", "ovh", [[run("alnum", 32)]], "https://help.ovhcloud.com/"],
  ["godaddy_secret", "godaddy secret|key", [[run("word", 22, 50)]], "https://developer.godaddy.com/"],
  ["namecheap_key", "namecheap", [[run("hex", 32)]], unknownSource],
  ["bunny_key", "bunny|bunnycdn", [uuid, [...uuid, run("hex", 8), "-", run("hex", 4)]], unknownSource],
  ["cloudinary_secret", "cloudinary secret", [[run("word", 27)]], "https://cloudinary.com/documentation/"],
  ["wasabi_secret", "wasabi secret", [[run("base64", 40)]], unknownSource],
  ["pantheon_token", "pantheon|terminus", [[run("word", 50, 90)]], unknownSource],
  ["koyeb_token", "koyeb", [[run("lowerAlnum", 64)]], unknownSource],
]; // prettier-ignore

/** What goes by its name alone. */
export const hostingNames = (): readonly NamedKind[] => namedKinds(2, names());
