import { expect, test } from "vitest";
import { alnum, base64, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const sha = drawChars(hex, 40, 1);
const uuid = [8, 4, 4, 4, 12].map((count, index) => drawChars(hex, count, index)).join("-");

const benign: readonly string[] = [
  `commit ${sha}`,
  `git checkout ${sha.slice(0, 7)}`,
  `"id": "${uuid}"`,
  `request_id=${uuid}`,
  `"integrity": "sha512-${drawChars(base64, 86, 2)}=="`,
  `checksum = "${drawChars(hex, 64, 3)}"`,
  `h1:${drawChars(base64, 43, 4)}=`,
  `data:image/png;base64,iVBORw0KGgo${drawChars(base64, 400, 5)}`,
  "color: #a1b2c3; background: #fff0aa80;",
  '"version": "18.2.0-rc.3+build.77"',
  "2026-03-04T05:06:07.123456Z started",
  "import { tokenize } from '@scope/tokenizer-core';",
  "DB_PASSWORD=$DB_PASSWORD",
  "DB_PASSWORD=${DB_PASSWORD:-}",
  'password: "${{ secrets.DB_PASSWORD }}"',
  "const token = process.env.API_TOKEN;",
  'token = os.environ["API_TOKEN"]',
  "password = os.getenv('DB_PASSWORD')",
  "api_key = config.api_key",
  "API_KEY=<your-api-key>",
  "API_KEY=your-api-key-here",
  "PASSWORD=********",
  "password: changeme",
  'password: "{{ vault_password }}"',
  "token: %TOKEN%",
  "the token is expired",
  "The password is required and must be at least 8 characters",
  "Forgot your password? Reset it here.",
  '{"max_tokens": 4096, "token_type": "bearer", "prompt_tokens": 1234}',
  "primary_key=user_account_id",
  "sort_key: created_at_timestamp",
  "PRIMARY KEY (id), FOREIGN KEY (user_id) REFERENCES users (id)",
  "cache_key = build_cache_key(user, page)",
  '"password": {"type": "string", "minLength": 8}',
  "password: string;",
  "function login(user: string, password: string): Promise<Token> {",
  "const passwordInput = document.querySelector('#password');",
  "if (token === undefined) return next(token);",
  "this.token = await this.readToken(options);",
  "public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI",
  `-----BEGIN CERTIFICATE-----\n${drawChars(base64, 64, 6)}\n-----END CERTIFICATE-----`,
  `-----BEGIN PUBLIC KEY-----\n${drawChars(base64, 64, 7)}\n-----END PUBLIC KEY-----`,
  'if (text.includes("-----BEGIN RSA PRIVATE KEY-----")) fail();',
  "risk-on-assets-are-up-and-the-task-manager-runs",
  "https://example.org/path?page=2&sort=asc#token",
  "git@github.com:owner/repo.git",
  "https://user@example.org/path",
  "http://localhost:3000/@scope/name",
  "postgres://$USER:$PASSWORD@localhost/db",
  "postgres://user:<password>@host/db",
  "Authorization: Bearer $TOKEN",
  "Authorization: Bearer <token>",
  "Bearer authentication is required",
  "Basic usage: run the command",
  "Cookie: theme=dark; lang=en",
  "docker run -p 8080:80 -u 1000:1000 app",
  "mkdir -p src/components",
  'keyboard.press("Escape"); monkey.patch(); keyof typeof x',
  "secretName: db-credentials",
  "tests passed: 1200, pass: 1188, fail: 12",
  "PWD=/home/user/project",
  'token_url = "https://auth.example/token"',
  `next_page_token: ${drawChars(alnum, 24, 8)}`,
  'password_hash_algorithm = "argon2id"',
  'ENTRYPOINT ["docker-entrypoint.sh"]',
  `"session_id": "${uuid}"`,
  "eyJhIjoxfQ is base64 of a small object",
  `src="data:font/woff2;base64,d09GMgABAAAAA${drawChars(base64, 200, 9)}"`,
  `Cargo.lock: checksum = "${drawChars(hex, 64, 10)}"`,
  `MAPBOX_TOKEN=${["pk", "eyJ1Ijoi"].join(".")}${drawChars(alnum, 40, 12)}.${drawChars(alnum, 22, 13)}`,
  `POSTHOG_KEY=phc_${drawChars(alnum, 40, 14)}`,
  `encryptedData:\n  password: AgBy${drawChars(base64, 300, 15)}`,
  `api_key: ENC[AES256_GCM,data:${drawChars(base64, 40, 16)},type:str]`,
  '"auth-token": "^2.0.1-beta.3"',
  "jsonwebtoken: ~9.0.2-rc.1+build.5",
  "auth: oauth2, scheme: bearer, key: value",
  "const { secret, token, password } = options;",
  "export SECRET_KEY_FILE=/run/secrets/key",
  "password => hash(password)",
  'label: "Password", placeholder: "Enter your password"',
  "tokens = tokenizer.encode(text); len(tokens)",
  "Error: invalid token '}' at position 12",
  "unexpected token: identifier",
  "x-amz-content-sha256: UNSIGNED-PAYLOAD",
  "key: Ctrl+Shift+P",
  "api_key: str | None = None",
  "apiKey?: string",
  "passwd: files systemd",
  "#define OBJ_challengePassword   OBJ_pkcs9,7L",
  "#define aes128_set_encrypt_key nettle_aes128_set_encrypt_key",
  "the header identified by `name` is current",
  "'encodehtml',\n  'encodepassword',\n  'encodequery',",
  "if token is Comment.Preproc:",
  "readFile('/etc/passwd', 'utf8', callback);",
  "[Pre-shared keys]: #pre-shared-keys",
  "a token is `args[token.index]` here",
  "Pass *ResultPass = Resolver->getAnalysis();",
  "static Local<Private> New(Isolate* isolate);",
  "clang -debug-pass=Executions",
];

test.each(benign)("[SC10] stays as it is: %s", (text) => {
  expect(scrubber.scrub(text)).toEqual({ text, findings: [] });
});

test.each(benign)("[SC10] stays as it is inside JSON: %s", (text) => {
  const json = JSON.stringify({ out: JSON.stringify({ line: `a\n${text}\nb` }) });
  expect(scrubber.scrub(json).text).toBe(json);
});

test("[SC10] a lock file is searched for shapes alone", () => {
  const text = `"token": "${drawChars(alnum, 40, 11)}"`;
  expect(scrubber.scrub(text, { path: "app/package-lock.json" }).text).toBe(text);
  expect(scrubber.scrub(text, { path: "app/settings.json" }).text).not.toBe(text);
});
