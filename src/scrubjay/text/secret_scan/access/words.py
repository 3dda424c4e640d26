"""Words that tell of access: what opens, what is opened, what is typed there; in the languages that people write in.

Two words that belong together stand with a blank. Each list is a sign that has a weight in `weights`.
"""

from __future__ import annotations

__all__ = [
    "ACCOUNTS",
    "CODES",
    "COUNTING",
    "DESCRIBING",
    "GOES_ON",
    "JOINTS",
    "KEYED_IN",
    "LINKS",
    "LOCKS",
    "NAMES",
    "NUMBERED",
    "OPENING",
    "OTHER_NUMBERS",
    "PHRASES",
    "SECRETS",
    "SETTING",
    "UNITS",
]


def _words(text: str) -> frozenset[str]:
    """Those of a line that has commas are parted by them, and may be of two words, as those with a hyphen are."""
    words: set[str] = set()
    for line in text.strip().splitlines():
        words.update(part.strip() for part in line.split(",")) if "," in line else words.update(line.split())
    return frozenset(word.replace("-", " ") for word in words - {""})


# What lets somebody in, and what is done with a key.
OPENING = _words("""
    open opens opened opening unlock unlocks unlocked unlocking decrypt decrypts decrypted decrypting disarm disarms
    lets you, lets me, lets us, let me, let you, lets anyone, lets people
    let in, lets in, let us, let them, lets them, lets someone, letting you
    get in, gets in, got in, get into, gets into, got into, getting into, back into, log in, logs in, logged in, log on
    logs on, logged on, logs into, log into, login, logon, ssh, auth, sign in, signs in, signed in, sign into
    join, joins, to access
    switches it, turns it, disables it, override, login as, authenticates, authenticate, protected with
    encrypted with, locked with, encrypt, encrypts, unseal, unseals
    öffnet öffnen geöffnet aufmachen aufschließen entsperrt entsperren entschlüsselt entschlüsseln einloggen anmelden
    reinkommen reinkommt zugreifen freischalten entriegelt
    geht auf, komme ich, kommst du, kommt man, kommen wir, dich an, mich an, uns an, logg dich, logge dich, sich an
    abre abren abrir abierta desbloquea desbloquear desbloquearlo descifra descifrar descifrarlo
    entra entras entrar entro acceder accede accedes accedo
    ouvre ouvrent ouvrir s'ouvre déverrouille déverrouiller déchiffre déchiffrer entrer accéder accède
    connecte connecter
    apre aprono aprire sblocca sbloccare decifra decifrare entrare accedere accedi accede entri disattiva disarma
    acessar acessa abrir desbloqueia decifra descriptografa
    opent openen ontgrendelt ontgrendelen ontgrendel inloggen ontsleutelen ontsleutelt toegang
    log je, logt in, log in, je in, je binnen, kom je
    protected protects secured secures shields armed disarming extract extracts unzip unzips unpack mount mounts
    get past, past the, come in
    access accesses pair pairs pairing sign-in log-in verify verified bypass connect connects connected reach reaches
    verschlüsselt geschützt gesichert entschärfen entschärft aufschließt aufmacht reinkommst rein meldet melde zugriff
    öffnest aufsperren entsperrst verbinden verbindet entschärfst
    cifrado cifrada protegido protegida entran abro abres abrirlo desactiva desactivar conecta conectar acceso iniciar
    protégé protégée chiffré chiffrée chiffrer accès ouvres ouvrez entres entrez débloque débloquer désactive désarme
    connectez connectes déverrouiller
    protetto protetta cifrato collegarsi protegido protegida entram desliga desarma beveiligd versleuteld uitschakelen
    otwiera otwierają otworzyć odblokowuje odblokować zaloguj zalogować loguje odszyfrować rozbraja wejść dostęp
    locked out, got us through, got me through, gets you through
""")
# What is locked itself: a number opens it.
LOCKS = _words("""
    lock locks padlock lockbox locker door doors gate gates garage alarm alarms keypad intercom deadbolt strongbox
    vault shed entrance panel voicemail turnstile barrier cabinet mailroom storeroom
    the safe, my safe, our safe, your safe, key safe, wall safe, gun safe, hotel safe, office safe, safe opens
    parental control, child lock
    tresor tür haustür tor alarmanlage alarm alarmsystem schließfach spind zahlenschloss schloss schlüsselkasten
    schlüsseltresor garagentor hoftor eingang hintereingang wegfahrsperre mailbox anrufbeantworter tiefgarage
    caja fuerte, buzón de
    alarma candado puerta portón cerradura taquilla garaje trastero
    porte portail coffre alarme interphone digicode immeuble cadenas garage casier antivol portillon messagerie
    portone cancello cassaforte allarme lucchetto armadietto citofono serratura condominio
    portão cofre alarme cadeado garagem fechadura armário porta
    kluis slot hangslot poort deur voordeur achterdeur alarm alarmsysteem garagedeur kluisje fietsslot voicemail
    chain padlocked roller wicket lift elevator strongroom mailbox postbox letterbox suitcase briefcase luggage fob pad
    burglar
    key box, lock box
    der safe, dem safe, den safe, im safe, safe im, safe in, safe at
    vorhängeschloss bügelschloss alarmcentrale cofre lucchetti
    kofferschloss koffer fahrradschloss hoftür kellertür schranke rolltor aufzug türschloss briefkasten schlüsselbox
    zahlenschloß schlüsselsafe panzerschrank garagenöffner
    portero telefonillo cancela verja ascensor maleta buzón cajetín barrera
    boîte à, local vélo
    barrière grille ascenseur valise coffre-fort portique boîtier
    valigia cassetta sbarra ascensore tastierino mala elevador kofferslot sleutelkluis slagboom lift
    domofon domofonu drzwi brama bramy furtka zamek kłódka sejf sejfu alarmu garaż garażu szafka
    laundry room, store room, bin store, bike store
""")
# What somebody logs in to, or unlocks with more than a number.
ACCOUNTS = _words("""
    wifi wi-fi wlan network hotspot router modem nas tablet phone smartphone laptop computer pc desktop workstation
    mailbox inbox mail email gmail account accounts admin administrator administrador root sudo superuser
    supervisor console backend dashboard portal website intranet cms wallet ledger archive backup backups disk
    server database cluster vpn ftp sftp app kiosk projector printer scanner camera bios screen menu machine vault
    repository repo keystore keyring keychain thermostat subscription user username tv
    the till, hard drive, usb drive, backup drive
    konto rechner handy computer drucker server datenbank sicherung archiv festplatte laufwerk benutzer netzwerk kasse
    netz gäste-wlan gästenetz admin fritzbox postfach portal zugang cloud bildschirm kamera tablet wallet
    cuenta usuario portátil ordenador móvil servidor correo copia disco archivo impresora tableta router caja wi-fi
    compte utilisateur réseau ordinateur portable serveur messagerie sauvegarde disque archive imprimante tablette
    conto utente rete computer portatile telefono cellulare server backup disco archivio stampante gestionale
    conta usuário rede computador celular servidor certificado disco arquivo impressora painel sistema notebook
    netwerk gebruiker computer laptop telefoon tablet server schijf back-up archief printer kassa account
    gpg pgp steam netflix spotify protonmail synology minecraft wordpress playstation xbox icloud outlook
    ipad iphone kindle sonos jira crm erp plex canva zip pdf spreadsheet journal diary folder supplier vpn rcon sftp
    psql mysql postgres postgresql mongodb redis ldap radius wiki jenkins grafana kibana keepass bitwarden lastpass
    slack zoom webinar teamviewer anydesk vnc rdp pdfs archives forum webmail webshop truecrypt veracrypt luks bitlocker
    filevault bank banking telephone hotline sim
    the app, the export, license server, licence server, the sheet, the shop
    datei ordner gruppenordner mailverteiler zeiterfassung beamer faxgerät zip-datei verteiler onlinebanking
    benutzerkonto kundenportal buchhaltung telefonbanking kasse
    carpeta nóminas banco moodle recepción
    dossier partagé caisse banque tablettes
    registro cartella banca pasta banco bestand
    konta serwer serwera baza bazy komputer telefon skrzynka drukarka sieć tpv
""")
# What is done with a number or a password at such a place, and what the place does.
KEYED_IN = _words("""
    typed enter enters entered punch press tap dial input answer
    want wants ask asks asked asking accept accepts expect expects need needs take takes require requires prompts
    prompted use uses used
    key in, punch in, type in, tap in, put in, just type, then type, to type, you type, and type, i type
    tippe tippen tippst eintippen eingeben eingebe gib wähle wählen drücke drücken drehen brauchst brauche braucht
    brauchen will verlangt fragt nimm nimmst nehmt
    marca marcar teclea teclear meter mete metes pon pones poner introduce introducir pide quiere escribe escribir
    tape taper tapez tapes compose composer composez faut demande veut saisis saisir saisissez
    digita digitare digiti premi premere inserisci inserire chiede vuole componi metti
    digite digitar digita pede quer precisa usa use coloca aperta
    toets toetsen intoetsen typ typen invoeren vul vraagt wil draai
    authenticate authenticated try tried supply provide pin-pad
    gesetzt gebraucht verwende verwendet benutze benutzt probier probiere wählst drückst verlangt
    usa usas uso prueba marcas pulsa necesitas
    utilise utilisez essaie presse appuie frappe
    prova usiamo schiaccia aperte tente gebruik probeer druk
    paste wpisz wpisać wpisuje wstukaj podaj użyj compone componi
""")
# Words for the secret itself.
SECRETS = _words("""
    password passwords passcode passphrase passkey pw secret credential credentials creds phrase
    authenticator totp 2fa
    the words, the word, the pass, my pass, our pass, your pass, pass is, pass for, pass again
    wifi pass, vpn pass, hotspot pass, admin pass, root pass, mot de, de passe
    passwort kennwort geheimzahl satz losung zugangsdaten
    contraseña clave frase secreto, palabra de
    clé identifiants
    parola chiave credenziali senha chave wachtwoord zin wachtzin
    keyword codeword psk wpa
    master is, master now
    security answer, secret question, secret answer, maiden name, memorable word, secret word, code word, phone password
    shared secret, shared key, pre-shared key, network key, community string, host key
    sicherheitsfrage codewort kennwörter passwörter masterpasswort passwortes wlan-schlüssel netzwerkschlüssel
    schlüsselwort zugangsschlüssel
    contraseñas claves
    palabra clave, respuesta secreta, pregunta secreta, phrase de, mot secret, question secrète, domanda segreta
    motdepasse senhas wachtwoorden
""")
# What is told in several words, or in one.
PHRASES = _words("""
    passphrase phrase sentence words word keyword codeword satz codewort losung frase palabra mot phrase zin woord
    wachtzin kennphrase codewoord
""")
# The same of a number; of anything else it may be the code of a program.
CODES = _words("""
    code codes pin pins combo kombination código combinación combinaison codice combinazione combinação
    pincode combinatie keypad digicode
    the combination, combination is, combination to, combination lock, combination for
    pin-code passcode digits geheimzahl türcode zugangscode entsperrcode puk pinnummer
    pincodes zahlenkombination ziffern cifras chiffres cifre cijfers
    kod kodem kodu szyfr
""")
# How a secret came to be.
SETTING = _words("""
    set sets reset changed change chose chosen picked choose gave told swapped
    gesetzt gewählt geändert eingestellt gestellt umgestellt
    cambié cambiado puse puesto dejé dejado elegí elegido
    changé choisi mis réglé remplacé
    messo cambiato scelto impostato impostata
    mudei mudou troquei trocou coloquei escolhi
    gezet gekozen veranderd gewijzigd ingesteld
    rotated rotate renewed updated replaced swapped temporary temp initial default provisional
    vergeben neu geändertes zurückgesetzt erneuert vorläufig vorläufiges
    nueva nuevo cambiada restablecí restablecida provisional
    nouveau nouvelle réinitialisé changée provisoire modifié
    nuova nuovo reimpostato provvisoria nova novo redefini nieuw nieuwe tijdelijk
    zmieniony zmienione ustawione nowe nowy tymczasowe
""")
# Right before the value.
LINKS = _words("""
    prends prenez toma danach mittels tecleando marcando pulsando usando digitando tapant composant poi después mediante
    reset to, changed to, set to, told me, gave me, gave us, gab mir, me dio, m'a donné
    is are was with using use uses to then type enter dial press reads wants accepts takes
    chose picked need needs it's its that's be try that
    combination combo kombination combinación combinaison combinazione combinação combinatie
    punch in, key in, type in, tap in, put in, keying in, typing in, punching in
    ist mit lautet ist's auf zu die den der erst dann nimm gib tippe drücke wähle per und satz
    con es son y luego marca teclea mete meter pon usa era digita digitare è e poi per frase
    avec est par à c'est tape taper tapez composer composez compose puis
    com é para digite digitar então depois senha
    met is toets dan naar zin
    gilt kodem kod compone hasłem given paste
    you say, we say, been given, was given, gilt jetzt, es el, es la
""")
# Between an account and its password.
JOINTS = _words("and und y et e or")
# What has a name with a number in it.
NAMES = _words("""
    username hostname identifier heißt heisst genannt llama llamado appelle appelé chiama chiamato chama heet identifier
    of than through between as about
    called titled named labelled marked said says replied shouted wrote
    nick nickname gamertag handle alias tag profile channel model type class function
    variable field column table package library module plugin command option license licence project repo branch
""")
# What is known by a number: "room 1204", "error 1045".
NUMBERED = _words("""
    room floor seat line page ticket case chapter section step extension ext port error order version unit building
    status state bus train flight platform channel invoice article model apartment flat
    um gegen raum zimmer etage platz zeile seite fall kapitel durchwahl fehler linie gleis rechnung artikel
    sala habitación piso asiento línea página extensión puerto salle chambre étage ligne poste erreur
    stanza piano riga pagina interno errore quarto andar linha ramal erro kamer verdieping regel fout pokój piętro
""")
# Other numbers that things have.
OTHER_NUMBERS = [
    *["serial", "serial number", "part number", "tracking number", "order number", "invoice number", "asset tag"],
    *["seriennummer", "numéro de série", "número de serie", "numero di serie", "serienummer", "numer seryjny"],
]
# What has a number that is no code.
COUNTING = _words("""
    returns means renvoie devuelve significa bedeutet restituisce extension extensions
    port ports threshold limit flight train platform order invoice amount price percent
    temperature degrees version release size timeout attempts requests sessions entries rows errors failures total count
    postal zip postcode plz postleitzahl postale serial isbn iban tracking phone-number
    phone number, account number, order number, customer number, serial number, house number, area code, error code
    status code, exit code, source code
    schwelle grenzwert flug zug gleis bestellung rechnung preis grad
    umbral vuelo tren pedido factura precio grados vol commande facture prix volo treno ordine fattura prezzo
    voo trem fatura preço vlucht trein bestelling factuur prijs
    colores colours colors couleurs farben colori cores kleuren kolory
""")
# What has long tokens that are no secrets.
DESCRIBING = _words("""
    gehasht hachés hasheada
    public fingerprint digest checksum sha md commit uuid guid id ids serial session trace request cached cache
    signature thumbprint certificate revision branch hashed hashing algorithm license copyright
    prüfsumme öffentlich öffentliche öffentlicher huella público pública empreinte publique
""")
# After a number that they count or measure.
UNITS = _words("""
    rpm mm cm m km g kg ml l kb mb gb tb ms s sec h min px hz khz mhz ghz w kw v mah euro euros eur usd dollars pounds
    yen percent lines bytes times days users tests digits characters minutes seconds hours years people persons visitors
    guests exhibitors items points steps entries members metres meters square pages words rows files votes copies units
    zeilen bytes mal tage stunden minuten sekunden jahre personen leute gäste seiten wörter dateien stück meter
    líneas veces días horas minutos segundos años personas páginas metros
    lignes fois jours heures minutes secondes ans personnes pages mètres
""")
# After a number that goes on without a noun which it counts.
GOES_ON = _words("""
    and then to at on in before after until for or but when from instead is opens unlocks lets switches turns disarms
    gets i you it if during so because once followed plus works by
    und dann bis drehen ein am im auf wenn oder aber
    y luego para hasta en cuando et puis pour à au e poi per al depois no na en dan om voor
    öffnet abre ouvre apre opent
""")
