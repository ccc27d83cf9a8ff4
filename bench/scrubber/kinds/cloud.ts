import { type Kind, named, shaped, snippet } from "../corpus/kind.ts";
import { free, must, secret } from "../corpus/marks.ts";
import type { Random } from "../corpus/random.ts";
import { chars, fill, word } from "../corpus/template.ts";
import { pem } from "./private-keys.ts";

const region = (random: Random): string => random.pick(["eu-west-1", "us-east-1", "ap-south-1"]);

function bedrockLong(random: Random): string {
  const inner = `BedrockAPIKey-${chars(random, "low", 4)}-at-${chars(random, "d", 12)}:${chars(random, "b64", 52)}`;
  return `ABSK${Buffer.from(inner).toString("base64")}`;
}

function bedrockShort(random: Random): string {
  const inner = `bedrock.amazonaws.com/?Action=CallWithBearerToken&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=43200&X-Amz-Signature=${chars(random, "hex", 64)}&Version=1`;
  return `bedrock-api-key-${Buffer.from(inner).toString("base64")}`;
}

function presigned(random: Random): string {
  const host = must(`${word(random)}-data.s3.${region(random)}.amazonaws.com`);
  const id = `AKIA${chars(random, "b32", 16)}`;
  const credential = `${secret(id)}%2F20260311%2F${region(random)}%2Fs3%2Faws4_request`;
  return `https://${host}${must("/exports/report.csv")}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${credential}&X-Amz-Date=20260311T101112Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=${secret(chars(random, "hex", 64))}`;
}

function credentialsFile(random: Random): string {
  return `[default]\naws_access_key_id = ${secret(`AKIA${chars(random, "b32", 16)}`)}\naws_secret_access_key = ${secret(chars(random, "b64", 40))}\nregion = ${must(region(random))}`;
}

function stsAnswer(random: Random): string {
  return JSON.stringify(
    {
      Credentials: {
        AccessKeyId: secret(`ASIA${chars(random, "b32", 16)}`),
        SecretAccessKey: secret(chars(random, "b64", 40)),
        SessionToken: secret(sessionToken(random)),
        Expiration: must("2026-03-11T12:00:00Z"),
      },
    },
    undefined,
    4,
  );
}

function sessionToken(random: Random): string {
  return `${random.pick(["IQoJb3JpZ2luX2VjE", "FwoGZXIvYXdzE"])}${chars(random, "b64", random.int(280, 420))}=`;
}

function serviceAccount(random: Random): string {
  const project = `${word(random)}-${random.int(100, 999)}`;
  return `{
  "type": "service_account",
  "project_id": "${must(project)}",
  "private_key_id": "${free(chars(random, "hex", 40))}",
  "private_key": "${pem(random, undefined, "\\n")}\\n",
  "client_email": "${must(`deploy@${project}.iam.gserviceaccount.com`)}",
  "token_uri": "https://oauth2.googleapis.com/token"
}`;
}

function applicationDefault(random: Random): string {
  return JSON.stringify(
    {
      client_id: `${random.int(10 ** 9, 10 ** 10)}-${chars(random, "low", 32)}.apps.googleusercontent.com`,
      client_secret: secret(fill(random, "d-<w:22>")),
      refresh_token: secret(fill(random, "1//0<w:62>")),
      type: "authorized_user",
    },
    undefined,
    2,
  );
}

const storage = (random: Random): string => `${chars(random, "b64", 86)}==`;
const shared = (random: Random): string => `${chars(random, "b64", 43)}=`;

function sas(random: Random): string {
  return `https://${must(`${word(random)}store.blob.core.windows.net/backups/db.bak`)}?sv=2023-11-03&se=2026-04-01T00%3A00%3A00Z&sr=b&sp=r&sig=${secret(encodeURIComponent(shared(random)))}`;
}

/** Keys of Amazon, Google and Microsoft's clouds. */
export const cloudKinds: readonly Kind[] = [
  shaped("P0", "aws-access-key", "AKIA<b32:16>", "AWS_ACCESS_KEY_ID"),
  shaped("P0", "aws-temporary-key", "ASIA<b32:16>", "AWS_ACCESS_KEY_ID"),
  shaped("P0", "aws-context-key", "ACCA<b32:16>", "AWS_ACCESS_KEY_ID"),
  shaped("P0", "aws-bearer-key", "ABIA<b32:16>", "AWS_STS_SERVICE_BEARER"),
  named("P0", "aws-secret-key", "<b64:40>", "AWS_SECRET_ACCESS_KEY AWS_SECRET_KEY"),
  shaped("P0", "aws-session-token", sessionToken, "AWS_SESSION_TOKEN"),
  shaped("P0", "aws-bedrock-long", bedrockLong, "AWS_BEARER_TOKEN_BEDROCK"),
  shaped("P0", "aws-bedrock-short", bedrockShort, "AWS_BEARER_TOKEN_BEDROCK"),
  snippet("P0", "signed url", "aws-presigned-url", presigned),
  shaped("P0", "aws-mws-token", "amzn.mws.<uuid>", "MWS_AUTH_TOKEN"),
  snippet("P0", "credentials file", "aws-credentials-file", credentialsFile),
  snippet("P0", "api answer", "aws-sts-answer", stsAnswer),
  snippet("P0", "credentials file", "gcp-service-account", serviceAccount),
  shaped("P0", "google-api-key", "AIza<w:35>", "GOOGLE_API_KEY GEMINI_API_KEY FIREBASE_API_KEY"),
  shaped("P0", "gemini-new-key", "AQ.Ab8RN6<w:44>", "GEMINI_API_KEY"),
  shaped("P0", "google-client-secret", "GOCSPX-<w:28>", "GOOGLE_CLIENT_SECRET"),
  shaped("P0", "google-access-token", "ya29.a0<w:150-210>", "GOOGLE_OAUTH_ACCESS_TOKEN"),
  shaped("P0", "google-refresh-token", "1//0<w:2>-<w:58>", "GOOGLE_REFRESH_TOKEN"),
  snippet("P0", "credentials file", "google-default-credentials", applicationDefault),
  shaped("P0", "azure-client-secret", "<an:3>8Q~<w:34>", "AZURE_CLIENT_SECRET ARM_CLIENT_SECRET"),
  named("P0", "azure-storage-key", storage, "AZURE_STORAGE_KEY AZURE_STORAGE_ACCOUNT_KEY"),
  snippet(
    "P0",
    "connection string",
    "azure-storage-connection",
    (random) =>
      `DefaultEndpointsProtocol=https;AccountName=${must(`${word(random)}store`)};AccountKey=${secret(storage(random))};EndpointSuffix=core.windows.net`,
  ),
  snippet("P0", "signed url", "azure-sas", sas),
  snippet(
    "P0",
    "connection string",
    "azure-service-bus",
    (random) =>
      `Endpoint=sb://${must(`${word(random)}-bus.servicebus.windows.net`)}/;SharedAccessKeyName=RootManage;SharedAccessKey=${secret(shared(random))}`,
  ),
  snippet(
    "P0",
    "connection string",
    "azure-iot-device",
    (random) =>
      `HostName=${must(`${word(random)}.azure-devices.net`)};DeviceId=gate-4;SharedAccessKey=${secret(shared(random))}`,
  ),
  snippet(
    "P0",
    "connection string",
    "azure-cosmos",
    (random) =>
      `AccountEndpoint=https://${must(`${word(random)}.documents.azure.com`)}:443/;AccountKey=${secret(storage(random))};`,
  ),
  shaped("P0", "azure-devops-pat", "<an:76>AZDO<an:4>", "AZURE_DEVOPS_PAT AZURE_DEVOPS_EXT_PAT"),
  named("P0", "azure-devops-old-pat", "<b32:52>", "AZURE_DEVOPS_TOKEN SYSTEM_ACCESSTOKEN"),
  shaped("P0", "azure-function-key", "<w:44>AzFu<w:5>Q==", "AZURE_FUNCTION_KEY"),
  shaped("P0", "azure-registry-password", "<b64:42>+ACR<an:6>", "ACR_PASSWORD REGISTRY_PASSWORD"),
  shaped("P0", "azure-apim-key", "<an:76>APIM<an:4>", "APIM_SUBSCRIPTION_KEY"),
  shaped(
    "P0",
    "azure-cognitive-key",
    "<an:52>JQQJ99B<up:3>AC<up:5>AAABACOG<an:4>",
    "AZURE_OPENAI_API_KEY AZURE_COGNITIVE_KEY",
  ),
  snippet(
    "P0",
    "connection string",
    "azure-app-configuration",
    (random) =>
      `Endpoint=https://${must(`${word(random)}.azconfig.io`)};Id=${chars(random, "an", 4)}-l0-s0:${chars(random, "an", 20)};Secret=${secret(shared(random))}`,
  ),
  named("P0", "azure-openai-hex-key", "<hex:32>", "AZURE_OPENAI_API_KEY AZURE_SEARCH_ADMIN_KEY"),
];
