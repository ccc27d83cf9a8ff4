import { drawn, listed } from "./family.ts";

/** What agents read and write about secrets all day, with none of them in it. */
export const workFamilies = [
  ...listed({
    "code that handles tokens": `
      function getToken(name: string): string | undefined { return cache.get(\`token:\${name}\`); }
      const tokenSchema = z.string().min(1).describe("API token");
      const token = await getSecret("prod/db/password-v2");
      const apiKey = config.get<string>("services.openai.apiKey");
      const apiKey = requireEnv("OPENAI_API_KEY");
      const password = await promptPassword("Enter the password for user1");
      const secret = loadSecret("my-app/db/credentials1");
      token = t("auth.token_label_2")
      password = getpass.getpass("Password2: ")
      api_key = os.environ.get("OPENAI_API_KEY", "")
      api_key: str = Field(default="", description="The API key v2")
      parser.add_argument("--api-key", default=None, help="API key; defaults to $API_KEY2")
      flag.String("token", "", "token used for the v2 API")
      @click.option("--password", prompt=True, hide_input=True, confirmation_prompt=True)
      describe("token rotation v2", () => { it("returns 401 when the token is expired2", async () => {
      test("[TK12] password hash differs from password1", () => {
      def test_login_with_wrong_password_returns_401(self):
      const KEY_PREFIX = "sess_v2_";
      const TOKEN_HEADER = "x-auth-token-v2";
      const SECRET_NAME = "projects/123/secrets/app2/versions/1";
      export const API_KEY_REGEX = /^sk-[A-Za-z0-9]{48}$/;
      const passwordField = page.getByLabel("Password2");
      await page.fill('#password2', user.password2);
      await page.fill("input[name=password]", process.env.E2E_PASSWORD2!);
      cy.get('[data-testid="password-input-2"]').type(Cypress.env("PASSWORD2"));
      expect(screen.getByLabelText("Password")).toHaveAttribute("type", "password2");
      expect(result.token).toBe("token");
      expect(wrapper.find('.password').text()).toBe("Must have 8 chars");
      assert response.json()["token"] == expected_token2
      assert user.password != "plain"
      assertEquals("password", field.getType2());
      if (token.startsWith("sk-ant-")) return "anthropic2";
      switch (token.type) { case "Number1": break; }
      setPassword("");
      setToken(null)
      user.setPassword(encoder.encode(rawPassword2));
      client.set_token(token2)
      verify_password("plain-text-1", hashed)
      hash_password("password")
      theme("token.color.primary500")
      getSecret("db/password-prod-2")
      SecretManager.get("API_KEY_V2")
      @Value("\${db.password:}")
      pass_manager = PassManager2()
      cacheKey = \`user:\${id}:v2\`; queryKey: ["user2", id]
      token.value = nextToken2(); token.line = 42; token.col = 7
      typedef struct { char password[64]; int token_len2; } creds_t;
      int token = strtok(buf, " \\t2");
      memset(password, 0, sizeof(password));`,
    tokenizers: `
      {"tokenizer_class": "GPT2Tokenizer", "bos_token": "<|endoftext|>", "eos_token": "<|im_end|>", "pad_token_id": 50256}
      {"unk_token": {"content": "<unk>", "lstrip": false}, "sep_token": "[SEP]", "cls_token": "[CLS]"}
      "special_tokens_map_file": "/models/special_tokens_map.json"
      "added_tokens": [{"id": 0, "content": "<pad>"}]
      stop_tokens = ["<|eot_id|>", "<|im_end|>", "Human1:"]
      tokens = ["Hello", "world2", "foo_bar"]
      "tokens": ["punctuation.definition.string2", "keyword.control"]
      "tokenColors": [{"scope": "string", "settings": {"foreground": "#a1b2c3"}}]
      case Token::Ident("foo2") => {}
      Token("NUMBER1", "42")
      new Token(TokenType.String2, "hello1")
      tokenizer.add_special_tokens({"pad_token": "[PAD1]"})
      lexer.token("STRING2", /"[^"]*"/)
      token("if1", TokenKind.Keyword)
      addToken("left_brace2", c)
      withToken("token")
      useToken("accent-color-500")
      @Value("\${app.token.ttl:3600}")
      p.token = Token{Type: token.IDENT2, Literal: ident}
      let Token { kind, span } = self.peek_token2();`,
    "styles and schemas": `
      .token.keyword { color: #07a; } .token.string2 { color: #690; }
      query { viewer { apiKeys { id name createdAt token } } }
      mutation createToken($input: CreateTokenInput!) { createToken(input: $input) { token { id } } }
      type AuthPayload { token: String! refreshToken: String! expiresAt: DateTime! }
      input LoginInput { email: String!, password: String! }
      {"type": "object", "required": ["token", "password"], "properties": {"token": {"type": "string"}, "password": {"type": "string", "pattern": "^(?=.*[A-Z])(?=.*[0-9]).{8,}$"}}}
      components: { securitySchemes: { ApiKeyAuth: { type: apiKey, in: header, name: X-API-Key } } }
      - name: api_key in: query schema: { type: string, example: abc }`,
    languages: `
      "login.password.placeholder": "Enter your password1"
      password_reset: "Reset your password in 24h"
      password: "Mot de passe (8 caractères minimum)"
      "password": "Passwort (mind. 8 Zeichen)"
      "passwordHint": "At least 8 characters, 1 digit, 1 symbol"
      <td>password</td><td>string, 8 to 64 characters</td>`,
    "sql and tables": `
      CREATE TABLE users (id uuid PRIMARY KEY, password_hash text NOT NULL, api_key_prefix char(8), token_version int DEFAULT 0);
      ALTER TABLE sessions ADD COLUMN refresh_token_id bigint REFERENCES refresh_tokens(id);
      CREATE INDEX idx_api_keys_token ON api_keys (token, created_at2);
      SELECT id, token, password FROM users WHERE token = $1 AND password = $2
      INSERT INTO users (name, password) VALUES ($1, $2)
      INSERT INTO users (name, password) VALUES (?, ?)
      INSERT INTO tokens (id, token) VALUES (:id, :token1)
      INSERT INTO users (name, password_hash) VALUES ('bob', 'md5')
      docker secret create db_password2 ./db_password.txt
      kubectl create secret generic app --from-file=token=./token2.txt`,
    "manifests and pipelines": `
      parser.add_argument("--token", default=os.environ.get("TOKEN1"), help="x")
      :root { --token-color-primary2: #1a2b3c4d; --secret-spacing: 12px; }
      "dependencies": {"jsonwebtoken": "^9.0.2", "@aws-sdk/credential-providers": "3.540.0", "csrf-token2": "1.0.0"}
      env: { TOKEN: \${{ secrets.GITHUB_TOKEN }}, API_KEY: \${{ vars.API_KEY2 }} }
      token: \${{ steps.app-token.outputs.token }}
      NPM_TOKEN: $(NPM_TOKEN_V2)
      - secret: db-password-v2
      secretKeyRef: {name: db-credentials, key: password1}
      valueFrom: {secretKeyRef: {name: app-secret-v2, key: api-key}}
      password = var.db_password
      password = random_password.db2.result
      token = data.vault_generic_secret.app2.data["token"]
      secret_key = module.secrets2.key_arn
      --token-url https://auth.example.com/v2/token
      <input type="password" name="password" value="{{ form.password2 }}">`,
    "logs and errors": `
      "errors.token_expired": "Your token expired 3 days ago, please sign in again"
      FAIL src/auth/token.test.ts > token > refreshes token2 after 3600s
      2026-03-11 INFO token refreshed request_id=7f3a9c21e4b0 user=42
      WARN invalid token at position 1024: unexpected char 0x1F600
      Error: token "abc" is not valid JSON at line 3 column 14
      error: password authentication failed for user "app2"
      FATAL: password authentication failed for user "postgres1" (SQLSTATE 28P01)
      Error: The password must contain at least 8 characters (got 5)
      SyntaxError: Unexpected token '<', "<!DOCTYPE2 "... is not valid JSON
      SyntaxError: Unexpected token 'export1' in module
      ERR_INVALID_TOKEN2: token_exp_2026 malformed
      expect(body.error).toBe("invalid_token2");
      if (password.length < 8) throw new Error("Password too short: min 8");
      PASS src/token.test.ts (5.123 s)
      password: [redacted], token: ***, api_key: ••••••••1234
      password=%s token=%d user=%s
      token ending in 4f2a, key ending in ...9xYz
      API key: sk-...abcd (masked), token: ghp_****1234`,
    "documentation and markup": `
      The api_key parameter is \`required1\` for all calls.
      Set \`API_KEY\` to \`your-api-key-1\` before running.
      Set \`token\` to \`null\` to log out.
      | password | string | required | 8+ chars |
      | \`api_key\` | \`string\` | yes | API key v2 |
      | token | count2 |
      <input name="token" type="hidden" value="<%= csrf_token2 %>">
      <label for="password" class="form-label-2">Password</label>
      <key>password-policy</key><string>strong2</string>
      <th>Token</th><th>Count2</th>
      <name>token</name><value>default</value>
      <PasswordRequired>true</PasswordRequired>
      <PublicKeyToken>b77a5c561934e089</PublicKeyToken>
      Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089
      "publicKeyToken": "31bf3856ad364e35"
      data-token-id="tok_123" aria-label="token2"`,
    "names of keys": `
      private_key_file = "/etc/ssl/private/server2.key"
      token_file: "C:\\\\Users\\\\bob2\\\\token.txt"
      if token.kind == "identifier2": pass
      "csrfTokenName": "_csrf2", "xsrfCookieName": "XSRF-TOKEN2"
      key: "token-list-item-2", secretSauce: true
      "idToken": null, "accessToken": undefined
      accessTokenLifetime: 3600, refreshTokenLifetime: 1209600
      access_token_url = "https://login.example.com/oauth2/v2.0/token"
      token_type=Bearer&expires_in=3600&scope=read2
      passwordless: true, passkey: "enabled2"
      "passRate": "98.5", "passCount": 1200
      bypass: "cache2", compass: "north1", passenger: "ada2"
      secretary: "Ms. Jones2", authors: ["ada1"], author: "bob2"
      keyword: "token2", keyboard: "qwerty1", monkey: "see2"
      authority: "https://login.example.com/tenant2"
      authentication: "required2", authorization: "rbac2"
      primaryKey: "user_id2", foreignKey: "account_id2", partitionKey: "pk2"
      sortKey: "created_at2", objectKey: "uploads/2026/a1.png", s3Key: "data/2026/b2.csv"
      publicKey: "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"
      host_key_algorithms: ssh-ed25519,rsa-sha2-512
      kid: "key-2024-01", alg: "RS256", use: "sig"
      "keyId": "a1b2c3d4-e5f6-7890-abcd-ef1234567890"
      KMS_KEY_ID=alias/app-key2
      PASSWORD_MIN_LENGTH=8 TOKEN_TTL=3600 AUTH_METHOD=oauth2
      AUTH_BACKEND=django.contrib.auth.backends.ModelBackend2
      SECRET_BACKEND=airflow.providers.hashicorp.secrets.vault.VaultBackend2
      return token.type === 'rule2' && token.value !== "x1"
      #define TOKEN_STRING2 "TOKEN_STRING2"
      #define AUTH_TOKEN_MAX_LEN 256`,
    "commands with references": `
      curl -H "Authorization: Bearer $TOKEN1" https://api.example.com
      curl -H "X-Api-Key: $(cat key2.txt)" https://x
      --password-file=/run/secrets/pg_password2
      --key-file ~/.ssh/id_rsa2 --cert server1.crt
      ssh_key_path: ~/.ssh/deploy_key_2024
      aws_access_key_id_env: AWS_ACCESS_KEY_ID2
      SSH_AUTH_SOCK=/tmp/ssh-XXXXabc123/agent.4242
      XAUTHORITY=/run/user/1000/gdm/Xauthority2
      GPG_TTY=/dev/pts/2 SSH_KEY_TYPE=ed25519
      sshpass, pwgen, passwd2, htpasswd-tools
      run: echo "token length is \${#TOKEN2}"
      kubectl get secret db-password-v2 -o jsonpath='{.data.password}'
      gh secret list --repo acme/app2
      gh secret set API_TOKEN2 < token.txt
      vault kv get -field=password secret/app2
      aws secretsmanager get-secret-value --secret-id prod/db-password2
      op read "op://vault2/item/password"
      pass show email/work2
      config set token.ttl 3600
      git config credential.helper store2
      npm config get //npm.pkg.github.com/:_authToken
      set password_policy strict2
      ENV PASSWORD_FILE /run/secrets/pw2
      ARG TOKEN
      export PASSWORD
      unset API_KEY2`,
  }),
  ...drawn({
    "secret of a cluster": () => "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db-secret2\n      key: db-password\n- name: PORT\n  value: \"8080\"", // prettier-ignore
    "ports after a secret": () => "env:\n- name: API_TOKEN\n  valueFrom:\n    secretKeyRef:\n      key: token\n      name: app\nports:\n- name: http\n  value: 8080x1", // prettier-ignore
    "variable without a default": () => "variable \"db_password\" {\n  type = string\n  sensitive = true\n}\nvariable \"port\" {\n  default = \"8080a1\"\n}", // prettier-ignore
    "time to live": () => "variable \"token_ttl\" {\n  default = \"3600s\"\n}", // prettier-ignore
    "output of a secret": () => "output \"db_password\" {\n  value = aws_db_instance.main2.password\n  sensitive = true\n}", // prettier-ignore
    "columns of a schema": () => "| name | type |\n|---|---|\n| password | string(255) |\n| token | varchar(64) |", // prettier-ignore
    "table of tokens": () => "| token | frequency |\n|---|---|\n| hello1 | 12 |\n| world2 | 7 |", // prettier-ignore
    "counted words": () => "token,count\nhello1,5\nworld2,6\n", // prettier-ignore
    "lemmas": () => "key,token,lemma\n1,running2,run\n", // prettier-ignore
    "passwords that are set": () => "id,password,note\n1,set,ok\n2,unset,ok\n", // prettier-ignore
  }),
];
