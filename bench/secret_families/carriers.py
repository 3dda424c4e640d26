"""The forms in which a named value is written down: settings files, code, commands, requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

__all__ = ["ALONE", "NAMED", "Carrier", "Words", "camel", "dotted", "kebab", "pascal", "plain", "snake", "upper"]

Words = Sequence[str]
Carrier = Callable[[Words, str], str]


def snake(words: Words) -> str:
    return "_".join(words)


def upper(words: Words) -> str:
    return snake(words).upper()


def camel(words: Words) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])


def pascal(words: Words) -> str:
    return "".join(word.capitalize() for word in words)


def kebab(words: Words) -> str:
    return "-".join(words)


def dotted(words: Words) -> str:
    return ".".join(words)


def plain(words: Words) -> str:
    return " ".join(words)


NAMED: Mapping[str, Carrier] = {
    ".env": lambda name, value: f"LOG_LEVEL=info\n{upper(name)}={value}\nPORT=8080\n",
    ".env in quotes": lambda name, value: f'{upper(name)}="{value}"\n',
    "shell export": lambda name, value: f"export {upper(name)}={value}",
    "shell before a command": lambda name, value: f"{upper(name)}={value} ./deploy.sh --region eu",
    "PowerShell": lambda name, value: f'$env:{upper(name)} = "{value}"',
    "fish": lambda name, value: f"set -gx {upper(name)} {value}",
    "YAML": lambda name, value: f"timeout: 30\n{snake(name)}: {value}\nretries: 3\n",
    "YAML in quotes": lambda name, value: f"  {camel(name)}: '{value}'\n",
    "YAML nested": lambda name, value: f"{name[0]}:\n  region: eu\n  {snake(name[1:]) or 'key'}: {value}\n",
    "YAML block": lambda name, value: f"{snake(name)}: |-\n  {value}\nother: 1\n",
    "JSON": lambda name, value: f'{{"region": "eu", "{camel(name)}": "{value}"}}',
    "JSON upper": lambda name, value: f'  "{upper(name)}": "{value}",',
    "JSON name and value": lambda name, value: f'{{"name": "{upper(name)}", "value": "{value}"}}',
    "JSON key and value": lambda name, value: f'[{{"key": "{kebab(name)}",\n  "value": "{value}"}}]',
    "TOML": lambda name, value: f'[service]\n{snake(name)} = "{value}"\n',
    "properties": lambda name, value: f"{dotted(name)}={value}",
    "INI": lambda name, value: f"[default]\n{snake(name)} = {value}",
    "XML element": lambda name, value: f"<{pascal(name)}>{value}</{pascal(name)}>",
    "XML name and value": lambda name, value: f'<property name="{dotted(name)}" value="{value}"/>',
    "XML add key": lambda name, value: f'<appSettings><add key="{pascal(name)}" value="{value}" /></appSettings>',
    "Python": lambda name, value: f'{upper(name)} = "{value}"',
    "Python argument": lambda name, value: f"client = Client({snake(name)}='{value}', timeout=5)",
    "Python environ": lambda name, value: f'os.environ["{upper(name)}"] = "{value}"',
    "JavaScript": lambda name, value: f'const {camel(name)} = "{value}";',
    "JavaScript object": lambda name, value: f"  {camel(name)}: '{value}',",
    "JavaScript fallback": lambda name, value: f'const key = process.env.{upper(name)} || "{value}";',
    "Go": lambda name, value: f'{camel(name)} := "{value}"',
    "Java": lambda name, value: f'private static final String {upper(name)} = "{value}";',
    "Ruby": lambda name, value: f'{{ :{snake(name)} => "{value}" }}',
    "PHP define": lambda name, value: f"define('{upper(name)}', '{value}');",
    "Rust": lambda name, value: f'let {snake(name)}: &str = "{value}";',
    "C": lambda name, value: f'#define {upper(name)} "{value}"',
    "Kubernetes env": lambda name, value: f"env:\n  - name: {upper(name)}\n    value: {value}\n",
    "Kubernetes env in quotes": lambda name, value: f'- name: {upper(name)}\n  value: "{value}"',
    "Kubernetes stringData": lambda name, value: (
        f"kind: Secret\nmetadata:\n  name: app\nstringData:\n  {kebab(name)}: {value}\n"
    ),
    "Dockerfile": lambda name, value: f"FROM alpine\nENV {upper(name)} {value}\n",
    "docker run": lambda name, value: f"docker run --rm -e {upper(name)}={value} app:latest",
    "compose": lambda name, value: f"environment:\n  - {upper(name)}={value}\n",
    "Terraform": lambda name, value: f'variable "{snake(name)}" {{\n  default = "{value}"\n}}',
    "command-line flag": lambda name, value: f"app login --{kebab(name)} {value}",
    "command-line flag with =": lambda name, value: f"app login --{kebab(name)}={value} --verbose",
    "URL parameter": lambda name, value: f"GET https://api.example.com/v1/items?page=2&{snake(name)}={value}",
    "curl own header": lambda name, value: f'curl -sS https://api.example.com/v1 -H "X-{kebab(name).title()}: {value}"',
    "Markdown table": lambda name, value: f"| {plain(name).capitalize()} | `{value}` |",
    "Markdown list": lambda name, value: f"- **{plain(name).capitalize()}**: `{value}`",
    "a line of notes": lambda name, value: f"{plain(name)}: {value}",
    "SQL": lambda name, value: f"INSERT INTO settings (name, value) VALUES ('{snake(name)}', '{value}');",
    "log line": lambda name, value: f"2025-11-02T10:22:01Z DEBUG config loaded {snake(name)}={value} region=eu",
}

# Without its name: only for families that are known by their shape.
ALONE: Mapping[str, Callable[[str], str]] = {
    "alone": lambda value: value,
    "in a sentence": lambda value: f"I put {value} into the settings page and it works now.",
    "curl bearer": lambda value: f'curl -H "Authorization: Bearer {value}" https://api.example.com/v1/me',
    "in a list": lambda value: f'tokens = ["{value}", other]',
    "in brackets": lambda value: f"see the chat ({value}) and rotate it",
    "end of a sentence": lambda value: f"He pasted {value}.",
    "diff line": lambda value: f'-    return "{value}"',
}
