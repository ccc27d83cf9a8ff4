import { run, type Rule } from "../rule.ts";

/** Azure keys with a mark inside; account keys and signatures go by their names. */
export const azureRules: readonly Rule[] = [
  {
    id: "entra-secret",
    kind: "azure_client_secret",
    before: run("azure", 4),
    anchor: "Q~",
    body: [run("azure", 31, 34)],
  },
  {
    id: "azure-devops",
    kind: "azure_devops_token",
    before: run("alnum", 76),
    anchor: "AZDO",
    body: [run("alnum", 4)],
  },
  {
    id: "azure-ai",
    kind: "azure_ai_key",
    before: run("alnum", 52),
    anchor: "JQQJ99",
    body: [run("alnum", 20, 40)],
  },
  {
    id: "azure-functions",
    kind: "azure_function_key",
    before: run("word", 44),
    anchor: "AzFu",
    body: [run("base64Any", 6, 10)],
  },
  {
    id: "azure-registry",
    kind: "azure_registry_key",
    before: run("base64", 42),
    anchor: "+ACR",
    body: [run("base64", 6)],
  },
  {
    id: "azure-apim",
    kind: "azure_apim_key",
    before: run("alnum", 64, 90),
    anchor: "APIM",
    body: [run("base64Padded", 4, 12)],
  },
];
