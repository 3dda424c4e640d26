"""The words of sentences that tell a secret, in the languages that people write in."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "ANSWERING",
    "AUTHENTICATORS",
    "CALLING",
    "CODES",
    "COUNTED_THINGS",
    "LINKING",
    "NAMED_IN_QUOTES",
    "NAMING",
    "NO_PIN",
    "OPENED",
    "OPENED_AFTER",
    "OTHER_SUBJECTS",
    "PASSWORD_NAMES",
    "PASSWORD_WORDS",
    "PHRASE_WORDS",
    "PIN_WORDS",
    "POSSESSIVE",
    "RECOVERY_WORDS",
    "SENTENCE_WORDS",
    "SHORT_PASSWORD_WORDS",
    "SPACED_NAMES",
    "STILL",
    "TOKEN_WORDS",
    "VERBS",
    "WEAK_PASSWORD_WORDS",
    "WIDE_LINKING",
    "either",
]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.replace(";", "\n").splitlines() if line.strip()]


# A value is given to these as they stand: `contraseña: …`, `密码是…`.
PASSWORD_NAMES = """
    pwd pw psw passwd kennwort passwort contraseña contrasena contraseñas clave senha palavra-passe wachtwoord parola
    lösenord adgangskode kodeord passord salasana hasło haslo heslo jelszó şifre şifresi пароль пароля паролем κωδικός
    密码 密碼 口令 パスワード パスコード 暗証番号 비밀번호 비번 패스워드 암호 motdepasse sandi sandinya कूटशब्द पासवर्ड
    лозинка лозинката lozinka lozinku zaporka geslo slaptažodis slaptažodį parool parooli salasõna contrasenya
    contrasinal pasahitza fjalëkalimi lykilorð lykilorðið cyfrinair pasfhocal wagwoord pasvorto nywila nenosiri şifrə
    парола паролата құпиясөз συνθηματικό κωδικό პაროლი գաղտնաբառ
    סיסמה סיסמא סיסמת סיסמתי پسورد گذرواژه รหัสผ่าน
    পাসওয়ার্ড கடவுச்சொல் పాస్‌వర్డ్ પાસવર્ડ ਪਾਸਵਰਡ ಪಾಸ್‌ವರ್ಡ್ പാസ്‌വേഡ്
""".split()
# The same, of several words.
SPACED_NAMES = [
    *[
        "mot de passe",
        "mots de passe",
        "palavra passe",
        "mật khẩu",
        "mat khau",
        "kata sandi",
        "kata laluan",
        "құпия сөз",
        "нууц үг",
    ],
    *["كلمة المرور", "كلمة مرور", "كلمة السر", "كلمة سر", "رمز عبور", "کلمه عبور", "پاس ورڈ", "parole ir"],
    *["salasana on", "salasanani on", "salasanamme on", "parool on", "salasõna on"],  # in English, `on` links nothing
]
SHORT_PASSWORD_WORDS = ["pw", "pwd", "mdp", "cred", "creds", "credential", "credentials", "wifi", "wi-fi", "wlan"]
PASSWORD_WORDS = [
    *(name for name in PASSWORD_NAMES if len(name) > 3 or not name.isascii()),
    *SPACED_NAMES,
    *_lines("""
        password; passwords; pass word; passwrd; pasword; passcode; passcodes
        secret word; code word; codeword; security answer; community string
    shared secret; pre-shared key; preshared key; shared key; network key; wi-fi key; wifi key; wlan-schlüssel
    netzwerkschlüssel; clave compartida; clé partagée; chiave condivisa; chave compartilhada; gedeelde sleutel
        zugangsdaten; anmeldedaten; logindaten; losungswort; codewort
        credenciales; palabra secreta; palabra clave; identifiants; mot secret; credenciais; credenziali
    """),
]
PHRASE_WORDS = _lines("""
    passphrase; passphrases; pass phrase; pass-phrase; pass_phrase; frase de contraseña; frase de paso
    phrase de passe
    phrase secrète; frase segreta; frase secreta; frase-senha; wachtzin; wachtwoordzin; kennphrase; passwortsatz
    master password; masterpasswort; master-passwort; masterkennwort; hauptpasswort; hauptkennwort
    contraseña maestra; mot de passe maître; mot de passe principal
    password maestra; senha mestra; hoofdwachtwoord
""")
# What lets in when all else is lost: written in groups of letters and digits.
RECOVERY_WORDS = _lines("""
    recovery code; recovery codes; recovery key; recovery keys; backup code; backup codes; backup key; restore code
    restore key; rescue code; emergency code; emergency key; scratch code; scratch codes; reset code; setup key
    set-up key; activation code; one-time code; bypass code
    wiederherstellungscode; wiederherstellungscodes; wiederherstellungsschlüssel; notfallcode; notfallcodes
    notfallschlüssel; sicherungscode; ersatzcode; backup-code; recovery-code; einrichtungsschlüssel; aktivierungscode
    código de recuperación; códigos de recuperación; clave de recuperación; código de respaldo; códigos de respaldo
    código de emergencia; código de activación
    code de récupération; codes de récupération; clé de récupération; code de secours; codes de secours
    clé de secours
    code d'urgence; code d'activation
    codice di recupero; codice di backup; código de recuperação; código de backup; herstelcode; back-upcode
""")
# What shows one-time codes: its key is written in groups of letters and digits.
AUTHENTICATORS = ["authenticator", "totp", "2fa", "two-factor"]
# Words that are more often something else: what they tell must look made up.
WEAK_PASSWORD_WORDS = ["login", "logon", "pass"]
TOKEN_WORDS = _lines("""
    token; tokens; api key; api-key; apikey; access key; secret key; secret; key; client secret
    api-schlüssel; schlüssel; zugriffstoken; zugangstoken; geheimnis; clé; clé api; clé d'api; jeton; jeton d'accès
    llave; clave de api; clave api; clave secreta; secreto; chave; segredo; chiave; sleutel; klucz; токен; ключ
    令牌; 密钥; 密鑰; トークン; 토큰; nyckel; nøgle; avain; klíč; kľúč; kulcs; anahtar; anahtarı; cheie; cheia; ključ
    κλειδί; مفتاح; المفتاح; رمز; توکن; کلید; מפתח; המפתח; טוקן; कुंजी; टोकन; คีย์; โทเค็น; khóa; api キー
""")
PIN_WORDS = _lines("""
    host key; pin; puk; cvv; cvv2; cvc; cvc2; otp; pin-code; pin code; pin number; pincode
    geheimzahl; pinnummer; pin-nummer; türcode; haustürcode; hoftürcode; torcode; tresorcode; schlosscode; garagencode
    deurcode; voordeurcode; poortcode; toegangscode; kluiscode; slotcode; ontgrendelcode
    zugangscode; sicherheitscode; alarmcode; hauscode; entsperrcode
    bestätigungscode; code secret; code pin; code confidentiel; code d'accès; code de sécurité; code de la porte
    code de l'alarme; numéro pin; número pin; código pin; clave pin; código secreto; código de acceso
    código de seguridad; código de la puerta; código de la alarma; clave de acceso; 暗証番号; 密码; пин-код; пинкод
""")
# What a code opens: the door code, the code for the garage.
OPENED = """
    door gate alarm access entry lock unlock security resident visitor shed safe garage pass verification
    confirmation authentication auth
    2fa mfa one-time backup recovery sim keypad vault locker bank card phone voicemail login office house flat gym
    building entrance apartment bike room elevator parking front back cabin
""".split()
# The same in languages that name the code first: codice del cancello, kod do bramy.
CODES = """
    code digicode código codigo codice codi kod код kód koodi cod combinaison combinación combinazione
    combinação kombination kombinatie kombinacja комбинация
""".split()
OPENED_AFTER = """
    porte portail immeuble entrée interphone hall coffre garage alarme portón puerta caja portal garaje alarma porta
    portone cancello
    cassaforte allarme garagem portão cofre bramy drzwi sejfu alarmu garażu furtki domofonu
    двери домофона сейфа ворот гаража подъезда сигнализации
    deur poort kluis dveří brány trezoru dörren grinden larmet døren porten kapı kapının
""".split()
# What stands between the word and the value: "the password is …", "auf … geändert".
LINKING = """
    is are was be being becomes become to from as reads read says say stays remains with using equals via takes wants
    expects called its it's chose picked took made like colon equals doppelpunkt
    lautet lauten ist sind heißt heisst bleibt war auf als mit durch es son era será con por est sont sera c'est
    à comme
    avec par a en para vers zu op é è são com jest är er это
    este je yra là adalah ialah ni е є هي هو است היא הוא คือ है হলো
    contains holds enthält contiene contient
    wird wurde gleich nämlich siendo sea queda quedó fue devient devenu reste était soit
""".split()
WIDE_LINKING = "是为為はが는은를を"  # no blank stands before or after these
STILL = """
    now still currently just simply always again actually basically probably temporarily officially either gonna going
    be to the this that uh um er hmm well like i think noch jetzt nun immer wieder übrigens derzeit momentan vorerst
    aktuell einfach erstmal erst du ihr also äh ähm ahora todavía aún siempre actualmente simplemente pues siendo
    de momento maintenant
    toujours désormais actuellement simplement encore donc euh
""".split()
# "…, our password"
POSSESSIVE = """
    the my our your his her their das den dem der die mein unser dein euer la el mi tu su nuestra nuestro le mon
    ton ma
    ta notre votre il mio a minha new neue nueva nouveau
""".split()
# "type … at the prompt"
VERBS = """
    use used type typed enter entered try paste put give gave given answer reply send submit provide supply say pick
    pass set choose insert key fill nimm nutze verwende benutze gib tippe trage antworte schreib setze nimmst
    nehmt nutzt verwendest benutzt gibst tippst usa utiliza
    introduce escribe pon ponga teclea mete responde utilise tape tapez entre entrez mets mettez saisis saisissez
    donne réponds
""".split()
# What stands before a name or a number that is no secret: "the password for web-01", "ticket 4711".
NAMING = """
    for on at in from by user users host server machine account box node device issue ticket bug port line room pr
    page version release step error case extension ext building floor unit apartment seat call model chapter
    section locker request trace span job build run order year since until after before
    für von vom am im bei benutzer nutzer rechner
    para de del en usuario servidor pour du sur dans utilisateur serveur
""".split()
# What is done with the number of a telephone, and not at a lock.
CALLING = "dialling dialing calling ringing phoning texting wählen llamando appelant chiamando ligando bellen".split()
# "…, and my user name is …": what follows is of another thing.
OTHER_SUBJECTS = _lines("""
    user name; username; user; login name; account name; name; host; hostname; server; address; mail; email
    e-mail; id
    url; port; version; branch; ticket; benutzername; benutzer; nutzername; rechner; adresse; usuario; nombre
    servidor
    utilisateur; identifiant; nom; serveur
""")
# How an answer begins: "yes, …", "it's …".
ANSWERING = _lines("""
    it's; its; it is; it’s; that's; that is; this is; here it is; here you go; here; yes; yep; yeah; yup; sure
    ok; okay
    of course; try; use; take; should be; i think; sorry; oh; ah; hm; hmm
    ja; jo; klar; sicher; gerne; es ist; das ist; nimm; hier; moment; oui; ouais; bien sûr; c'est; c’est; voilà; tiens
    sí; si; claro; es; aquí; toma; sì; certo; ecco; sim; é
""")
NO_PIN = ("1234", "0000", "12345", "123456")  # said as an example
# Things that are counted: a number before them is no code.
COUNTED_THINGS = "lines bytes times days users tests digits characters minutes seconds hours people years".split()
# Words that make a phrase a sentence about passwords.
SENTENCE_WORDS = frozenset(
    """
    about add after all also and any are arg asked based because been before being between both but call can case
    cannot
    changed checked different does encrypted entered etc expired for from given had has have hashed her his how
    into its
    kept longer may more must necessary never not now off one only optional other our out over per protected read
    required same saved secret sent set should shown shared since stored such than that the their them then there they
    this time too under use used user using very via was were what when where which while who why will with without
    would you your
    der die das den dem ein eine und oder ist nicht mit für von auf wird wurde werden muss sich los las una del
    con por
    para que sin les des une est pas pour avec dans sur
    """.split()
)


def either(words: Sequence[str]) -> str:
    """A pattern for any of the words, the longer first."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


# "credentials for 'store3'"
NAMED_IN_QUOTES = (
    rf"(?<!\w){either('for für para pour por per voor dla user users usuario utente benutzer host'.split())}"
    r"[ ][\"'`“„‚‘«]$"
)
