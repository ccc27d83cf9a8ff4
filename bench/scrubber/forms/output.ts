import { must } from "../corpus/marks.ts";
import { bareForms, namedForms, namedWordForms } from "./form.ts";

const green = "\u001b[32m";
const bold = "\u001b[1m";
const reset = "\u001b[0m";

/** Logs, colours, tables and sentences. */
export const outputForms = [
  ...namedWordForms({
    "log pair": ({ snake, value }) =>
      `2026-03-11T10:11:12Z INFO boot: host=${must("db-1")} ${snake}=${value} port=80`,
    "log sentence": ({ env, value }) => `[worker-3] loaded ${env}: ${value} from the environment`,
    "log, logfmt quoted": ({ snake, value }) => `level=info msg="start" ${snake}="${value}" n=3`,
    "colour between": ({ env, value }) =>
      `${green}${env}${reset}=\u001b[33m${value}${reset}\nPORT=80`,
    "colour around the value": ({ snake, value }) => `${snake}: ${bold}${value}${reset} (set)`,
    "colour around the sign": ({ env, value }) => `${env}\u001b[90m=${reset}${value}\n`,
    "256 colours": ({ env, value }) => `\u001b[38;5;208m${env}${reset}: \u001b[38;2;1;2;3m${value}${reset}`, // prettier-ignore
    "markdown table": ({ env, value }) => `| name | value |\n|---|---|\n| ${env} | ${value} |\n`,
    "markdown table, code": ({ env, value }) => `| \`${env}\` | \`${value}\` |\n| PORT | 80 |`,
    "markdown list": ({ words, value }) => `- **${words}**: \`${value}\`\n- host: a`,
    "box table": ({ env, value }) => `│ ${env} │ ${value} │\n└──────┴─────┘`,
    "next line": ({ words, value }) => `Your ${words}:\n\n    ${value}\n\nKeep it safe.`,
    "sentence, is": ({ words, value }) => `The ${words} is ${value}, use it for the call.`,
    "sentence, colon": ({ words, value }) => `Here is the ${words}: ${value}`,
    "sentence, code": ({ env, value }) => `Set \`${env}\` to \`${value}\` and run it again.`,
    "sentence, env": ({ env, value }) => `I ran it with ${env}=${value} and it worked.`,
    "error text": ({ snake, value }) => `Error: invalid ${snake} '${value}' at client.ts:12`,
    "todo comment": ({ env, value }) => `// remove before commit: ${env}=${value}`,
  }),
  ...namedForms({
    "log json": ({ snake, value }) =>
      `{"level":"info","time":1760000000,"ctx":{"${snake}":"${value}"},"msg":"start"}`,
    "python repr": ({ snake, value }) => `Config(host='a', ${snake}='${value}', port=80)`,
    "node inspect": ({ camel, value }) => `{\n  host: 'a',\n  ${camel}: '${value}',\n  port: 80\n}`,
    "rust debug": ({ snake, value }) => `Config { host: "a", ${snake}: "${value}", port: 80 }`,
    "go %+v": ({ pascal, value }) => `&{Host:a ${pascal}:${value} Port:80}`,
    "ruby inspect": ({ snake, value }) => `{"host"=>"a", "${snake}"=>"${value}"}`,
    "jq colours": ({ snake, value }) =>
      `{\n  ${reset}\u001b[34;1m"${snake}"${reset}${bold}:${reset} \u001b[0;32m"${value}"${reset}\n}`,
    traceback: ({ snake, value }) =>
      `  File "app.py", line 9, in run\n    connect(${snake}="${value}")\nTimeoutError: gone`,
  }),
  ...bareForms({
    sentence: ({ value }) => `I used ${value} for the call and got 401.`,
    "end of a sentence": ({ value }) => `It answers only to ${value}.`,
    backticks: ({ value }) => `Paste \`${value}\` there.`,
    "json list": ({ value }) => `["a", "${value}", "b"]`,
    "line of its own": ({ value }) => `created:\n${value}\ndone`,
    "whole text": ({ value }) => value,
    bullet: ({ value }) => `* ${value}\n* other`,
    parentheses: ({ value }) => `revoked the old one (${value}) today`,
    "vendor's error": ({ value }) => `401 Incorrect API key provided: ${value}. See the docs.`,
    "code comment": ({ value }) => `# was ${value} until May\nrun()`,
    "positional argument": ({ value }) => `cli login ${value}\nok`,
    "csv cell": ({ value }) => `7,ada,${value},2026-03-01\n`,
    "value of a plain name": ({ value }) => `{"id": 3, "note": "${value}"}`,
    "plain variable": ({ value }) => `const x = "${value}";`,
    "angle brackets": ({ value }) => `see <${value}> there`,
    "colour around": ({ value }) => `${green}${value}${reset}\n`,
  }),
];
