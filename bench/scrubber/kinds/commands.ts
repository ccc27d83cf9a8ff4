import { type Kind, snippet } from "../corpus/kind.ts";
import { must, secret } from "../corpus/marks.ts";
import type { Random } from "../corpus/random.ts";
import { chars, password, uuid, word } from "../corpus/template.ts";

type Written = (pw: string, random: Random) => string;

const host = (random: Random): string => must(`${word(random)}.corp.test`);

const commands: Readonly<Record<string, Written>> = {
  "mysql-attached": (pw, random) => `mysql -h ${host(random)} -u root -p${pw} shop`,
  "mysql-long": (pw, random) =>
    `mysqldump --host=${host(random)} --user=root --password=${pw} shop`,
  "curl-user": (pw, random) => `curl -u ${must("ada")}:${pw} https://${host(random)}/jobs`,
  "curl-user-quoted": (pw, random) => `curl --user '${must("ada")}:${pw}' https://${host(random)}/`,
  "wget-password": (pw, random) => `wget --user=ada --password=${pw} https://${host(random)}/a.tar`,
  "wget-http-password": (pw, random) => `wget --http-password ${pw} https://${host(random)}/a.tar`,
  pgpassword: (pw, random) => `PGPASSWORD=${pw} psql -h ${host(random)} -U app orders`,
  "mysql-pwd": (pw, random) => `MYSQL_PWD=${pw} mysql -h ${host(random)} shop`,
  sshpass: (pw, random) => `sshpass -p ${pw} ssh ops@${host(random)} uptime`,
  "sshpass-quoted": (pw, random) => `sshpass -p '${pw}' scp a.txt ops@${host(random)}:/tmp`,
  "redis-cli": (pw, random) => `redis-cli -h ${host(random)} -a ${pw} ping`,
  rediscli_auth: (pw, random) => `REDISCLI_AUTH=${pw} redis-cli -h ${host(random)}`,
  "redis-auth": (pw) => `127.0.0.1:6379> AUTH ${pw}\nOK`,
  "docker-login": (pw, random) => `docker login ${host(random)} -u ci -p ${pw}`,
  "docker-stdin": (pw, random) =>
    `echo ${pw} | docker login -u ci --password-stdin ${host(random)}`,
  "docker-stdin-quoted": (pw, random) =>
    `echo "${pw}" | podman login --username ci --password-stdin ${host(random)}`,
  "openssl-passin": (pw) => `openssl rsa -in key.pem -passin pass:${pw} -out plain.pem`,
  "openssl-passout": (pw) => `openssl genrsa -aes256 -passout pass:${pw} 4096`,
  "az-login": (pw) => `az login --service-principal -u app-id -p ${pw} --tenant corp`,
  "az-vm": (pw) => `az vm create -n web --admin-username ops --admin-password ${pw}`,
  "aws-rds": (pw) => `aws rds create-db-instance --master-user-password ${pw} --engine postgres`,
  "gcloud-sql": (pw) => `gcloud sql users set-password app --instance=main --password=${pw}`,
  "vault-login": (pw) => `vault login -method=userpass username=ops password=${pw}`,
  "vault-kv": (pw) => `vault kv put secret/app db_password=${pw} region=eu`,
  htpasswd: (pw) => `htpasswd -b -c .htpasswd ${must("ada")} ${pw}`,
  "helm-set": (pw) => `helm upgrade app ./chart --set postgresql.auth.password=${pw} --wait`,
  "kubectl-literal": (pw) => `kubectl create secret generic db --from-literal=password=${pw}`,
  "keytool-storepass": (pw) => `keytool -list -keystore app.jks -storepass ${pw}`,
  jarsigner: (pw) => `jarsigner -keystore app.jks -keypass ${pw} app.jar release`,
  "zip-password": (pw) => `zip -e -P ${pw} out.zip report.csv`,
  "seven-zip": (pw) => `7z x -p${pw} backup.7z`,
  sqlcmd: (pw, random) => `sqlcmd -S ${host(random)} -U sa -P ${pw} -Q "select 1"`,
  ldapsearch: (pw, random) =>
    `ldapsearch -H ldap://${host(random)} -D cn=admin -w ${pw} -b dc=corp`,
  mongosh: (pw, random) => `mongosh --host ${host(random)} -u root -p ${pw} admin`,
  "smbclient-user": (pw, random) => `smbclient //${host(random)}/share -U ops%${pw}`,
  "net-use": (pw, random) => `net use Z: \\\\${host(random)}\\share /user:ops ${pw}`,
  "rabbitmqctl-add": (pw) => `rabbitmqctl add_user ${must("worker")} ${pw}`,
  "psql-create-role": (pw) => `CREATE ROLE ${must("app")} LOGIN PASSWORD '${pw}';`,
  "mysql-identified": (pw) => `CREATE USER 'app'@'%' IDENTIFIED BY '${pw}';`,
  "mysql-set-password": (pw) => `SET PASSWORD FOR 'root'@'localhost' = PASSWORD('${pw}');`,
  "mssql-login": (pw) => `CREATE LOGIN app WITH PASSWORD = N'${pw}';`,
  chpasswd: (pw) => `echo "${must("ops")}:${pw}" | sudo chpasswd`,
  "sudo-stdin": (pw) => `echo ${pw} | sudo -S apt-get update`,
  useradd: (pw) => `net user ops ${pw} /add`,
  "powershell-secure": (pw) =>
    `$s = ConvertTo-SecureString "${pw}" -AsPlainText -Force; New-User $s`,
  "git-extraheader": (pw, random) =>
    `git -c http.extraheader="AUTHORIZATION: bearer ${pw}" clone https://${host(random)}/a.git`,
  "argv-array": (pw) =>
    `subprocess.run(["mysql", "--user", "root", "--password", "${pw}", "shop"])`,
  "argv-attached": (pw) => `spawn("mysql", ["-uroot", "-p${pw}", "shop"])`,
  "argv-json": (pw) => `{"args": ["serve", "--api-key", "${pw}", "--port", "80"]}`,
  "process-list": (pw) => `ops  4211  0.0  0.1 /usr/bin/worker --db-password=${pw} --queue main`,
  expect: (pw) => `expect "assword:"\nsend "${pw}\\r"\nexpect eof`,
};

const tokenCommands: Readonly<Record<string, Written>> = {
  "gh-stdin": (token) => `echo ${token} | gh auth login --with-token`,
  "npm-config-set": (token) => `npm config set //registry.corp.test/:_authToken ${token}`,
  "gh-secret-set": (token) => `gh secret set DEPLOY_TOKEN --body "${token}" --repo team/app`,
  "fly-secrets": (token) => `fly secrets set API_TOKEN=${token} --app web`,
  "heroku-config": (token) => `heroku config:set API_TOKEN=${token} -a web`,
  "wrangler-secret": (token) => `echo "${token}" | wrangler secret put API_TOKEN`,
  "vault-token": (token) => `vault login ${token}`,
  "oc-login": (token) => `oc login --token=${token} --server=https://api.corp.test:6443`,
  "kubectl-token": (token) => `kubectl get pods --token ${token}`,
  "sentry-cli": (token) => `sentry-cli --auth-token ${token} releases list`,
  "cargo-login": (token) => `cargo login ${token}`,
};

const spoken: Readonly<Record<string, Written>> = {
  is: (pw) => `The password for the staging database is ${pw} and it never expires.`,
  colon: (pw) => `Use the admin login with password: ${pw}`,
  quoted: (pw) => `His password is "${pw}", please change it.`,
  backticks: (pw) => `Set the root password to \`${pw}\` first.`,
  "bold-markdown": (pw) => `- **Password:** ${pw}\n- **Host:** ${must("db.corp.test")}`,
  "user-slash": (pw) => `Credentials: ${must("admin")} / ${pw}`,
  token: (pw) => `My API token is ${pw}, can you call the service with it?`,
  "key-follows": (pw) => `here's the api key: ${pw}`,
  "changed-from": (pw) => `I changed the password to ${pw} on Tuesday.`,
  german: (pw) => `Das Passwort lautet ${pw}.`,
  "table-row": (pw) => `| user | password |\n|---|---|\n| ops | ${pw} |`,
  "prompt-answer": (pw) => `Enter password: ${pw}\nWelcome, ops.`,
};

const kindsOf = (
  form: string,
  prefix: string,
  written: Readonly<Record<string, Written>>,
  draw: (random: Random) => string,
): readonly Kind[] =>
  Object.entries(written).map(([id, write]) =>
    snippet("P1", form, `${prefix}-${id.replaceAll("_", "-")}`, (random) =>
      write(secret(draw(random)), random),
    ),
  );

/** Passwords on command lines and in sentences. */
export const commandKinds: readonly Kind[] = [
  ...kindsOf("command line", "cli", commands, password),
  ...kindsOf("command line", "cli", tokenCommands, (random) =>
    random.chance(0.5) ? chars(random, "an", 40) : uuid(random),
  ),
  ...kindsOf("prose password", "spoken", spoken, (random) =>
    random.chance(0.5) ? password(random) : `${chars(random, "an", 10)}!${random.int(10, 99)}`,
  ),
];
