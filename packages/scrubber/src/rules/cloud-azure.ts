import type { CharClass } from "../chars.ts";
import { type NamedKind, run, type Rule, type TokenKind, tokenRules } from "../rule.ts";
import { scanAccountKey } from "../scanners/account-key.ts";
import { microsoftMarks, unknownSource } from "./sources.ts";

const devops =
  "https://learn.microsoft.com/en-us/azure/devops/organizations/accounts/use-personal-access-tokens-to-authenticate";
const storage =
  "https://learn.microsoft.com/en-us/azure/storage/common/storage-account-keys-manage";
const entra = "https://learn.microsoft.com/en-us/entra/identity-platform/quickstart-register-app";
const bus = "https://learn.microsoft.com/en-us/azure/service-bus-messaging/service-bus-sas";
const cosmos = "https://learn.microsoft.com/en-us/azure/cosmos-db/secure-access-to-data";

/** A key of base64 with a mark of its service after `before` characters. */
function marked(kind: string, mark: string, before: number, priority: 0 | 2 = 2): TokenKind {
  const tail = before > 60 ? [run("base64", 6), "=="] : [run("base64", 6), "="];
  return {
    kind,
    priority,
    source: microsoftMarks,
    before: run("base64", before),
    anchors: [mark],
    body: tail,
  };
}

/** Azure keys with a mark inside. */
export const azureRules: readonly Rule[] = [
  ...tokenRules([
    {
      kind: "azure_client_secret",
      priority: 0,
      source: entra,
      before: run("azure", 4),
      anchors: ["Q~"],
      body: [run("azure", 31, 34)],
    },
    {
      kind: "azure_devops_token",
      priority: 0,
      source: devops,
      before: run("alnum", 76),
      anchors: ["AZDO"],
      body: [run("alnum", 4)],
    },
    {
      kind: "azure_ai_key",
      priority: 0,
      source: microsoftMarks,
      before: run("alnum", 52),
      anchors: ["JQQJ99"],
      body: [run("alnum", 20, 40)],
    },
    {
      kind: "azure_function_key",
      priority: 0,
      source: microsoftMarks,
      before: run("word", 44),
      anchors: ["AzFu"],
      body: [run("base64Any", 6, 10)],
    },
    {
      kind: "azure_registry_key",
      priority: 0,
      source: microsoftMarks,
      before: run("base64", 42),
      anchors: ["+ACR"],
      body: [run("base64", 6)],
    },
    {
      kind: "azure_apim_key",
      priority: 0,
      source: microsoftMarks,
      before: run("alnum", 64, 90),
      anchors: ["APIM"],
      body: [run("base64Padded", 4, 12)],
    },
    {
      kind: "azure_search_key",
      priority: 2,
      source: microsoftMarks,
      before: run("alnum", 42),
      anchors: ["AzSe"],
      body: [run("alnum", 6)],
    },
    marked("azure_storage_key", "+ASt", 76, 0),
    marked("azure_cosmos_key", "ACDb", 76, 0),
    marked("azure_batch_key", "+ABa", 76, 0),
    marked("azure_redis_key", "AzCa", 33),
    marked("azure_iot_key", "AIoT", 33),
    marked("azure_servicebus_key", "+ASb", 33),
    marked("azure_eventhub_key", "+AEh", 33),
    marked("azure_relay_key", "+ARm", 33),
    marked("azure_eventgrid_key", "AZEG", 33),
  ]),
  {
    id: "storage-account",
    kind: "azure_storage_key",
    priority: 0,
    source: "https://hadoop.apache.org/docs/stable/hadoop-azure/abfs.html",
    anchors: ["account.key."],
    scan: scanAccountKey,
  },
];

/** A key of base64 that goes by its name, with its padding or without. */
function named(kind: string, source: string, words: readonly string[], chars: number): NamedKind {
  const body = run("base64", chars);
  const padding = chars > 60 ? "==" : "=";
  return { kind, priority: 0, source, words, shapes: [[body, padding], [body]] };
}

function plain(kind: string, words: readonly string[], shape: [CharClass, number]): NamedKind {
  return { kind, priority: 0, source: unknownSource, words, shapes: [[run(...shape)]] };
}

/** What goes by its name alone. */
export const azureNames = (): readonly NamedKind[] => [
  named("azure_cosmos_key", cosmos, ["cosmos|cosmosdb|documentdb", "key"], 86),
  named("azure_storage_key", storage, ["accountkey|azurestorage|storageaccount"], 86),
  named("azure_shared_access_key", bus, ["sharedaccesskey|servicebus|eventhub|iothub"], 43),
  named("azure_signalr_key", unknownSource, ["signalr|webpubsub"], 43),
  named("azure_batch_key", unknownSource, ["azurebatch|batchaccount"], 86),
  named("azure_app_configuration_key", unknownSource, ["appconfig|appconfiguration"], 43),
  plain("azure_openai_key", ["azureopenai|azureai|cognitive"], ["hex", 32]),
  {
    kind: "azure_devops_token",
    priority: 0,
    source: devops,
    words: ["azuredevops|azdo|vsts|systemaccesstoken|azurepat"],
    shapes: [[run("lowerAlnum", 52)]],
  },
];
