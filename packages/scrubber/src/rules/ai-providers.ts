import { run, type Rule, tokenRules } from "../rule.ts";
import { readsAsDrawn, readsAsKey } from "../checks/randomness.ts";
import { type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList, unknownSource } from "./sources.ts";

const openai = "https://platform.openai.com/docs/api-reference/authentication";
const anthropic = "https://docs.anthropic.com/en/api/overview";
const openrouter = "https://openrouter.ai/docs/api-reference/authentication";
const langfuse = "https://langfuse.com/docs/api-and-data-platform/features/public-api";
const langsmith = "https://docs.smith.langchain.com/administration/how_to_guides/organization_management/create_account_api_key"; // prettier-ignore
const huggingface = "https://huggingface.co/docs/hub/security-tokens";
const replicate = "https://replicate.com/docs/topics/security/api-tokens";
const nvidia = "https://docs.nvidia.com/ngc/latest/ngc-user-guide.html";
const devin = "https://docs.devin.ai/api-reference/overview";
const cursor = "https://docs.cursor.com/account/teams/admin-api";
const tavily = "https://docs.tavily.com/documentation/api-reference/introduction";

/** Keys that an agent holds itself: its model, and the tools it searches and acts with. */
const agentKeys: readonly PrefixRow[] = [
  ["openai_project_key", "sk-proj-", "word", 20, 0, openai],
  ["openai_service_key", "sk-svcacct- sk-None-", "word", 20, 0, openai],
  ["openai_admin_key", "sk-admin-", "word", 20, 0, openai],
  ["anthropic_key", "sk-ant-api", "word", 20, 0, anthropic],
  ["anthropic_admin_key", "sk-ant-admin", "word", 20, 0, anthropic],
  ["anthropic_oauth_token", "sk-ant-oat", "word", 20, 0, githubList],
  ["anthropic_refresh_token", "sk-ant-ort", "word", 20, 0, githubList],
  ["anthropic_session", "sk-ant-sid", "word", 20],
  ["anthropic_token", "sk-ant-", "word", 24, 0, anthropic],
  ["openrouter_key", "sk-or-", "word", 24, 0, openrouter],
  ["langfuse_key", "sk-lf-", "word", 24, 0, langfuse],
  ["elevenlabs_key", "sk_", "hex", 40, 64, githubList],
  ["xai_key", "xai-", "word", 40, 0, "https://docs.x.ai/docs/overview"],
  ["groq_key", "gsk_", "alnum", 40, 104, githubList],
  ["perplexity_key", "pplx-", "word", 32, 0, githubList],
  ["huggingface_token", "hf_", "alnum", 30, 94, huggingface],
  ["huggingface_org_token", "api_org_", "alnum", 30, 94, huggingface],
  ["replicate_token", "r8_", "alnum", 30, 94, replicate],
  ["pinecone_key", "pcsk_", "word", 30, 0, githubList],
  ["langsmith_personal_key", "lsv2_pt_", "word", 32, 0, langsmith],
  ["langsmith_service_key", "lsv2_sk_", "word", 32, 0, langsmith],
  ["nvidia_key", "nvapi-", "word", 40, 0, nvidia],
  ["together_key", "tgp_v1_", "word", 30],
  ["cerebras_key", "csk-", "alnum", 36, 100],
  ["fireworks_key", "fw_", "alnum", 20, 28, githubList],
  ["wandb_key", "wandb_v1_", "word", 40, 0, "https://docs.wandb.ai/"],
  ["cursor_key", "key_ crsr_", "hex", 48, 80, cursor],
  ["devin_key", "apk_", "alnum", 32, 96, devin],
  ["devin_service_key", "cog_", "alnum", 32, 96, devin],
  ["vercel_gateway_key", "vck_", "alnum", 40, 104, "https://vercel.com/docs/ai-gateway"],
  ["brave_key", "BSA", "alnum", 25, 89],
  ["tavily_key", "tvly-", "word", 20, 0, tavily],
  ["firecrawl_key", "fc-", "hex", 32, 32, "https://docs.firecrawl.dev/api-reference/introduction"],
]; // prettier-ignore

const otherKeys: readonly PrefixRow[] = [
  ["helicone_key", "sk-helicone- pk-helicone-", "word", 20],
  ["runpod_key", "rpa_", "alnum", 32, 96, githubList],
  ["e2b_key", "e2b_", "hex", 36, 64, "https://e2b.dev/docs/api-key"],
  ["jina_key", "jina_", "word", 50, 90],
  ["llamacloud_key", "llx-", "word", 40, 80, "https://docs.cloud.llamaindex.ai/"],
  ["voyage_key", "pa-", "word", 43, 46],
  ["apify_token", "apify_api_", "alnum", 30, 60, "https://docs.apify.com/api/v2"],
  ["anyscale_key", "esecret_", "alnum", 22, 80],
  ["cartesia_key", "sk_car_", "word", 16, 80, "https://docs.cartesia.ai/"],
  ["browserbase_key", "bb_live_", "word", 20, 80, "https://docs.browserbase.com/"],
  ["context7_key", "ctx7sk-", "word", 30, 80, "https://context7.com/docs"],
  ["mem0_key", "m0-", "alnum", 36, 64, "https://docs.mem0.ai/"],
  ["novita_key", "sk_novita_", "word", 20, 80],
  ["modal_secret", "as-", "alnum", 22, 22, "https://modal.com/docs/reference/modal.config"],
  ["letta_key", "sk-let-", "base64Padded", 40, 200, "https://docs.letta.com/"],
  ["langwatch_key", "sk-lw-", "alnum", 40, 80],
  ["requesty_key", "rqsty-sk-", "base64Any", 40, 140, "https://docs.requesty.ai/"],
  ["friendli_token", "flp_", "alnum", 30, 80, "https://friendli.ai/docs/"],
  ["mixedbread_key", "mxb_", "alnum", 24, 80, "https://www.mixedbread.com/docs"],
  ["nomic_key", "nk-", "word", 40, 64, "https://docs.nomic.ai/"],
  ["daytona_key", "dtn_", "hex", 60, 80, "https://www.daytona.io/docs/en/api-keys/"],
  ["steel_key", "ste-", "alnum", 50, 100, "https://docs.steel.dev/"],
  ["scrapfly_key", "scp-live- scp-test-", "hex", 32, 40, "https://scrapfly.io/docs"],
  ["amp_token", "sgamp_user_", "ident", 40, 120, "https://ampcode.com/manual"],
  ["humanloop_key", "hl_sk_", "hex", 40, 64],
  ["pangea_token", "pts_ pcl_", "lowerAlnum", 32, 32, githubList],
  ["you_key", "ydc-sk-", "word", 20, 80, "https://documentation.you.com/"],
  ["runway_key", "key_", "hex", 128, 128, "https://docs.dev.runwayml.com/"],
  ["promptlayer_key", "pl_", "hex", 32, 40, "https://docs.promptlayer.com/"],
  ["traceloop_key", "tl_", "hex", 64, 80, "https://www.traceloop.com/docs/"],
  ["sindri_key", "sindri_", "alnum", 32, 64, githubList],
  ["kaggle_token", "KGAT_", "hex", 32, 40, "https://www.kaggle.com/docs/api"],
  ["chutes_key", "cpk_", "dotted", 60, 140, "https://chutes.ai/docs"],
  ["openai_session_key", "sess-", "alnum", 40, 48],
  ["kimi_key", "sk-kimi- sk-sp- sk-api- sk-cp-", "word", 30, 200],
  ["isat_token", "isat_", "alnum", 24, 80, githubList],
]; // prettier-ignore

/** Keys of model providers and of the tools around them. */
export const aiProviderRules: readonly Rule[] = tokenRules([
  ...prefixKinds(0, agentKeys),
  {
    kind: "openai_key",
    priority: 0,
    source: githubList,
    before: run("word", 20, 160),
    anchors: ["T3BlbkFJ"],
    body: [run("word", 16, 160)],
  },
  {
    // DeepSeek, Moonshot, DashScope and others write `sk-` and one run; LiteLLM has dashes in it.
    kind: "sk_key",
    priority: 0,
    source: unknownSource,
    anchors: ["sk-"],
    body: [run("word", 20, 128)],
    require: readsAsKey,
    isShared: true,
  },
  ...prefixKinds(2, otherKeys),
  {
    kind: "factory_key",
    priority: 2,
    source: "https://docs.factory.ai/",
    anchors: ["fk-"],
    body: [run("word", 40, 120)],
    require: readsAsDrawn,
  },
  {
    kind: "voiceflow_key",
    priority: 2,
    source: "https://docs.voiceflow.com/",
    anchors: ["VF.DM.", "VF.WS."],
    body: [run("alnum", 24), ".", run("alnum", 16)],
  },
  {
    kind: "langchain_old_key",
    priority: 2,
    source: unknownSource,
    anchors: ["ls__"],
    body: [run("hex", 32, 64)],
  },
]);
