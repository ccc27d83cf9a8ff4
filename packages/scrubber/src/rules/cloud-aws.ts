import { hasBase32Id } from "../checks/base32.ts";
import { type NamedKind, openMax, run, type Rule, tokenRules } from "../rule.ts";
import { scanAwsPair } from "../scanners/aws-pair.ts";

const identifiers = "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html";
const temporary = "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp.html";
const bedrock = "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html";
const appsync = "https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html";
const ecr = "https://docs.aws.amazon.com/AmazonECR/latest/userguide/registry_auth.html";
const mws = "https://docs.developer.amazonservices.com/en_US/dev_guide/DG_Registering.html";

const id = { body: [run("upperAlnum", 16)], valid: hasBase32Id, source: identifiers };

/** Keys and tokens of Amazon Web Services that have a shape. */
export const awsRules: readonly Rule[] = [
  ...tokenRules([
    { kind: "aws_access_key", priority: 0, anchors: ["AKIA", "ASIA"], ...id },
    { kind: "aws_bearer_token", priority: 0, anchors: ["ABIA"], ...id },
    { kind: "aws_context_credential", priority: 0, anchors: ["ACCA"], ...id },
    {
      kind: "aws_session_token",
      priority: 0,
      source: temporary,
      anchors: ["IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "FwoDYXdz"],
      body: [run("escapedBase64", 60, openMax)],
    },
    {
      kind: "aws_bedrock_key",
      priority: 0,
      source: bedrock,
      anchors: ["ABSK"],
      body: [run("base64Padded", 90, 300)],
    },
    {
      kind: "aws_bedrock_short_key",
      priority: 0,
      source: bedrock,
      anchors: ["bedrock-api-key-"],
      body: [run("base64Padded", 60, openMax)],
    },
    {
      kind: "aws_mws_token",
      priority: 0,
      source: mws,
      anchors: ["amzn.mws."],
      body: [run("word", 30, 40)],
    },
    {
      kind: "aws_registry_password",
      priority: 2,
      source: ecr,
      anchors: ["eyJwYXlsb2FkIjoi"],
      body: [run("base64Padded", 200, openMax)],
    },
    {
      kind: "aws_appsync_key",
      priority: 2,
      source: appsync,
      anchors: ["da2-"],
      body: [run("lowerAlnum", 26)],
    },
  ]),
  {
    id: "aws-pair",
    kind: "aws_secret_key",
    priority: 0,
    source: identifiers,
    anchors: ["AKIA", "ASIA"],
    scan: scanAwsPair,
  },
];

/** What goes by its name alone. */
export const awsNames = (): readonly NamedKind[] => [
  {
    kind: "aws_secret_key",
    priority: 0,
    source: identifiers,
    words: ["aws|secretaccesskey", "secret"],
    shapes: [[run("base64", 40)]],
  },
  {
    kind: "aws_session_token",
    priority: 0,
    source: temporary,
    words: ["sessiontoken|securitytoken"],
    shapes: [[run("base64Padded", 100, openMax)]],
  },
];
