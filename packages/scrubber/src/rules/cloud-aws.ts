import { openMax, run, type Rule } from "../rule.ts";
import { scanAwsPair } from "../scanners/aws-pair.ts";

const accessKeyIds: readonly Rule[] = ["AKIA", "ASIA", "ABIA", "ACCA"].map((anchor) => ({
  id: `aws-${anchor.toLowerCase()}`,
  kind: "aws_access_key",
  anchor,
  body: [run("upperAlnum", 16)],
}));

/** Keys and tokens of Amazon Web Services that have a shape; the secret key goes by its name. */
export const awsRules: readonly Rule[] = [
  ...accessKeyIds,
  { id: "aws-pair", kind: "aws_secret_key", anchors: ["AKIA", "ASIA"], scan: scanAwsPair },
  ...["IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "FwoDYXdz"].map((anchor) => ({
    id: `aws-session-${anchor.slice(0, 4).toLowerCase()}`,
    kind: "aws_session_token",
    anchor,
    body: [run("escapedBase64", 60, openMax)],
  })),
  {
    id: "bedrock-long",
    kind: "aws_bedrock_key",
    anchor: "ABSK",
    body: [run("base64Padded", 90, 300)],
  },
  {
    id: "bedrock-short",
    kind: "aws_bedrock_key",
    anchor: "bedrock-api-key-",
    body: [run("base64Padded", 60, openMax)],
  },
  { id: "aws-mws", kind: "aws_mws_token", anchor: "amzn.mws.", body: [run("word", 30, 40)] },
];
