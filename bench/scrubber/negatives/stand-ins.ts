import { luhnDigit } from "../corpus/checksums.ts";
import type { Random } from "../corpus/random.ts";
import { chars, word } from "../corpus/template.ts";
import { drawn, listed } from "./family.ts";

const begin = `${"-".repeat(5)}BEGIN`;
const end = `${"-".repeat(5)}END`;
const lines = (text: string): string => (text.match(/.{1,64}/g) ?? []).join("\n");
// The keys of the vendors' own documents, put together so that no scanner trips over this file.
const documented = {
  id: ["AKIA", "IOSFODNN7EXAMPLE"].join(""),
  secret: ["wJalrXUtnFEMI", "K7MDENG", "bPxRfiCYEXAMPLEKEY"].join("/"),
};

/** A number of sixteen digits that begins like a card's and is none. */
function notLuhn(random: Random): string {
  const head = `4${chars(random, "d", 14)}`;
  return head + String((Number(luhnDigit(head)) + random.int(1, 9)) % 10);
}

/** References, stand-ins, documented examples, public keys and ids, prose. */
export const standInFamilies = [
  ...listed({
    references: `
      DB_PASSWORD=$DB_PASSWORD
      DB_PASSWORD=\${DB_PASSWORD}
      DB_PASSWORD=\${DB_PASSWORD:-}
      export API_TOKEN="$(vault kv get -field=token secret/app)"
      password: "\${{ secrets.DB_PASSWORD }}"
      password: "{{ vault_password }}"
      token: %TOKEN%
      const token = process.env.API_TOKEN;
      token = os.environ["API_TOKEN"]
      password = os.getenv('DB_PASSWORD')
      api_key: !secret openweather_api_key
      password: !vault |
      secret_key = var.secret_key
      password = random_password.db.result
      password = data.aws_secretsmanager_secret_version.db.secret_string
      DB_PASSWORD=op://vault/db/password
      apiKey: import.meta.env.VITE_API_KEY
      SECRET_KEY = env("SECRET_KEY")
      password: ENC[AES256_GCM,data:example,type:str]
      valueFrom: {secretKeyRef: {name: db, key: password}}
      postgres://$USER:$PASSWORD@localhost/db
      mysql://\${DB_USER}:\${DB_PASS}@db/app
      redis://:{{ redis_password }}@cache:6379
      Authorization: Bearer $TOKEN
      Authorization: Bearer \${token}
      curl -u "$USER:$PASS" https://example.com
      mysql -u root -p"$MYSQL_ROOT_PASSWORD" app
      //packages.example.com/:_authToken=\${NPM_TOKEN}
      args: ["--password", "$(DB_PASSWORD)"]
      Password=@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/db)
      connectionString: "Server=db;User Id=app;Password=#{DbPassword}#"
      api_key = <%= ENV["API_KEY"] %>`,
    "stand-ins": `
      API_KEY=<your-api-key>
      API_KEY=your-api-key-here
      API_KEY=YOUR_API_KEY
      PASSWORD=********
      password: changeme
      password: change-me
      SECRET_KEY=replace_me
      token: xxxxxxxxxxxxxxxx
      token: "..."
      api_key="REPLACE_WITH_YOUR_KEY"
      OPENAI_API_KEY=sk-...
      OPENAI_API_KEY=sk-your-key-here
      GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
      ANTHROPIC_API_KEY=sk-ant-...
      STRIPE_KEY=sk_test_xxx
      AWS_ACCESS_KEY_ID=AKIAXXXXXXXXXXXXXXXX
      SLACK_TOKEN=xoxb-your-token
      password = "<redacted>"
      password: [REDACTED]
      token=[FILTERED]
      "password": "***"
      secret: (hidden)
      DB_PASS=
      API_TOKEN=""
      password: null
      password: ~
      SECRET=none
      postgres://user:password@localhost:5432/db
      postgres://user:<password>@host/db
      mongodb+srv://<user>:<password>@cluster.example.com/app
      https://username:password@example.com/
      Authorization: Bearer <token>
      Authorization: Basic <credentials>
      -H "X-Api-Key: YOUR_KEY"
      --password <password>
      curl -u user:pass https://example.com
      password=dummy, token=test-token, secret=example
      jdbc:postgresql://localhost/app?user=app&password=<pw>`,
    "earlier placeholders": `
      DB_PASSWORD=__SECRET_password_abcdefghijkl__
      Authorization: Bearer __SECRET_bearer_token_a2b3c4d5e6f7__
      postgres://app:__SECRET_url_password_qwertyuiop23__@db/orders
      {"token": "__SECRET_github_pat_mnbvcxzlkjhg__"}`,
    prose: `
      The password is required and must be at least 8 characters.
      Forgot your password? Reset it here.
      The token is expired, please sign in again.
      Never commit secrets: rotate the key if you do.
      Bearer authentication is required for this endpoint.
      Basic usage: run the command with a token.
      Error: invalid token '}' at position 12
      SyntaxError: Unexpected token < in JSON at position 0
      The secret to good tests is determinism.
      Enter your password: 
      Your API key can be found in the dashboard under Settings.
      We store the password hashed with bcrypt and a salt.
      A private key begins with a BEGIN line and ends with an END line.
      Passwords do not match. Try again.
      the auth token has the format header.payload.signature
      key: the name of the setting; value: its text
      Use a passphrase of four words, a password of twelve characters, or a key.
      Permission denied (publickey,password).
      sudo: a password is required
      remote: Invalid username or password.
      The primary key is the id, the secondary key the name.
      401 Unauthorized: token was revoked yesterday
      Das Passwort muss mindestens zehn Zeichen haben.
      Token rotation happens every 30 days; secret scanning runs nightly.
      | Option | Default | \`password\` | none |
      pass the token to the client, then the secret to the server
      password reset for user 4711 was requested twice
      It costs 12,000 tokens; max tokens per minute is 450,000.`,
    "documented examples": `
      aws_access_key_id = ${documented.id}
      aws_secret_access_key = ${documented.secret}
      card 4242 4242 4242 4242 in test mode
      call +1 555 0100 or write to someone@example.com
      ssn 000-00-0000 in the form, 123-45-6789 in the docs
      mail admin@example.org, info@example.net, noreply@acme.com
      root@localhost, user@host, you@yourdomain.com
      192.0.2.1, 198.51.100.7 and 2001:db8::1 are for documents`,
    "public ids": `
      "client_id": "app-frontend", "tenant": "common"
      "kid": "2026-03-key-1", "alg": "RS256", "use": "sig"
      arn:aws:iam::123456789012:role/deploy
      projects/acme/secrets/db-password/versions/latest
      SECRET_NAME=prod/db/password
      key_vault_name: acme-vault, secret_name: db-password`,
  }),
  ...drawn({
    "stripe publishable": (r) => `STRIPE_PUBLISHABLE_KEY=pk_live_${chars(r, "an", 24)}`,
    "posthog public": (r) => `posthog.init("phc_${chars(r, "an", 43)}", { api_host: "/ingest" })`,
    "twilio account": (r) => `TWILIO_ACCOUNT_SID=AC${chars(r, "hex", 32)}`,
    "google oauth client": (r) => `client_id=${chars(r, "d", 12)}-${chars(r, "low", 32)}.apps.googleusercontent.com`, // prettier-ignore
    "aws ids": (r) =>
      `"RoleId": "AROA${chars(r, "b32", 17)}", "UserId": "AIDA${chars(r, "b32", 17)}"`,
    "aws account resource": (r) => `i-0${chars(r, "hex", 16)} in vpc-0${chars(r, "hex", 16)}, ami-0${chars(r, "hex", 16)}`, // prettier-ignore
    "analytics id": (r) =>
      `gtag("config", "G-${chars(r, "up", 10)}"); ga("UA-${chars(r, "d", 8)}-1")`,
    "mapbox public": (r) => `accessToken: "pk.eyJ1IjoiYWNtZSJ9.${chars(r, "w", 22)}"`,
    "ssh public key": (r) =>
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${chars(r, "b64", 43)} ada@laptop`,
    "ssh rsa public": (r) => `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${chars(r, "b64", 338)}= ci@${word(r)}`, // prettier-ignore
    "known hosts": (r) => `github.com ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBB${chars(r, "b64", 86)}=`, // prettier-ignore
    certificate: (r) => `${begin} CERTIFICATE-----\n${lines(`MIIDdzCCAl+gAwIBAgIE${chars(r, "b64", 620)}`)}\n${end} CERTIFICATE-----`, // prettier-ignore
    "public key": (r) => `${begin} PUBLIC KEY-----\n${lines(`MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${chars(r, "b64", 356)}`)}\n${end} PUBLIC KEY-----`, // prettier-ignore
    "certificate request": (r) => `${begin} CERTIFICATE REQUEST-----\n${lines(`MIICijCCAXICAQAwRTEL${chars(r, "b64", 300)}`)}\n${end} CERTIFICATE REQUEST-----`, // prettier-ignore
    "pgp signature": (r) => `${begin} PGP SIGNATURE-----\n\n${lines(`iQIzBAABCAAdFiEE${chars(r, "b64", 500)}`)}\n=${chars(r, "b64", 4)}\n${end} PGP SIGNATURE-----`, // prettier-ignore
    "kube ca data": (r) => `    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t${chars(r, "b64", 300)}=`, // prettier-ignore
    "jwks": (r) => `{"kty":"RSA","use":"sig","kid":"${chars(r, "low", 10)}","n":"${chars(r, "w", 342)}","e":"AQAB"}`, // prettier-ignore
    "vault ciphertext": (r) =>
      `$ANSIBLE_VAULT;1.1;AES256\n${chars(r, "d", 80)}\n${chars(r, "d", 80)}`,
    "sops ciphertext": (r) => `password: ENC[AES256_GCM,data:${chars(r, "b64", 16)},iv:${chars(r, "b64", 43)}=,tag:${chars(r, "b64", 22)}==,type:str]`, // prettier-ignore
    "wireguard public": (r) => `PublicKey = ${chars(r, "b64", 42)}A=\nAllowedIPs = 10.8.0.0/24`,
    "age recipient": (r) => `age: age1${chars(r, "low", 58)}`,
    "key in code test": () => `if (text.includes("${begin} RSA PRIVATE KEY-----")) fail();`,
    "failed luhn": (r) => `order ${notLuhn(r)} shipped, tracking 1Z${chars(r, "up", 16)}`,
    "bar codes": (r) => `isbn 978-${r.int(0, 9)}-${chars(r, "d", 3)}-${chars(r, "d", 5)}-${r.int(0, 9)}, ean 40${chars(r, "d", 11)}, sku ${chars(r, "UP", 2)}-${chars(r, "d", 6)}`, // prettier-ignore
    "svg numbers": (r) => `<path d="M${r.int(10, 90)}.${chars(r, "d", 6)}, ${r.int(10, 90)}.${chars(r, "d", 6)} L${r.int(1, 99)}.5,${r.int(1, 99)}.25 Z"/>`, // prettier-ignore
    "dates of releases": (r) => `released: 1999-0${r.int(1, 9)}-1${r.int(0, 9)}, updated 11/03/2026, v${r.int(1, 9)}.0 of 12.05.2025`, // prettier-ignore
    "epoch times": (r) => `{"createdAt": 17${chars(r, "d", 11)}, "expires": 17${chars(r, "d", 8)}, "nonce": ${r.int(1, 9)}${chars(r, "d", 15)}}`, // prettier-ignore
    "theme cookies": (r) => `Cookie: theme=dark; lang=en; _ga=GA1.2.${chars(r, "d", 9)}.${chars(r, "d", 10)}`, // prettier-ignore
    "file modes": (r) => `-rw------- 1 root root ${r.int(100, 9999)} Mar  3 10:11 id_rsa\n-rw-r--r-- 1 root root ${r.int(100, 999)} Mar  3 10:11 id_rsa.pub`, // prettier-ignore
  }),
];
