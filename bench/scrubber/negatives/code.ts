import { chars, word } from "../corpus/template.ts";
import { drawn, listed } from "./family.ts";

/** Code, settings and styles whose names speak of secrets and whose values are none. */
export const codeFamilies = [
  ...drawn({
    "css colours": (r) => `--accent: #${chars(r, "hex", 6)}; color: #${chars(r, "hex", 8)}; background: #${chars(r, "hex", 3)};`, // prettier-ignore
    "minified javascript": (r) => `!function(e,t){"use strict";var n=t(${r.int(100, 999)}),o=n.n(r),i={tokens:[],secretKey:function(e){return e&&e.__esModule?e:{default:e}},password:a.string.isRequired,auth:!0};e.exports=i}(window,${chars(r, "lo", 2)});`, // prettier-ignore
    semver: (r) => `"${word(r)}-token": "^${r.int(0, 20)}.${r.int(0, 40)}.${r.int(0, 9)}-rc.${r.int(1, 9)}+build.${r.int(1, 99)}",`, // prettier-ignore
    timestamps: (r) => `2026-03-${r.int(10, 28)}T10:${r.int(10, 59)}:12.${chars(r, "d", 6)}Z token refreshed in ${r.int(1, 99)}ms, next at ${r.int(1_760_000_000, 1_790_000_000)}`, // prettier-ignore
    "token counts": (r) => `{"usage": {"input_tokens": ${r.int(100, 99_999)}, "output_tokens": ${r.int(1, 999)}, "max_tokens": 8192, "cache_read_input_tokens": ${r.int(1, 99_999)}}}`, // prettier-ignore
    "database keys": (r) => `PRIMARY KEY (${word(r)}_id), FOREIGN KEY (user_id) REFERENCES users (id), KEY idx_${word(r)} (created_at)`, // prettier-ignore
    "react keys": (r) => `{items.map((item) => <Row key={item.id} accessKey="s" tokenKey={\`${word(r)}-\${item.id}\`} />)}`, // prettier-ignore
    translations: (r) => `"password.label": "Password", "password.hint": "At least ${r.int(8, 20)} characters", "token.expired": "Your session has expired"`, // prettier-ignore
    "css classes": (r) => `.password-input, .token-list__item--${word(r)} { secret-border: none; }`,
    "assertion": (r) => `expect(tokens).toHaveLength(${r.int(1, 99)}); expect(password.length).toBeGreaterThan(${r.int(6, 12)});`, // prettier-ignore
    "array index": (r) => `token = tokens[${r.int(0, 9)}]; key = keys[i + ${r.int(1, 9)}]; secret = secrets.pop();`, // prettier-ignore
    "long identifiers": (r) => `const is${word(r)}PasswordResetTokenExpirationPolicyEnabled = getPasswordPolicyFor${word(r)}Tenant(tenantId);`, // prettier-ignore
    paths: (r) =>
      `/home/dev/${word(r)}/src/auth/password-reset/token-service.spec.ts:${r.int(1, 400)}:12`,
    "secret path": (r) => `secret_key_file: /run/secrets/${word(r)}_key\npassword_file: /etc/${word(r)}/password.txt`, // prettier-ignore
    "test output": (r) => `✓ rejects an invalid token (${r.int(1, 90)} ms)\n✓ hashes the password ${r.int(1, 9)} times\nTests: ${r.int(10, 900)} passed`, // prettier-ignore
    "url without secrets": (r) => `https://docs.example.com/auth/${word(r)}?page=${r.int(1, 9)}&sort=token&key=name#password-reset`, // prettier-ignore
    "key bindings": (r) => `{"key": "ctrl+shift+${chars(r, "lo", 1)}", "command": "token.next", "when": "editorTextFocus"}`, // prettier-ignore
    pagination: (r) => `{"next_page_token": "${chars(r, "an", 24)}", "items": []}`,
    "partition key": (r) => `partition_key = "${word(r)}#${r.int(1000, 9999)}"\nsort_key = "created_at"\nrouting_key: orders.${word(r)}.created`, // prettier-ignore
    "regular expression": (r) => `const pattern = /^[A-Za-z0-9_-]{${r.int(20, 40)}}$/; const key = /sk-[a-z]+-${chars(r, "lo", 3)}/;`, // prettier-ignore
    "model names": (r) => `model: claude-3-5-sonnet-202410${r.int(10, 28)}, tokenizer: cl100k_base, key_model: gpt-4o-mini-2026-0${r.int(1, 9)}-18`, // prettier-ignore
    "sk inside words": (r) => `risk-on-${word(r)}-assets-${word(r)}-portfolio task-runner-${word(r)}-configuration-file disk-usage-${word(r)}-report-generator`, // prettier-ignore
    "email of commits": (r) => `Co-authored-by: ${word(r)} <${r.int(1000, 99_999)}+${word(r)}@users.noreply.github.com>`, // prettier-ignore
    "ssh addresses": (r) => `git@github.com:acme/${word(r)}.git\nscp a.txt deploy@${word(r)}.example.com:/srv/`, // prettier-ignore
    "package at version": (r) => `npm install ${word(r)}@${r.int(1, 20)}.2.0 @types/${word(r)}@latest @scope/auth-token@^3.1.0`, // prettier-ignore
    "numbers in logs": (r) => `processed ${chars(r, "d", 12)} rows in ${chars(r, "d", 6)} ms, order ${r.int(1_000_000_000, 1_999_999_999)} offset ${chars(r, "d", 10)}`, // prettier-ignore
    "version addresses": (r) => `listening on 127.0.0.1:${r.int(3000, 9000)}, peers 10.0.0.${r.int(2, 250)} 192.168.1.${r.int(2, 250)}, build 1.${r.int(1, 99)}.0.4`, // prettier-ignore
    "ports and ids": (r) => `docker run -p ${r.int(1024, 9999)}:80 -u 1000:1000 --name ${word(r)} app:1.2`, // prettier-ignore
  }),
  ...listed({
    "secret-like names": `
      max_tokens: 4096, temperature: 0.2, token_type: bearer
      primary_key=user_account_id
      password_hash_algorithm = "argon2id"
      const tokenizer = new Tokenizer(vocabulary);
      secretName: db-credentials
      keyboard.press("Escape"); monkey.patch(); keyof typeof x
      token_endpoint_auth_method: client_secret_basic
      "credential.helper": "osxkeychain"
      passwordPolicy: strong, tokenLifetime: 3600, secretRotation: enabled
      SecretManagerServiceClient.accessSecretVersion(name)
      "tokenizationId": "a1b2c3d4", "authorizationType": "NONE"
      csrf_token_field_name = "authenticity_token"
      password_reset_timeout_days = 3
      api_key_header_name = "X-Api-Key"
      public_key_path = "~/.ssh/id_ed25519.pub"
      vaultKey: 'secret/data/app', vaultPath: 'kv/app'
      secret_id = aws_secretsmanager_secret.db.id
      key_id: alias/app-key, kms_key_arn: arn:aws:kms:eu-west-1:123456789012:key/app
      auth: oauth2, scheme: bearer, key: value
      <label for="password">Password</label><input id="password" type="password" name="password">`,
    "types and parameters": `
      function login(user: string, password: string): Promise<Token> {
      password: string;
      apiKey?: string
      api_key: str | None = None
      def connect(host, password=None, token=None):
      token: Optional[str] = Field(default=None, description="Bearer token")
      public String getPassword() { return this.password; }
      private final SecretKey secretKey;
      let token: String = try await client.token()
      func NewClient(apiKey string, secret []byte) (*Client, error)
      pub fn verify(token: &str, secret: &[u8]) -> Result<Claims>
      password = serializers.CharField(write_only=True)
      token = models.CharField(max_length=64, unique=True)
      password VARCHAR(255) NOT NULL, token TEXT, api_key CHAR(32)
      "password": {"type": "string", "minLength": 8, "format": "password"}
      const { secret, token, password } = options;
      z.object({ password: z.string().min(8), token: z.string() })
      interface Auth { token: string; refreshToken: string | null }`,
    expressions: `
      this.token = await this.readToken(options);
      if (token === undefined) return next(token);
      password => hash(password)
      token = jwt.encode(payload, settings.SECRET_KEY, algorithm="HS256")
      secret = base64.b64decode(encoded_secret)
      api_key = config.get("api_key")
      const password = generatePassword(16);
      user.password = bcrypt.hashSync(password, 10)
      auth_token = request.headers.get("Authorization")
      headers["Authorization"] = f"Bearer {token}"
      headers: { Authorization: \`Bearer \${accessToken}\` }
      secrets: inherit
      password: faker.internet.password()
      key = derive_key(password, salt, iterations)
      let secret = std::env::var("API_SECRET").expect("API_SECRET");
      tokens = tokenizer.encode(text); len(tokens)
      $password = $_POST['password'];
      string password = Console.ReadLine();
      token := os.Getenv("API_TOKEN")
      System.getenv("DB_PASSWORD")`,
  }),
];
