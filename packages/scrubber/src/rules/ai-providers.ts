import { openMax, run, type Rule, type TokenRule } from "../rule.ts";

function prefixed(id: string, kind: string, anchor: string, min: number): TokenRule {
  return { id, kind, anchor, body: [run("word", min, openMax)] };
}

function plain(id: string, kind: string, anchor: string, min: number): TokenRule {
  return { id, kind, anchor, body: [run("alnum", min, min + 64)] };
}

/** Keys of model providers and of the tools around them. */
export const aiProviderRules: readonly Rule[] = [
  prefixed("openai-project", "openai_key", "sk-proj-", 20),
  prefixed("openai-service", "openai_key", "sk-svcacct-", 20),
  prefixed("openai-admin", "openai_key", "sk-admin-", 20),
  prefixed("anthropic-api", "anthropic_key", "sk-ant-api", 20),
  prefixed("anthropic-admin", "anthropic_admin_key", "sk-ant-admin", 20),
  prefixed("anthropic-access", "anthropic_oauth_token", "sk-ant-oat", 20),
  prefixed("anthropic-refresh", "anthropic_refresh_token", "sk-ant-ort", 20),
  prefixed("anthropic-session", "anthropic_session", "sk-ant-sid", 20),
  prefixed("anthropic-other", "anthropic_key", "sk-ant-", 24),
  prefixed("openrouter", "openrouter_key", "sk-or-", 24),
  prefixed("langfuse", "langfuse_key", "sk-lf-", 24),
  { id: "sk-key", kind: "sk_key", anchor: "sk-", body: [run("alnum", 20, 128)] },
  {
    id: "openai-mark",
    kind: "openai_key",
    before: run("word", 20, 160),
    anchor: "T3BlbkFJ",
    body: [run("word", 16, 160)],
  },
  { id: "elevenlabs", kind: "elevenlabs_key", anchor: "sk_", body: [run("hex", 40, 64)] },
  prefixed("xai", "xai_key", "xai-", 40),
  plain("groq", "groq_key", "gsk_", 40),
  prefixed("perplexity", "perplexity_key", "pplx-", 32),
  plain("huggingface", "huggingface_token", "hf_", 30),
  plain("huggingface-org", "huggingface_token", "api_org_", 30),
  plain("replicate", "replicate_token", "r8_", 30),
  prefixed("pinecone", "pinecone_key", "pcsk_", 30),
  prefixed("langsmith-personal", "langsmith_key", "lsv2_pt_", 32),
  prefixed("langsmith-service", "langsmith_key", "lsv2_sk_", 32),
  prefixed("nvidia", "nvidia_key", "nvapi-", 40),
  prefixed("together", "together_key", "tgp_v1_", 30),
  plain("cerebras", "cerebras_key", "csk-", 36),
  { id: "fireworks", kind: "fireworks_key", anchor: "fw_", body: [run("alnum", 20, 28)] },
  prefixed("wandb", "wandb_key", "wandb_v1_", 40),
  { id: "cursor", kind: "cursor_key", anchor: "key_", body: [run("hex", 48, 80)] },
  plain("devin", "devin_key", "apk_", 32),
  plain("devin-service", "devin_key", "cog_", 32),
  plain("vercel-gateway", "vercel_gateway_key", "vck_", 40),
  plain("brave", "brave_key", "BSA", 25),
  prefixed("tavily", "tavily_key", "tvly-", 20),
  { id: "firecrawl", kind: "firecrawl_key", anchor: "fc-", body: [run("hex", 32)] },
  plain("runpod", "runpod_key", "rpa_", 32),
];
