/** A word that no text holds by chance, beside each secret: what the search must find. */
export function createCanary(random) {
  return `lantern${random}`;
}

/**
 * Hook calls in which an agent comes upon secrets, as agents do: a file it reads out, a remote with
 * a token in its address, a key it writes, a header it sends.
 *
 * @param like a call of the same session, for the members that all calls share
 */
export function plantedCalls(secrets, canary, like) {
  const { session_id, transcript_path, cwd, permission_mode } = like.payload;
  const common = { session_id, transcript_path, cwd, permission_mode };
  const call = (event, members) => ({
    event,
    payload: { ...common, hook_event_name: event, ...members },
  });
  const { awsKeyId, awsSecretKey, githubToken, privateKey, databasePassword, bearerToken } =
    secrets;
  const database = `postgres://spotter:${databasePassword}@db.internal:5432/spotter`;
  const bash = (id, command, stdout) => ({
    tool_name: "Bash",
    tool_use_id: `toolu_planted_${id}`,
    tool_input: { command, description: `Step ${id}` },
    tool_response: { stdout, stderr: "", interrupted: false, isImage: false },
  });
  const failed = (id, command, error) => ({
    tool_name: "Bash",
    tool_use_id: `toolu_planted_${id}`,
    tool_input: { command, description: `Step ${id}` },
    error,
  });
  return [
    call("UserPromptSubmit", {
      prompt: `Fix the ${canary} deploy. The staging database is ${database} and the migration must run against it.`,
    }),
    call(
      "PostToolUse",
      bash(
        "aws",
        "cat ~/.aws/credentials",
        `[${canary}]\naws_access_key_id = ${awsKeyId}\naws_secret_access_key = ${awsSecretKey}`,
      ),
    ),
    call(
      "PostToolUseFailure",
      failed(
        "github",
        `git push https://x-access-token:${githubToken}@github.com/exampleorg/${canary}.git main`,
        `Exit code 128\nremote: Permission denied.\nfatal: unable to access 'https://x-access-token:${githubToken}@github.com/exampleorg/${canary}.git/': The requested URL returned error: 403`,
      ),
    ),
    call("PostToolUse", {
      tool_name: "Write",
      tool_use_id: "toolu_planted_key",
      tool_input: { file_path: `${cwd}/deploy/${canary}.pem`, content: `${privateKey}\n` },
      tool_response: {
        type: "create",
        filePath: `${cwd}/deploy/${canary}.pem`,
        content: `${privateKey}\n`,
      },
    }),
    call(
      "PostToolUseFailure",
      failed(
        "bearer",
        `curl -fsS -H "Authorization: Bearer ${bearerToken}" https://api.example.com/v1/${canary}`,
        `Exit code 22\ncurl: (22) The requested URL returned error: 401\n> Authorization: Bearer ${bearerToken}`,
      ),
    ),
    call("Stop", {
      stop_hook_active: false,
      last_assistant_message: `The root cause of the ${canary} failure was the connection string: the pool must use ${database} with sslmode=require, because the server refuses plain connections.`,
    }),
  ];
}
