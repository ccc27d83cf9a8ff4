import { must } from "../corpus/marks.ts";
import { namedForms, namedWordForms } from "./form.ts";

/** Command lines, and what shells print. */
export const shellForms = [
  ...namedForms({
    export: ({ env, shell }) => `$ export ${env}=${shell} && make test`,
    "export, quoted": ({ env, value }) => `export ${env}="${value}"\n./run.sh`,
    "inline variable": ({ env, shell }) => `${env}=${shell} npm run deploy`,
    flag: ({ kebab, shell }) => `./deploy --region eu --${kebab} ${shell} --dry-run`,
    "flag, equals": ({ kebab, shell }) => `./deploy --${kebab}=${shell} --dry-run`,
    "flag, quoted": ({ kebab, value }) => `./deploy --${kebab} "${value}" --dry-run`,
    "flag, snake": ({ snake, shell }) => `python train.py --${snake} ${shell} --epochs 3`,
    "flag, one dash": ({ camel, shell }) => `java -jar app.jar -${camel}=${shell} -port=80`,
    "java property": ({ kebab, shell }) => `java -Dapp.${kebab}=${shell} -jar app.jar`,
    "here-document": ({ env, value }) => `cat > .env <<EOF\n${env}=${value}\nPORT=80\nEOF`,
    "argv array": ({ kebab, value }) => `["deploy", "--${kebab}", "${value}", "--dry-run"]`,
    "argv array, equals": ({ kebab, value }) => `CMD ["serve", "--${kebab}=${value}"]`,
    "docker -e": ({ env, shell }) => `docker run -e ${env}=${shell} -p 80:80 app`,
    "docker --env, quoted": ({ env, value }) => `docker run --env "${env}=${value}" app`,
    "helm --set": ({ camel, shell }) => `helm install app ./chart --set auth.${camel}=${shell}`,
    "gh secret": ({ env, value }) => `gh secret set ${env} --body "${value}" --repo a/b`,
    "fly secrets": ({ env, shell }) => `fly secrets set ${env}=${shell} --stage`,
    "heroku config": ({ env, shell }) => `heroku config:set ${env}=${shell} --app web`,
    "aws ssm": ({ kebab, shell }) =>
      `aws ssm put-parameter --name /app/${kebab} --value ${shell} --type SecureString`,
    "kubectl literal": ({ kebab, shell }) =>
      `kubectl create secret generic app --from-literal=${kebab}=${shell}`,
    "kubectl set env": ({ env, shell }) => `kubectl set env deploy/web ${env}=${shell}`,
    powershell: ({ env, value }) => `$env:${env} = "${value}"\nnode app.js`,
    cmd: ({ env, value }) => `set "${env}=${value}"\r\nnode app.js`,
    fish: ({ env, shell }) => `set -gx ${env} ${shell}\nmake`,
    "echo into a file": ({ env, value }) => `echo "${env}=${value}" >> .env.local`,
    "sed replacement": ({ env, value }) => `sed -i 's|^${env}=.*|${env}=${value}|' .env`,
    "shell default": ({ env, value }) => `: "\${${env}:=${value}}"`,
    "pulumi config": ({ camel, shell }) => `pulumi config set --secret ${camel} ${shell}`,
  }),
  ...namedWordForms({
    printenv: ({ env, value }) =>
      `$ printenv\nHOME=/root\n${env}=${value}\nPATH=/usr/bin:/bin\nSHLVL=1\n`,
    "declare -x": ({ env, value }) => `declare -x HOME="/root"\ndeclare -x ${env}="${value}"\n`,
    "set -x trace": ({ env, value }) => `+ ${env}=${value}\n+ npm run build\n`,
    "process environment": ({ env, value }) => `PORT=80\u0000${env}=${value}\u0000HOME=/root\u0000`,
    "heroku list": ({ env, value }) => `=== web Config Vars\n${env}:   ${value}\nPORT:   80\n`,
    "docker inspect": ({ env, value }) =>
      `        "Env": [\n            "PATH=/usr/bin",\n            "${env}=${value}"\n        ],`,
    "vault kv get": ({ snake, value }) =>
      `====== Data ======\nKey            Value\n---            -----\n${snake}    ${value}\nregion         ${must("eu")}\n`,
    "npm config list": ({ kebab, value }) =>
      `; "user" config\n${kebab} = "${value}"\nprefix = "/usr"`,
  }),
];
