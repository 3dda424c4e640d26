"""Forms in which a named value is written down, none of them on the first list: languages, tools, logs, dumps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bench.secret_families.carriers import Carrier, camel, dotted, kebab, pascal, plain, snake, upper

__all__ = ["ALONE", "NAMED"]

NAMED: Mapping[str, Carrier] = {
    "Kotlin": lambda name, value: f'private const val {upper(name)} = "{value}"',
    "Swift": lambda name, value: f'    static let {camel(name)}: String = "{value}"',
    "C#": lambda name, value: f'public static readonly string {pascal(name)} = @"{value}";',
    "C# settings": lambda name, value: (
        f'{{\n  "Logging": {{"Level": "Info"}},\n  "Api": {{\n    "{pascal(name)}": "{value}"\n  }}\n}}'
    ),
    "C++": lambda name, value: f'const std::string k{pascal(name)}{{"{value}"}};',
    "Scala": lambda name, value: f'  val {camel(name)} = sys.env.getOrElse("{upper(name)}", "{value}")',
    "Elixir": lambda name, value: f'config :shop, Shop.Api,\n  {snake(name)}: "{value}",\n  timeout: 5_000',
    "Clojure": lambda name, value: f'{{:port 8080 :{kebab(name)} "{value}"}}',
    "Perl": lambda name, value: f"$ENV{{{upper(name)}}} = '{value}';",
    "Lua": lambda name, value: f'local {snake(name)} = "{value}" -- staging',
    "R": lambda name, value: f'Sys.setenv({upper(name)} = "{value}")',
    "Dart": lambda name, value: f"  static const {camel(name)} = '{value}';",
    "Go struct": lambda name, value: f'cfg := Config{{\n\tRegion: "eu",\n\t{pascal(name)}: "{value}",\n}}',
    "Java map": lambda name, value: f'settings.put("{dotted(name)}", "{value}");',
    "Java property": lambda name, value: f"java -Xmx2g -D{dotted(name)}={value} -jar app.jar",
    "Rust environment": lambda name, value: f'std::env::set_var("{upper(name)}", "{value}");',
    "Ruby environment": lambda name, value: f"ENV['{upper(name)}'] ||= '{value}'",
    "Ruby fetch": lambda name, value: f'key = ENV.fetch("{upper(name)}", "{value}")',
    "Python default": lambda name, value: f'{snake(name)} = os.getenv("{upper(name)}", "{value}")',
    "Python annotated": lambda name, value: f'    {snake(name)}: str | None = "{value}"  # TODO',
    "Python dict printed": lambda name, value: f"INFO settings {{'region': 'eu', '{snake(name)}': '{value}'}}",
    "TypeScript": lambda name, value: f"export const {upper(name)}: string = `{value}`;",
    "JavaScript storage": lambda name, value: f'localStorage.setItem("{camel(name)}", "{value}");',
    "JavaScript headers": lambda name, value: f"headers: {{ 'Accept': '*/*', 'X-{kebab(name).title()}': '{value}' }}",
    "PHP array": lambda name, value: f"return [\n    'debug' => false,\n    '{snake(name)}' => '{value}',\n];",
    "PHP dump": lambda name, value: (
        f'array(2) {{\n  ["{snake(name)}"]=>\n  string({len(value)}) "{value}"\n  ["port"]=>\n  int(80)\n}}'
    ),
    "Gradle": lambda name, value: f'    buildConfigField "String", "{upper(name)}", "\\"{value}\\""',
    "Makefile": lambda name, value: f"{upper(name)} := {value}\n\ndeploy:\n\t./deploy.sh",
    "CMake": lambda name, value: f'set({upper(name)} "{value}" CACHE STRING "")',
    "Nix": lambda name, value: f'  services.app.environment = {{ {upper(name)} = "{value}"; }};',
    "HCL attribute": lambda name, value: f'resource "app_service" "main" {{\n  {snake(name):<20} = "{value}"\n}}',
    "tfvars": lambda name, value: f'region = "eu"\n{snake(name)} = "{value}"\n',
    "Terraform variable flag": lambda name, value: f"terraform apply -var '{snake(name)}={value}' -auto-approve",
    "Pulumi": lambda name, value: f"pulumi config set --secret {camel(name)} {value}",
    "Helm set": lambda name, value: f"helm upgrade app ./chart --set app.{camel(name)}={value} --wait",
    "Helm values": lambda name, value: f"auth:\n  enabled: true\n  {camel(name)}: {value}\nreplicaCount: 2\n",
    "kubectl literal": lambda name, value: f"kubectl create secret generic app --from-literal={kebab(name)}={value}",
    "GitHub Actions": lambda name, value: (
        f"    - uses: acme/deploy@v2\n      with:\n        {kebab(name)}: {value}\n        region: eu\n"
    ),
    "GitLab CI": lambda name, value: f'variables:\n  STAGE: "prod"\n  {upper(name)}: "{value}"\n',
    "Azure pipeline": lambda name, value: f"variables:\n- name: {camel(name)}\n  value: '{value}'\n  readonly: true\n",
    "Jenkinsfile": lambda name, value: f"  environment {{\n    STAGE = 'prod'\n    {upper(name)} = '{value}'\n  }}",
    "gh secret": lambda name, value: f'gh secret set {upper(name)} --body "{value}" --repo acme/shop',
    "heroku config": lambda name, value: f"heroku config:set {upper(name)}={value} -a shop",
    "flyctl": lambda name, value: f"fly secrets set {upper(name)}={value}",
    "key vault": lambda name, value: f"az keyvault secret set --vault-name kv1 --name {kebab(name)} --value {value}",
    "parameter store": lambda name, value: (
        f'aws ssm put-parameter --name "/shop/{snake(name)}" --type SecureString --value "{value}"'
    ),
    "systemd unit": lambda name, value: f'[Service]\nUser=app\nEnvironment="{upper(name)}={value}"\n',
    "property list": lambda name, value: f"  <key>{upper(name)}</key>\n  <string>{value}</string>\n",
    "Android strings": lambda name, value: f'<string name="{snake(name)}" translatable="false">{value}</string>',
    "Apache": lambda name, value: f"<VirtualHost *:80>\n  SetEnv {upper(name)} {value}\n</VirtualHost>",
    "nginx header": lambda name, value: f'proxy_set_header X-{kebab(name).title()} "{value}";',
    "supervisor": lambda name, value: f'[program:web]\nenvironment=LANG="C",{upper(name)}="{value}"\n',
    "crontab": lambda name, value: f"MAILTO=ops\n{upper(name)}={value}\n0 3 * * * /opt/backup.sh\n",
    "Windows setx": lambda name, value: f'setx {upper(name)} "{value}" /M',
    "Windows batch": lambda name, value: f"@echo off\r\nset {upper(name)}={value}\r\ncall run.bat\r\n",
    "Windows registry": lambda name, value: f'[HKEY_LOCAL_MACHINE\\SOFTWARE\\Shop]\n"{pascal(name)}"="{value}"\n',
    "Dockerfile argument": lambda name, value: f"FROM node:22\nARG {upper(name)}={value}\nRUN npm ci\n",
    "compose mapping": lambda name, value: f"services:\n  web:\n    environment:\n      {upper(name)}: {value}\n",
    "shell dump": lambda name, value: f'declare -x LANG="C.UTF-8"\ndeclare -x {upper(name)}="{value}"\n',
    "shell default": lambda name, value: f': "${{{upper(name)}:={value}}}"',
    "shell history": lambda name, value: f"  412  cd shop\n  413  export {upper(name)}='{value}'\n  414  make run",
    "notebook": lambda name, value: f"%env {upper(name)}={value}",
    "request file": lambda name, value: f"@{camel(name)} = {value}\n\nGET https://api.example.com/v1/me",
    "request body": lambda name, value: f'curl -X POST https://x.example/v1 -d \'{{"{snake(name)}": "{value}"}}\'',
    "form body": lambda name, value: f"curl https://x.example/v1 -d {snake(name)}={value} -d grant_type=client",
    "escaped JSON log": lambda name, value: f'{{"level":"warn","body":"{{\\"{camel(name)}\\":\\"{value}\\"}}"}}',
    "logfmt": lambda name, value: f'time=2026-02-11T08:00:00Z level=debug msg="config" {snake(name)}="{value}"',
    "traceback": lambda name, value: f"TypeError: connect() got bad argument {snake(name)}={value!r} (expected bytes)",
    "diff": lambda name, value: f"@@ -3,7 +3,7 @@\n-{upper(name)}=\n+{upper(name)}={value}\n PORT=80",
    "SQL update": lambda name, value: f"UPDATE accounts SET {snake(name)} = '{value}' WHERE id = 7;",
    "HTML meta": lambda name, value: f'<meta name="{kebab(name)}" content="{value}">',
    "table with a header": lambda name, value: (
        f"| Setting | Value |\n|---------|-------|\n| {upper(name)} | {value} |\n| REGION | eu |"
    ),
    "reStructuredText": lambda name, value: f":{plain(name).title()}: ``{value}``\n:Region: eu",
    "label on its own line": lambda name, value: f"{plain(name).title()}:\n{value}\n\nRegion:\neu-west-1\n",
}

ALONE: Mapping[str, Callable[[str], str]] = {
    "on a line": lambda value: f"# staging\n{value}\n",
    "argument": lambda value: f"./sync.sh --region eu {value}",
    "constructor": lambda value: f'var client = new Client("{value}");',
    "query parameter": lambda value: f"https://api.example.com/v2/items?k={value}",
    "chat": lambda value: f"try it with {value} and tell me if it works",
    "German chat": lambda value: f"ich nehme jetzt {value}, damit läuft es",
    "blockquote": lambda value: f"> {value}\n\nIs this one still active?",
    "log": lambda value: f"2026-02-11 08:00:00 WARN auth rejected credential={value} ip=10.2.0.7",
    "array": lambda value: f"['{value}', 'eu', 3]",
}
