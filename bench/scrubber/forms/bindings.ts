import { namedForms, namedWordForms } from "./form.ts";

/** Less common ways in which languages and tools bind a name to a value. */
export const bindingForms = [
  ...namedForms({
    "javascript, nullish": ({ env, camel, value }) => `const ${camel} = process.env["${env}"] ?? "${value}";`, // prettier-ignore
    "javascript, next line": ({ camel, value }) => `const ${camel} =\n  "${value}";\nrun();`,
    "python, or": ({ env, snake, value }) => `${snake} = os.environ.get("${env}") or "${value}"`,
    "python, brackets": ({ env, value }) => `${env} = (\n    "${value}"\n)\n`,
    "python, annotated": ({ snake, value }) => `${snake}: str = "${value}"`,
    "python, option": ({ kebab, value }) => `parser.add_argument("--${kebab}", help="the one in use", default="${value}")`, // prettier-ignore
    "kotlin, elvis": ({ env, camel, value }) => `val ${camel}: String = System.getenv("${env}") ?: "${value}"`, // prettier-ignore
    "rust, unwrap": ({ env, value }) => `let key = env::var("${env}").unwrap_or("${value}".into());`, // prettier-ignore
    "go, bytes": ({ camel, value }) => `var ${camel} = []byte("${value}")`,
    "c, array": ({ snake, value }) => `static char ${snake}[] = "${value}";`,
    "ruby, fetch": ({ env, value }) => `ENV.fetch("${env}") { "${value}" }`,
    "php, nested": ({ snake, value }) => `$config['db']['${snake}'] = '${value}';`,
    "perl, hash": ({ snake, value }) => `my %cfg = (${snake} => '${value}');`,
    "objective-c": ({ camel, value }) => `NSString *${camel} = @"${value}";`,
    "swift, typed": ({ camel, value }) => `let ${camel}: String = "${value}"`,
    "assertion, python": ({ snake, value }) => `assert cfg.${snake} == "${value}"`,
    "assertion, not equal": ({ camel, value }) => `if (given.${camel} !== "${value}") return;`,
    "cloudformation parameter": ({ pascal, value }) => `{ "ParameterKey": "${pascal}", "ParameterValue": "${value}" }`, // prettier-ignore
    "json list": ({ snake, value }) => `{"${snake}": ["${value}"], "n": 1}`,
    "terraform plan": ({ snake, value }) => `  ~ ${snake} = "changeme" -> "${value}"`,
  }),
  ...namedWordForms({
    "hadoop property": ({ kebab, value }) => `<property>\n  <name>${kebab}</name>\n  <value>${value}</value>\n</property>`, // prettier-ignore
    "html table": ({ env, value }) => `<tr><td>${env}</td><td>${value}</td></tr>`,
    "yaml, list": ({ snake, value }) => `${snake}:\n  - ${value}\nport: 80\n`,
    "java toString": ({ camel, value }) => `Config{host=a, ${camel}=${value}, port=80}`,
    "php print_r": ({ snake, value }) =>
      `Array\n(\n    [${snake}] => ${value}\n    [port] => 80\n)`,
    "leader dots": ({ words, value }) => `${words}........: ${value}\nport........: 80`,
    setx: ({ env, value }) => `setx ${env} ${value}`,
    "csh setenv": ({ env, value }) => `setenv ${env} ${value}\nmake`,
    "user secrets": ({ pascal, value }) => `dotnet user-secrets set "App:${pascal}" "${value}"`,
    "vault kv put": ({ snake, value }) => `vault kv put secret/app ${snake}=${value} port=80`,
  }),
];
