import { mapPieces, must, toBase64 } from "../corpus/marks.ts";
import { namedForms, namedWordForms } from "./form.ts";

/** Files of settings. */
export const configForms = [
  ...namedWordForms({
    dotenv: ({ env, value }) => `NODE_ENV=production\n${env}=${value}\nPORT=8080\n`,
    "dotenv, comment": ({ env, value }) => `${env}=${value} # rotated in March\nPORT=8080`,
    "dotenv, old value in a comment": ({ env, value }) => `# ${env}=${value}\nPORT=8080\n`,
    "dotenv, spaces": ({ env, value }) => `${env} = ${value}\nPORT = 8080`,
    yaml: ({ snake, value }) => `app:\n  ${snake}: ${value}\n  port: 80\n`,
    "yaml, kebab": ({ kebab, value }) => `spring:\n  ${kebab}: ${value}\n  port: 80\n`,
    "yaml, name and value": ({ env, value }) =>
      `env:\n  - name: ${env}\n    value: ${value}\n  - name: PORT\n    value: "80"\n`,
    "yaml, block": ({ snake, value }) => `app:\n  ${snake}: |\n    ${value}\n  port: 80\n`,
    "yaml, folded": ({ snake, value }) => `app:\n  ${snake}: >-\n    ${value}\n  port: 80\n`,
    "yaml, next line": ({ snake, value }) => `app:\n  ${snake}:\n    ${value}\n  port: 80\n`,
    "yaml, flow": ({ snake, value }) => `app: { ${snake}: ${value}, port: 80 }\n`,
    ini: ({ snake, value }) => `[database]\n${snake} = ${value}\nport = 5432\n`,
    "ini, tight": ({ snake, value }) => `[database]\n${snake}=${value}\nport=5432\n`,
    properties: ({ kebab, value }) => `app.security.${kebab}=${value}\napp.port=80\n`,
    "compose, list": ({ env, value }) =>
      `services:\n  web:\n    environment:\n      - ${env}=${value}\n      - PORT=80\n`,
    dockerfile: ({ env, value }) => `FROM node:20\nENV ${env}=${value}\nRUN npm ci\n`,
    "dockerfile, old": ({ env, value }) => `FROM node:20\nENV ${env} ${value}\nRUN npm ci\n`,
    "dockerfile, arg": ({ env, value }) => `ARG ${env}=${value}\nRUN npm ci\n`,
    "xml element": ({ camel, value }) =>
      `<settings>\n  <${camel}>${value}</${camel}>\n  <port>80</port>\n</settings>`,
    plist: ({ camel, value }) => `<key>${camel}</key>\n<string>${value}</string>\n`,
    "pem bundle env": ({ env, value }) => `env:\n  ${env}: ${value}\n  CI: "true"\n`,
    "csv row": ({ env, value }) => `name,value,updated\n${env},${value},2026-03-01\n`,
    "key: value table": ({ header, value }) =>
      `Host:       ${must("db.corp.test")}\n${header}: ${value}\nRegion:     eu\n`,
    "kubernetes data": ({ kebab, value }) =>
      `kind: Secret\ndata:\n  ${kebab}: ${toBase64(value)}\n  region: ZXU=\n`,
    "kubernetes describe": ({ env, value }) =>
      `    Environment:\n      ${env}:  ${value}\n      PORT:     80\n`,
  }),
  ...namedForms({
    "dotenv, double quotes": ({ env, value }) => `${env}="${value}"\nPORT=8080\n`,
    "dotenv, single quotes": ({ env, value }) => `${env}='${value}'\nPORT=8080\n`,
    "yaml, quoted": ({ snake, value }) => `app:\n  ${snake}: "${value}"\n  port: 80\n`,
    "yaml, single quotes": ({ camel, value }) => `app:\n  ${camel}: '${value}'\n`,
    toml: ({ snake, value }) => `[server]\n${snake} = "${value}"\nport = 80\n`,
    "toml, multi-line string": ({ snake, value }) => `${snake} = """\n${value}"""\nport = 80\n`,
    json: ({ camel, value }) => `{"port": 80, "${camel}": "${value}", "debug": false}`,
    "json, pretty": ({ snake, value }) => JSON.stringify({ app: { [snake]: value, port: 80 } }, undefined, 2), // prettier-ignore
    "json, name and value": ({ env, value }) => JSON.stringify([{ name: env, value }, { name: "PORT", value: "80" }]), // prettier-ignore
    "json, key and value": ({ env, value }) => JSON.stringify({ Tags: [{ Key: env, Value: value }] }, undefined, 2), // prettier-ignore
    "json, value first": ({ env, value }) => JSON.stringify({ value, type: "secret", key: env }),
    json5: ({ camel, value }) => `{\n  // local\n  ${camel}: '${value}',\n  port: 80,\n}`,
    "xml attributes": ({ pascal, value }) =>
      `<appSettings>\n  <add key="${pascal}" value="${value}" />\n</appSettings>`,
    "xml attribute": ({ camel, value }) => `<service host="a" ${camel}="${value}" port="80"/>`,
    "terraform variable": ({ snake, value }) =>
      `variable "${snake}" {\n  type    = string\n  default = "${value}"\n}`,
    tfvars: ({ snake, value }) => `${snake} = "${value}"\nregion = "eu-west-1"\n`,
    "terraform map": ({ env, value }) =>
      `environment = {\n    ${env} = "${value}"\n    PORT = 80\n  }`,
    "systemd unit": ({ env, value }) =>
      `[Service]\nEnvironment="${env}=${value}"\nExecStart=/bin/app`,
    "github workflow": ({ env, value }) => `    env:\n      ${env}: "${value}"\n    steps: []\n`,
    "nginx set": ({ snake, value }) => `location / {\n  set $${snake} "${value}";\n}`,
    "html data": ({ kebab, value }) => `<div data-${kebab}="${value}" class="x"></div>`,
    "html input": ({ snake, value }) => `<input type="hidden" name="${snake}" value="${value}">`,
    "string in yaml list": ({ env, value }) => `args:\n  - "--set"\n  - "${env}=${value}"\n`,
    "percent-encoded form": ({ snake, value }) =>
      `grant_type=x&${snake}=${mapPieces(value, encodeURIComponent)}&scope=all`,
  }),
];
