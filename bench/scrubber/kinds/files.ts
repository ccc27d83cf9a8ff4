import { type Kind, snippet } from "../corpus/kind.ts";
import { free, must, secret, toBase64 } from "../corpus/marks.ts";
import type { Random } from "../corpus/random.ts";
import { chars, password, uuid, word } from "../corpus/template.ts";
import { pem } from "./private-keys.ts";
import { jwt } from "./sessions.ts";

const host = (random: Random): string => must(`${word(random)}.corp.test`);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function kubeConfig(random: Random, credential: string): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: prod
  cluster:
    server: https://${host(random)}:6443
users:
- name: ${must("deployer")}
  user:
    ${credential}
current-context: prod`;
}

function dockerConfig(random: Random): string {
  const auth = `{"auth": "${secret(base64(`ci:${password(random)}`))}"}`;
  return `{\n  "auths": {\n    "${must("registry.corp.test")}": ${auth}\n  },\n  "credsStore": ""\n}`;
}

function kubernetesSecret(random: Random): string {
  return `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${must("db-credentials")}\ntype: Opaque\ndata:\n  username: YWRtaW4=\n  password: ${secret(base64(password(random)))}\n  api-token: ${secret(base64(chars(random, "an", 32)))}`;
}

function stringSecret(random: Random): string {
  return `kind: Secret\nstringData:\n  DB_USER: app\n  DB_PASSWORD: ${secret(password(random))}\n  session-key: "${secret(chars(random, "an", 32))}"`;
}

function tfstate(random: Random): string {
  return JSON.stringify(
    {
      mode: "managed",
      type: "aws_db_instance",
      instances: [
        {
          attributes: {
            address: must("db.rds.test"),
            master_password: secret(password(random)),
            port: 5432,
          },
        },
      ],
    },
    undefined,
    2,
  );
}

const hashes: Readonly<Record<string, (random: Random) => string>> = {
  "hash-bcrypt": (random) =>
    `$2${random.pick(["a", "b", "y"])}$12$${chars(random, "an", 22)}${chars(random, "an", 31)}`,
  "hash-sha512-crypt": (random) => `$6$${chars(random, "an", 16)}$${chars(random, "an", 86)}`,
  "hash-apr1": (random) => `$apr1$${chars(random, "an", 8)}$${chars(random, "an", 22)}`,
  "hash-argon2": (random) =>
    `$argon2id$v=19$m=65536,t=3,p=4$${chars(random, "an", 22)}$${chars(random, "an", 43)}`,
  "hash-yescrypt": (random) => `$y$j9T$${chars(random, "an", 22)}$${chars(random, "an", 43)}`,
};

const hashLine = (random: Random, hash: string): string =>
  random.pick([
    () => `${must(word(random))}:${secret(hash)}\n`,
    () => `${must(word(random))}:${secret(hash)}:19700:0:99999:7:::`,
    () => `INSERT INTO users (name, password_hash) VALUES ('ada', '${secret(hash)}');`,
    () => `{"user":"ada","password_hash":"${secret(hash)}"}`,
  ])();

/** Files and resources that hold credentials at places of their own. */
export const fileKinds: readonly Kind[] = [
  snippet(
    "P1",
    "netrc",
    "netrc-line",
    (random) =>
      `machine ${host(random)} login ${must("deploy")} password ${secret(password(random))}\n`,
  ),
  snippet(
    "P1",
    "netrc",
    "netrc-lines",
    (random) =>
      `machine ${host(random)}\n  login ${must("deploy")}\n  password ${secret(password(random))}\nmachine example.com\n  login x\n`,
  ),
  snippet(
    "P1",
    "pgpass",
    "pgpass",
    (random) => `${host(random)}:5432:orders:${must("app")}:${secret(password(random))}\n`,
  ),
  snippet(
    "P1",
    "pgpass",
    "pgpass-any-port",
    (random) => `$ cat ~/.pgpass\n${host(random)}:*:*:${must("app")}:${secret(password(random))}\n`,
  ),
  snippet(
    "P1",
    "git credentials",
    "git-credentials",
    (random) => `https://${must("ada")}:${secret(chars(random, "an", 36))}@${host(random)}\n`,
  ),
  snippet(
    "P1",
    "npmrc",
    "npmrc-token",
    (random) =>
      `registry=https://${host(random)}/\n//${host(random)}/:_authToken=${secret(uuid(random))}\n`,
  ),
  snippet(
    "P1",
    "npmrc",
    "npmrc-password",
    (random) =>
      `//${host(random)}/:username=ci\n//${host(random)}/:_password=${secret(base64(password(random)))}\n`,
  ),
  snippet(
    "P1",
    "npmrc",
    "npmrc-auth",
    (random) => `_auth=${secret(base64(`ci:${password(random)}`))}\nalways-auth=true\n`,
  ),
  snippet(
    "P1",
    "ini file",
    "pypirc",
    (random) =>
      `[pypi]\nrepository = https://${host(random)}/simple\nusername = ci\npassword = ${secret(password(random))}\n`,
  ),
  snippet(
    "P1",
    "ini file",
    "pip-conf",
    (random) =>
      `[global]\nindex-url = https://${must("ci")}:${secret(password(random))}@${host(random)}/simple\n`,
  ),
  snippet("P1", "docker config", "docker-auth", dockerConfig),
  snippet(
    "P1",
    "docker config",
    "docker-identity-token",
    (random) =>
      `{"auths":{"https://${host(random)}":{"identitytoken":"${secret(chars(random, "w", 120))}"}}}`,
  ),
  snippet("P1", "kubeconfig", "kubeconfig-token", (random) =>
    kubeConfig(random, `token: ${secret(jwt(random, 342))}`),
  ),
  snippet("P1", "kubeconfig", "kubeconfig-opaque", (random) =>
    kubeConfig(
      random,
      `token: ${secret(`${chars(random, "low", 6)}.${chars(random, "low", 16)}`)}`,
    ),
  ),
  snippet("P0", "kubeconfig", "kubeconfig-client-key", (random) =>
    kubeConfig(random, `client-key-data: ${toBase64(pem(random))}`),
  ),
  snippet("P1", "kubeconfig", "kubeconfig-password", (random) =>
    kubeConfig(random, `username: admin\n    password: ${secret(password(random))}`),
  ),
  snippet("P1", "kubernetes secret", "kubernetes-data", kubernetesSecret),
  snippet("P1", "kubernetes secret", "kubernetes-string-data", stringSecret),
  snippet("P1", "terraform", "tfstate", tfstate),
  snippet(
    "P1",
    "terraform",
    "tfvars",
    (random) =>
      `region = "eu-west-1"\ndb_password = "${secret(password(random))}"\ninstance_count = 2\n`,
  ),
  snippet(
    "P1",
    "terraform",
    "terraform-plan",
    (random) =>
      `  ~ resource "aws_db_instance" "main" {\n      ~ password = "${secret(password(random))}" -> "${secret(password(random))}"\n        port     = 5432\n    }`,
  ),
  snippet(
    "P1",
    "ansible",
    "ansible-vars",
    (random) =>
      `ansible_user: ${must("ops")}\nansible_become_pass: ${secret(password(random))}\nansible_ssh_pass: "${secret(password(random))}"\n`,
  ),
  snippet(
    "P1",
    "ansible",
    "ansible-inventory",
    (random) =>
      `${host(random)} ansible_user=${must("ops")} ansible_password=${secret(password(random))} ansible_port=22`,
  ),
  snippet(
    "P1",
    "rails credentials",
    "rails-master-key-file",
    (random) => `$ cat config/master.key\n${secret(chars(random, "hex", 32))}\n`,
  ),
  snippet(
    "P1",
    "ini file",
    "my-cnf",
    (random) =>
      `[client]\nuser=${must("root")}\npassword="${secret(password(random))}"\nhost=${host(random)}\n`,
  ),
  snippet(
    "P1",
    "maven settings",
    "maven-server",
    (random) =>
      `<server>\n  <id>${must("releases")}</id>\n  <username>ci</username>\n  <password>${secret(password(random))}</password>\n</server>`,
  ),
  snippet(
    "P1",
    "composer auth",
    "composer-auth",
    (random) =>
      `{"http-basic": {"${host(random)}": {"username": "ci", "password": "${secret(password(random))}"}}}`,
  ),
  snippet(
    "P1",
    "wpa supplicant",
    "wifi-psk",
    (random) => `network={\n  ssid="${must("office")}"\n  psk="${secret(password(random))}"\n}`,
  ),
  ...Object.entries(hashes).map(([id, draw]) =>
    snippet("P1", "password hash", id, (random) => hashLine(random, draw(random))),
  ),
  snippet(
    "P1",
    "encoded file",
    "dotenv-base64",
    (random) =>
      `ENV_FILE: ${toBase64(`NODE_ENV=production\nDB_PASSWORD=${secret(password(random))}\nAPI_TOKEN=${secret(chars(random, "an", 40))}\n`)}`,
  ),
  snippet(
    "P1",
    "private tag",
    "private-tag",
    (random) =>
      `notes ${free(`<private>${secret(`call ${word(random)} ${password(random)}`)}</private>`)} end`,
  ),
];
