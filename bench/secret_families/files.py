"""Whole files and commands that hold a secret in a place of their own: key files, password files, cookies, URLs."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from random import Random

from bench.secret_families.values import Made, expand, password

__all__ = ["FORMS", "Form", "around", "base64_lines", "begin_and_end", "form", "put", "put_password"]

Form = Callable[[Random], tuple[str, str]]  # gives a text and the secret in it


def base64_lines(count: int, width: int, random: Random) -> str:
    return "\n".join(expand(f"{{b:{width}}}", random) for _ in range(count))


def _hex_lines(count: int, random: Random) -> str:
    return "\n".join(expand("{x:32}", random) for _ in range(count))


def begin_and_end(label: str) -> tuple[str, str]:
    return f"-----BEGIN {label}-----\n", f"\n-----END {label}-----\n"


def _block(label: str, random: Random) -> tuple[str, str]:
    before, after = begin_and_end(label)
    body = base64_lines(random.randint(6, 20), 64, random)
    return f"{before}{body}{after}", body


def _base64(value: str) -> str:
    return b64encode(value.encode()).decode()


def around(template: str, value: str) -> tuple[str, str]:
    return template.replace("@@", value), value


def put(template: str, shape: str) -> Form:
    """A form whose secret, at the place marked @@, is made after a template."""
    return lambda random: around(template, expand(shape, random))


def put_password(template: str) -> Form:
    return lambda random: around(template, password(random))


def _kubernetes_data(random: Random) -> tuple[str, str]:
    secret = _base64(password(random))
    return around("apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: @@\n", secret)


def _docker_config(random: Random) -> tuple[str, str]:
    secret = _base64(f"ci:{password(random)}")
    return around('{"auths": {"registry.example.com": {"auth": "@@"}}}', secret)


def _basic_header(random: Random) -> tuple[str, str]:
    return around("GET /v1 HTTP/1.1\nAuthorization: Basic @@\nAccept: */*", _base64(f"ops:{password(random)}"))


def _putty(random: Random) -> tuple[str, str]:
    body = base64_lines(8, 64, random)
    head = "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: key-2025\nPublic-Lines: 1\n"
    return (
        f"{head}{expand('{b:64}', random)}\nPrivate-Lines: 8\n{body}\nPrivate-MAC: {expand('{x:64}', random)}\n",
        body,
    )


def _jwk(random: Random) -> tuple[str, str]:
    secret = expand("{w:43}", random)
    key = {"kty": "EC", "crv": "P-256", "x": expand("{w:43}", random), "y": expand("{w:43}", random), "d": secret}
    return json.dumps(key), secret


def _jwk_symmetric(random: Random) -> tuple[str, str]:
    return around('{"kty": "oct", "alg": "HS256", "kid": "a1", "k": "@@"}', expand("{w:64}", random))


def _openvpn(random: Random) -> tuple[str, str]:
    body = _hex_lines(16, random)
    before, after = begin_and_end("OpenVPN Static key V1")
    return f"<tls-auth>\n{before}{body}{after}</tls-auth>\n", body


def _service_account(random: Random) -> tuple[str, str]:
    body = base64_lines(4, 64, random).replace("\n", "\\n")
    before, after = (part.replace("\n", "\\n") for part in begin_and_end("PRIVATE KEY"))
    return f'{{"type": "service_account", "private_key": "{before}{body}{after}"}}', body


FORMS: Mapping[str, Form] = {
    "RSA private key": lambda random: _block("RSA PRIVATE KEY", random),
    "OpenSSH private key": lambda random: _block("OPENSSH PRIVATE KEY", random),
    "PGP private key": lambda random: _block("PGP PRIVATE KEY BLOCK", random),
    "encrypted private key": lambda random: _block("ENCRYPTED PRIVATE KEY", random),
    "service account JSON": _service_account,
    "PuTTY key file": _putty,
    "JWK with d": _jwk,
    "JWK symmetric": _jwk_symmetric,
    "OpenVPN static key": _openvpn,
    "OpenVPN user file": put_password("<auth-user-pass>\nann\n@@\n</auth-user-pass>"),
    "WireGuard": put("[Interface]\nAddress = 10.0.0.2/32\nPrivateKey = @@\n", "{b:43}="),
    ".pgpass": put_password("db.example.com:5432:orders:app:@@\n"),
    ".netrc": put_password("machine git.example.com login ann password @@\n"),
    ".netrc in lines": put_password("machine git.example.com\n  login ann\n  password @@\n"),
    ".my.cnf": put_password("[client]\nuser=root\npassword=@@\n"),
    ".npmrc": put("//npm.example.com/:_authToken=@@", "{uuid}"),
    ".pypirc": put_password("[internal]\nrepository = https://pypi.example.com\nusername = ci\npassword = @@\n"),
    "git credentials": put("https://ann:@@@git.example.com", "{a:20}"),
    "NuGet config": put_password(
        '<packageSourceCredentials><feed><add key="Username" value="ci" />'
        '<add key="ClearTextPassword" value="@@" /></feed></packageSourceCredentials>'
    ),
    "Maven settings": put_password("<server><id>nexus</id><username>ci</username><password>@@</password></server>"),
    "web.config connection": put_password(
        '<add name="Main" connectionString="Server=db1;Database=app;User Id=sa;Password=@@;" />'
    ),
    "ODBC string": put_password("Driver={ODBC Driver 18};Server=tcp:db1;Uid=app;Pwd=@@;Encrypt=yes;"),
    "JDBC URL": put_password("jdbc:mysql://db1:3306/app?user=app&password=@@&useSSL=true"),
    "postgres URL": put("postgresql://app:@@@db1.example.com:5432/orders", "{a:18}"),
    "mongodb URL": put("mongodb+srv://app:@@@cluster0.example.net/?retryWrites=true", "{a:16}"),
    "redis URL": put("redis://:@@@cache.example.com:6379/0", "{a:24}"),
    "amqp URL": put("CELERY_BROKER=amqp://worker:@@@mq.example.com//", "{a:14}"),
    "Sidekiq URL": put("source https://@@@gems.contribsys.com/ do", "{x:8}:{x:8}"),
    "Cloudinary URL": put("cloudinary://123456789012345:@@@demo", "{w:27}"),
    "AWS credentials file": put("[prod]\naws_secret_access_key = @@\nregion = eu-west-1\n", "{b:40}"),
    "Azure storage connection": put(
        "DefaultEndpointsProtocol=https;AccountName=logs;AccountKey=@@;EndpointSuffix=core.windows.net", "{b:86}=="
    ),
    "Azure SAS": put("https://logs.blob.core.windows.net/a?sv=2022-11-02&sp=rl&sig=@@", "{a:42}%3D"),
    "Azure service bus": put("Endpoint=sb://q.example.net/;SharedAccessKeyName=Root;SharedAccessKey=@@", "{b:43}="),
    "signed S3 URL": put("https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-Signature=@@", "{x:64}"),
    "Kubernetes Secret data": _kubernetes_data,
    "kubeconfig token": put("users:\n- name: admin\n  user:\n    token: @@\n", "{l:40}"),
    "kubeconfig client key": put("users:\n- name: admin\n  user:\n    client-key-data: @@\n", "LS0tLS1CRUdJTi{b:300}"),
    "Docker config auth": _docker_config,
    "basic header": _basic_header,
    "Okta header": put("Authorization: SSWS @@", "00{w:40}"),
    "token header": put("Authorization: Token @@", "{x:40}"),
    "api key header": put("x-api-key: @@", "{a:32}"),
    "curl user": put_password("curl -u 'admin:@@' https://jenkins.example.com/api/json"),
    "curl user long": put_password('curl --user "admin:@@" https://nexus.example.com'),
    "session cookie": put("Cookie: theme=dark; sessionid=@@; lang=en", "{l:32}"),
    "PHP session cookie": put("Cookie: PHPSESSID=@@", "{l:26}"),
    "Java session cookie": put("Set-Cookie: JSESSIONID=@@; Path=/; HttpOnly", "{X:32}"),
    "GitLab session cookie": put("curl --cookie '_gitlab_session=@@' https://git.example.com", "{x:32}"),
    "connect.sid cookie": put("Cookie: connect.sid=s%3A@@", "{w:32}.{w:43}"),
    "auth cookie": put("set-cookie: auth_token=@@; Secure; HttpOnly", "{w:48}"),
    "OAuth redirect": put("https://app.example.com/cb#access_token=@@&token_type=bearer", "{w:60}"),
    "OAuth answer": put('{"token_type": "Bearer", "refresh_token": "@@", "expires_in": 3600}', "{w:64}"),
    "TOTP address": put("otpauth://totp/Example:ann?secret=@@&issuer=Example", "{q:32}"),
    "mysql command": put("mysql -u root -p@@ orders < dump.sql", "{a:14}"),
    "psql command": put("PGPASSWORD=@@ psql -h db1 -U app", "{a:14}"),
    "sshpass command": put_password("sshpass -p '@@' ssh root@10.1.2.3"),
    "docker login": put_password("docker login registry.example.com -u ci -p '@@'"),
    "redis-cli": put("redis-cli -h cache -a @@ ping", "{a:20}"),
    "openssl pass": put_password("openssl rsa -in key.pem -passin pass:@@"),
    "gpg passphrase": put_password("gpg --batch --passphrase '@@' -d dump.gpg"),
    "htpasswd command": put_password("htpasswd -b .htpasswd ann '@@'"),
    "useradd": put_password("echo 'deploy:@@' | chpasswd"),
    "Wi-Fi": put('network={\n  ssid="office"\n  psk="@@"\n}', "{a:16}"),
    "Wi-Fi QR": put("WIFI:T:WPA;S:office;P:@@;;", "{a:14}"),
    "WordPress": put_password("define( 'DB_PASSWORD', '@@' );"),
    "WordPress salt": put("define('AUTH_KEY',         '@@');", "{p:64}"),
    "Django database": put_password("'USER': 'app', 'PASSWORD': '@@', 'HOST': 'db1',"),
    "Spring": put_password("spring:\n  datasource:\n    username: app\n    password: @@\n"),
    "Ansible": put_password("ansible_user=root ansible_become_pass=@@ ansible_port=22"),
    "SQL role": put_password("CREATE ROLE app LOGIN PASSWORD '@@';"),
    "MySQL user": put_password("CREATE USER 'app'@'%' IDENTIFIED BY '@@';"),
    "LDAP": put_password("ldapsearch -D cn=admin -w '@@' -b dc=example"),
    "SOAP": put_password("<wsse:Username>ann</wsse:Username><wsse:Password>@@</wsse:Password>"),
    "HTML input": put_password('<input type="password" name="pw" value="@@">'),
    "nested credentials": put_password('{"credentials": {"user": "ann", "password": "@@"}}'),
    "recovery codes": put("GitHub recovery codes:\n@@\n", "{x:5}-{x:5}"),
}


def form(name: str, random: Random) -> Made:
    text, secret = FORMS[name](random)
    return Made(name, "file", text, secret)
