import { type NamedKind, run, uuid } from "../rule.ts";
import { type NamedRow, namedKinds } from "./rows.ts";

const hex32 = run("hex", 32);
const alnum32 = run("alnum", 32);
const mistral = "https://docs.mistral.ai/getting-started/quickstart/";
const deepgram = "https://developers.deepgram.com/docs/authenticating";

const agentKeys = (): readonly NamedRow[] => [
  ["deepseek_key", "deepseek", [["sk-", hex32]], "https://api-docs.deepseek.com/"],
  ["mistral_key", "mistral|codestral", [[alnum32]], mistral],
  ["cohere_key", "cohere", [[run("alnum", 40)]], "https://docs.cohere.com/reference/about"],
  ["fireworks_key", "fireworks", [[run("alnum", 24, 64)]]],
  ["wandb_key", "wandb|weightsandbiases", [[run("hex", 40)]], "https://docs.wandb.ai/"],
  ["moonshot_key", "moonshot|kimi", [["sk-", run("alnum", 48)]], "https://platform.moonshot.ai/docs"],
  ["kagi_key", "kagi", [[run("dotted", 20, 120)]], "https://help.kagi.com/kagi/api/overview.html"],
  ["exa_key", "exa", [uuid], "https://docs.exa.ai/"],
  ["together_key", "together|togetherai", [[run("hex", 64)]], "https://docs.together.ai/"],
  ["dashscope_key", "dashscope|qwen", [["sk-", hex32]]],
  ["zhipu_key", "zhipu|zhipuai|glm|bigmodel", [[hex32, ".", run("alnum", 16)]]],
]; // prettier-ignore

const otherKeys = (): readonly NamedRow[] => [
  ["deepgram_key", "deepgram", [[run("hex", 40)]], deepgram],
  ["assemblyai_key", "assemblyai", [[hex32]], "https://www.assemblyai.com/docs/"],
  ["ai21_key", "ai21", [[alnum32]]],
  ["stability_key", "stability|stabilityai", [["sk-", run("alnum", 48)]]],
  ["sambanova_key", "sambanova", [uuid]],
  ["deepinfra_key", "deepinfra", [[alnum32]], "https://deepinfra.com/docs"],
  ["fal_key", "fal", [[...uuid, ":", hex32]], "https://docs.fal.ai/"],
  ["ollama_key", "ollama", [[hex32, ".", run("word", 24)]]],
  ["serper_key", "serper", [[run("hex", 40)]]],
  ["serpapi_key", "serpapi", [[run("hex", 64)]], "https://serpapi.com/search-api"],
  ["weaviate_key", "weaviate|wcs", [[run("alnum", 36, 80)]]],
  ["codeium_key", "codeium|windsurf", [uuid]],
  ["baseten_key", "baseten", [[run("alnum", 8), ".", alnum32]]],
  ["portkey_key", "portkey", [[run("base64Padded", 28)]]],
  ["braintrust_key", "braintrust", [["sk-", run("alnum", 48)]]],
  ["dify_key", "dify", [["app-", run("alnum", 24)]]],
  ["lambda_key", "lambdalabs|lambdacloud", [[run("dotted", 30, 160)]]],
  ["comet_key", "comet|opik", [[run("alnum", 25)]]],
  ["scale_key", "scaleai|scaleapi", [[run("hex", 32, 40)]]],
  ["roboflow_key", "roboflow", [[run("alnum", 20)]]],
  ["clarifai_key", "clarifai", [[hex32]]],
  ["heygen_key", "heygen", [[run("base64Padded", 40, 80)]]],
]; // prettier-ignore

/** Keys of model providers that have no shape of their own. */
export const aiProviderNames = (): readonly NamedKind[] => [
  ...namedKinds(0, agentKeys()),
  ...namedKinds(2, otherKeys()),
];
