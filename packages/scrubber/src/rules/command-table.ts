import { moreClients, moreMachines } from "./command-table-more.ts";

/** How a command takes a secret, as its manual says. Lists are parted by blanks. */
export interface CommandForm {
  /** Words that must follow the command one after the other; bars part alternatives. */
  readonly words?: string;
  /** Flags whose value, in the next word or after an equals sign, is the secret. */
  readonly flags?: string;
  /** Flags whose value follows without a blank. */
  readonly attached?: string;
  /** Flags whose value is a user, {@link mark}, and the secret. */
  readonly users?: string;
  /** What parts a user from a secret; a colon if absent. */
  readonly mark?: string;
  /** What ends the secret in `user/secret@database`. */
  readonly until?: string;
  /** Flags with a value that is none, so that places can be counted. */
  readonly taking?: string;
  /** Which of the words that are no flags is the secret, from 1; the last one if -1. */
  readonly place?: number;
  /** The same for a word that is a user, {@link mark}, and the secret. */
  readonly userPlace?: number;
  /** The word before {@link place} is a name, and must promise a secret. */
  readonly isKeyed?: boolean;
  /** A flag, or a letter in a cluster of short flags, without which the form is another. */
  readonly needs?: string;
  /** The secret is what is piped in: always, or with one of these flags. */
  readonly stdin?: string;
  /** `NAME=secret` as a word: all of them. */
  readonly hasPairs?: boolean;
  /** Flags whose value is `NAME=secret`. */
  readonly pairFlags?: string;
  /** What the first place must look like. */
  readonly first?: RegExp;
  /** Flags begin with a slash. */
  readonly hasSlashFlags?: boolean;
  /** What it prints is the secret, if one of these words or flags is there; an empty list: always. */
  readonly prints?: string;
  /** Words that do not count as places. */
  readonly ignores?: RegExp;
  /** What stands at the place is never anything else, so that less is asked of it. */
  readonly isSure?: boolean;
  /** What the user must look like. */
  readonly head?: RegExp;
  /** The last {@link mark} parts the secret from what stands before it. */
  readonly isLast?: boolean;
  /** Only what stands before the first word that is no flag is the command's own. */
  readonly isWrapper?: boolean;
}

/** Commands parted by bars, and the ways in which they take secrets. */
export type CommandRow = readonly [commands: string, ...forms: readonly CommandForm[]];

const mysql: CommandForm = { attached: "-p" };
const account: CommandForm = { flags: "-p --password", attached: "-p" };
const registry: CommandForm = {
  words: "login",
  flags: "-p --password",
  attached: "-p",
  stdin: "--password-stdin --token-stdin",
};
const credentials: CommandForm = { users: "--creds --src-creds --dest-creds" };
const stores: CommandForm = {
  flags:
    "-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass -new -storepasswd",
};
const oracle: CommandForm = { userPlace: 1, mark: "/", until: "@", taking: "-L" };
const smb: CommandForm = { users: "-U --user", attached: "-U", mark: "%" };

/** Commands that take passwords, tokens and keys in their arguments or from a pipe. */
export const commandRows = (): readonly CommandRow[] => [
  ...clients(),
  ...machines(),
  ...moreClients(),
  ...moreMachines(),
];

/** Clients of databases, of the web and of registries, archives, keys. */
const clients = (): readonly CommandRow[] => [
  ["mysql|mysqldump|mysqladmin|mysqlimport|mysqlcheck|mysqlshow|mysqlslap|mysqlpump|mysqlsh|mariadb|mariadb-dump|mariadb-admin|mariadb-check|mycli|xtrabackup|mariabackup", mysql],
  ["mysqladmin|mariadb-admin", { words: "password", place: 1, taking: "-u -h -P --user --host --port" }],
  ["sshpass", { ...account, isWrapper: true }],
  ["curl", { users: "-b --cookie", mark: "=", until: ";" }, { users: "-u --user -U --proxy-user", attached: "-u -U", flags: "--oauth2-bearer --pass --proxy-pass" }],
  ["http get|http post|http put|http delete|http patch|http head|https get|https post|httpie|xh get|xh post", { users: "-a --auth" }],
  ["http -a|http --auth|https -a|https --auth|xh -a", { userPlace: 1 }],
  ["ab -a", { userPlace: 1 }],
  ["docker|podman|nerdctl|buildah|skopeo|oras|crane|regctl|helm|apptainer|singularity", registry, credentials, { words: "secret create", stdin: "-" }],
  ["az login|az acr", { flags: "-p --password" }],
  ["az keyvault", { words: "secret set", flags: "--value" }],
  ["zip|zipcloak|zipnote", { flags: "-P", attached: "-P" }],
  ["unzip|7z|7za|7zr|7zz|7zzs|unrar|rar a|rar x|unar|lsar", { flags: "-P", attached: "-p -P -hp" }],
  ["qpdf", { words: "encrypt", place: 1 }, { flags: "--password" }],
  ["openssl", { flags: "-passin -passout -pass -k -K" }, { words: "passwd", place: 1, taking: "-salt" }],
  ["gpg|gpg2", { flags: "--passphrase", stdin: "--passphrase-fd" }],
  ["sqlcmd|osql|bcp|mssql-cli|tsql|fisql|go-sqlcmd", { flags: "-P", attached: "-P" }],
  ["ldapsearch|ldapadd|ldapmodify|ldapdelete|ldappasswd|ldapwhoami|ldapcompare|ldapmodrdn", { flags: "-w", attached: "-w" }],
  ["ldappasswd", { flags: "-s -a" }],
  ["mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mongostat|mongotop", account],
  ["cqlsh|cassandra-cli|nodetool", { flags: "-p -pw --password" }],
  ["clickhouse-client|clickhouse client", { flags: "--password" }],
  ["influx", { flags: "-password --password -p -t --token" }],
  ["smbclient|rpcclient|smbget|smbcacls|smbcquotas|smbtree|winexe|net ads|net rpc", smb],
  ["smbclient", { place: 2, taking: "-c -U -W -I -p -m -D -t -A -T" }],
  ["smbmap|crackmapexec|netexec|nxc|evil-winrm|rdesktop|bloodhound-python|mosquitto_pub|mosquitto_sub", { flags: "-p -P --pw", attached: "-P" }],
  ["xfreerdp|xfreerdp3|wlfreerdp|mstsc|cmdkey", { attached: "/p: /pass:" }],
  ["net use", { place: 1, hasSlashFlags: true, ignores: /^(?:[A-Za-z]:|\*|[\\/]{2}.*)$/, needs: "\\" }],
  ["net user", { place: 2, hasSlashFlags: true, needs: "/" }, { place: 2, hasSlashFlags: true, ignores: /^\*$/ }],
  ["psexec|psexec64|psexec.py|wmic|schtasks|winrs", { flags: "-p /p /rp", attached: "-p: /p: /rp: -password:" }],
  ["rabbitmqctl", { words: "add_user|change_password|authenticate_user", place: 2, taking: "-n -p --vhost --node" }],
  ["rabbitmqadmin", { flags: "-p --password" }],
  ["redis-cli|valkey-cli|keydb-cli", { flags: "-a --pass" }, { words: "auth", place: -1 }, { words: "requirepass|masterauth", place: 1 }],
  ["htpasswd|mosquitto_passwd", { needs: "b", place: -1, taking: "-C -r" }, { needs: "-i", stdin: "always" }],
  ["chpasswd", { stdin: "always", mark: ":" }],
  ["passwd|smbpasswd|vncpasswd|kinit|cryptsetup|ssh-askpass", { stdin: "always" }],
  ["sudo", { needs: "S", stdin: "always", isWrapper: true }],
  ["su -|su root", { stdin: "always" }],
  ["useradd|usermod|adduser|luseradd|lusermod", { flags: "-p --password", attached: "-p" }],
  ["gh secret|gh variable", { words: "set", flags: "-b --body", attached: "-b", stdin: "always" }],
  ["gh auth", { words: "login", stdin: "--with-token" }],
  ["glab auth", { words: "login", flags: "-t --token", stdin: "--stdin" }],
  ["glab variable", { words: "set", flags: "-v --value" }],
  ["wrangler", { words: "secret put|bulk", stdin: "always" }],
  ["vercel", { words: "env add", stdin: "always" }, { flags: "-t --token" }],
  ["heroku|dokku", { words: "config:set|config:add", hasPairs: true, isKeyed: true }],
  ["fly secrets|flyctl secrets|supabase secrets|doppler secrets|railway variables|northflank secret", { words: "set", hasPairs: true }, { words: "import", stdin: "always" }],
  ["railway variables", { pairFlags: "--set" }],
  ["netlify", { words: "env:set", place: 2, isKeyed: true }],
  ["cf set-env", { place: 3, isKeyed: true }],
  ["eb setenv", { hasPairs: true, isKeyed: true }],
  ["firebase", { words: "functions:config:set", hasPairs: true, isKeyed: true }, { words: "functions:secrets:set", stdin: "always" }],
  ["gcloud secrets", { words: "create|add", stdin: "--data-file=-" }],
  ["aws ", { words: "configure set", place: 2, isKeyed: true, taking: "--profile --region" }, { words: "secretsmanager", flags: "--secret-string --secret-binary" }, { words: "ssm put-parameter", flags: "--value" }, { flags: "--master-user-password --user-password --temp-password --old-password --new-password --password" }],
  ["kubectl|oc create|oc get", { pairFlags: "--from-literal" }, { flags: "--token" }],
  ["oc login", { flags: "-p --password -t" }],
  ["kubeseal", { stdin: "always" }],
]; // prettier-ignore

/** Machines, accounts, secret stores and the command lines of hosts. */
const machines = (): readonly CommandRow[] => [
  ["npm config|pnpm config|yarn config|pip config|pip3 config", { words: "set", place: 2, isKeyed: true, taking: "--location -L" }],
  ["npm set|pnpm set", { place: 2, isKeyed: true }],
  ["git config", { place: 2, isKeyed: true, taking: "-f --file" }],
  ["composer config|poetry config", { place: 2, isKeyed: true, taking: "-d" }],
  ["composer config|poetry config", { first: /^http-basic\./, place: 3 }],
  ["cargo login", { place: 1, taking: "--registry" }],
  ["nuget|dotnet nuget", { flags: "-ApiKey -k --api-key -Password -p --password" }, { words: "setapikey", place: 1 }],
  ["twine", { flags: "-p --password" }],
  ["wandb login|ngrok authtoken|snyk auth|cloudflared service install|depot login|infracost auth", { place: 1 }],
  ["ngrok", { words: "config add-authtoken|add-api-key", place: 1 }],
  ["doctl", { flags: "-t --access-token" }],
  ["huggingface-cli|hf auth", { words: "login", flags: "--token" }],
  ["circleci setup|gitlab-runner|buildkite-agent", { flags: "--token -r --registration-token" }],
  ["vault login|vault unwrap|bao login", { place: 1, ignores: /=/, taking: "-method -path -address" }, { hasPairs: true, isKeyed: true }],
  ["vault token|vault operator|bao operator", { words: "lookup|revoke|renew|unseal", place: 1 }],
  ["vault kv|vault write|bao kv|bao write", { hasPairs: true }],
  ["bw login", { place: 2 }],
  ["bw unlock", { place: 1 }, { flags: "--session" }],
    ["op item|op document", { hasPairs: true, isKeyed: true }],
  ["pass insert|gopass insert|secret-tool store", { stdin: "always" }],
  ["security add-generic-password|security add-internet-password", { flags: "-w" }],
  ["security unlock-keychain|security create-keychain|security set-keychain-password", { flags: "-p -o" }],
  ["security import|security export", { flags: "-P" }],
  ["security set-key-partition-list", { flags: "-k" }],
  ["keytool|jarsigner|apksigner", stores],
  ["signtool sign", { flags: "/p" }],
  ["xcrun altool|xcrun notarytool", { flags: "-p --password" }],
  ["plink|pscp|psftp|kitty", { flags: "-pw" }],
  ["ssh-keygen", { flags: "-N -P", attached: "-N -P" }],
  ["sqlplus|sqlldr|impdp|expdp|rman|sqlcl", oracle],
  ["isql", { place: 3, taking: "-d" }],
  ["lftp|ncftpget|ncftpput|ncftp", { users: "-u --user", mark: "," }, { flags: "-p" }],
  ["rclone", { words: "obscure", place: 1 }],
  ["ansible-vault", { words: "encrypt_string", place: 1, taking: "--name --vault-password-file --vault-id -n", stdin: "--stdin-name" }],
  ["x11vnc", { flags: "-passwd" }],
  ["wpa_passphrase", { place: 2 }],
  ["snmp-server community|rocommunity|rwcommunity|set snmp community|tacacs-server key|radius-server key|crypto isakmp key", { place: 1 }],
  ["radius-server host|tacacs-server host|radius server host|tacacs server host", { flags: "key key-string" }],
  ["nmcli", { flags: "password wifi-sec.psk 802-11-wireless-security.psk 802-1x.password wifi.psk" }],
  ["networksetup -setairportnetwork", { place: 3 }],
  ["ipmitool", { flags: "-P", attached: "-P" }],
  ["snmpwalk|snmpget|snmpset|snmpbulkwalk", { flags: "-A -X" }],
  ["oathtool", { place: 1, taking: "-d -s -S -N -w" }],
  ["mc alias|mc config host", { words: "set|add", place: 4 }],
  ["etcdctl", { users: "--user" }],
  ["pulumi", { words: "config set", place: 2, needs: "--secret", taking: "--stack -s" }],
  ["chamber write", { place: 3 }],
  ["credstash put", { place: 2, taking: "-k -t -r -p" }],
    ["convertto-securestring", { flags: "-string -String -AsPlainText", place: 1, stdin: "always" }],
  ["winscp", { attached: "/password=" }],
  ["p4 login", { stdin: "always" }],
  ["samba-tool user", { words: "create|add|setpassword", place: 2 }, { flags: "--newpassword" }],
  ["tailscale", { flags: "--authkey --auth-key" }],
  ["aws ", { words: "ssm get-parameter", prints: "--with-decryption" }, { words: "secretsmanager get-secret-value", prints: "text" }, { words: "ecr get-login-password", prints: "" }, { words: "configure get", prints: "aws_secret_access_key aws_session_token" }],
  ["kubectl", { words: "get secret|secrets", prints: "jsonpath go-template -ojsonpath" }, { words: "create token", prints: "" }],
  ["vault kv|vault read|bao kv|vault print", { prints: "-field=password -field=token -field=secret -field=value -field=key -field=api_key" }],
  ["vault print token|gh auth token|glab auth token|gcloud auth print-access-token|gcloud auth print-identity-token|az account get-access-token|oc whoami -t|pass show|gopass show|op read|op item get|secret-tool lookup|bw get password|security find-generic-password|doppler secrets get|heroku config:get|heroku auth:token|flyctl auth token|fly auth token|npm token create|rails secret|rake secret|mix phx.gen.secret|pwgen|openssl rand|wg genkey|gcloud secrets versions access|terraform output -raw|tofu output -raw|pulumi config get|chamber read|credstash get|keyring get", { prints: "" }],
  ["az keyvault", { words: "secret show", prints: "" }],
  ["argocd admin|argocd account", { words: "initial-password", prints: "" }, { words: "generate-token", prints: "" }],
  ["az storage|az cosmosdb|az redis|az servicebus|az eventhubs|az search|az batch", { words: "keys|list-keys|admin-key|query-key", prints: "" }],
  ["gcloud auth", { words: "application-default print-access-token", prints: "" }],
  ["secretsmanager get-random-password|apg|makepasswd|gpg --gen-random|pwqgen|xkcdpass|diceware|auth secret", { prints: "" }],
]; // prettier-ignore
