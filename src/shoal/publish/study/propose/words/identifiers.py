"""What names one person: it never leaves."""

from functools import partial

from shoal.publish.study.propose.words.concept import Concept

__all__ = ["IDENTIFIERS"]

_identifier = partial(Concept, role="identifier", kind="")

IDENTIFIERS = (
    _identifier(
        what="first name",
        en="first name, given name, name given, forename, middle name, christian name, =first, =given, "
        "=middle, first names, given names, middle initial",
        de="Vorname, Vornamen, Rufname, Zweitname",
        fr="prénom, prénoms, deuxième prénom",
        es="nombre de pila, primer nombre, segundo nombre, nombres",
        it="nome di battesimo, primo nome, secondo nome",
        tr="ilk ad, göbek ad, önad",
        zh="名字, =名, 名前",
        short="first nm, fname, firstname, mname, vname",
    ),
    _identifier(
        what="last name",
        en="last name, surname, family name, maiden name, second name, birth name, =last, name family, "
        "=maiden, family names",
        de="Nachname, Familienname, Geburtsname, Mädchenname, Zuname, Ehename, Nachnamen, Familiennamen",
        fr="nom de famille, nom de naissance, nom de jeune fille, nom d'usage, nom usuel, nom marital, "
        "nom patronymique, patronyme",
        es="apellido, apellidos, primer apellido, segundo apellido, apellido paterno, apellido materno",
        it="cognome, cognomi, cognome da nubile",
        tr="soyad, soyisim, soyismi, kızlık soyad",
        zh="姓氏, =姓, 曾用名",
        short="last nm, fam name, lname, lastname, nname, sname",
    ),
    _identifier(
        what="name",
        en="full name, full nm, legal name, name and surname, preferred name, display name, "
        "contact name, contact person, next of kin, initials, emergency contact, nickname, real name, "
        "signatory, account holder, card holder, cardholder",
        de="Vollname, Kontaktperson, Ansprechpartner, Vor- und Nachname, Name und Vorname, Kontoinhaber, "
        "Karteninhaber, Initialen, Spitzname, Bezugsperson",
        fr="nom complet, nom et prénom, nom prénom, prénom nom, personne à contacter, titulaire, surnom, "
        "personne de confiance",
        es="nombre completo, nombre y apellidos, nombre y apellido, nombre apellidos, titular, "
        "persona de contacto, apodo",
        it="nominativo, nome completo, nome e cognome, cognome e nome, intestatario, "
        "persona di contatto, soprannome",
        tr="=ad, hasta ad, müşteri ad, öğrenci ad, personel ad, veli ad, anne ad, baba ad, ad soyad, "
        "adı soyadı, isim soyisim, tam ad, hesap sahibi, takma ad, lakap",
        zh="姓名, 全名, 客户名, 患者名, 病人名, 学生名, 员工名, 联系人, 联络人, 真实姓名, 户名, 持卡人, "
        "开户名, 紧急联系人, 户主姓名",
    ),
    _identifier(
        what="person number",
        en="=identifier, unique id, unique identifier, personal id, personal number, record number, "
        "record id, subject number, participant number, personal identifier, "
        "personal identification number, =patient, =customer, =employee, study number, "
        "screening number, donor number, badge number, staff number, payroll number, voter number, "
        "enrolment number, enrollment number, matriculation number, roll number, admission number, "
        "exam number, candidate number, loyalty card, library card, =ids, row id, household id, "
        "family id, universal id",
        de="Personalnummer, Personalnr, Personenkennung, Personenkennzahl, Matrikelnummer, Matrikelnr, "
        "Kennung, Identifikationsnummer, Stammnummer, Mandantennummer, Debitorennummer, Dienstnummer, "
        "Probandennummer, Pseudonym, Ordnungsnummer, Kundenkarte, Stempelnummer, Wählernummer, "
        "=Patient, =Patientin, =Kunde, =Mitarbeiter, Wehrnummer, Lehrernummer, Personenkennzeichen, "
        "Teilnehmernummer, Personen-ID",
        fr="matricule, identifiant, numéro d'identification, identifiant unique, numéro étudiant, "
        "identifiant national, INE, numéro d'adhérent, carte de fidélité, identifiant permanent, "
        "numéro d'inscription, numéro de candidat, numéro d'allocataire",
        es="legajo, número de legajo, número de identificación, identificador, número de expediente, "
        "clave de elector, número de socio, número de control, boleta, tarjeta de fidelidad, "
        "número de matrícula, =paciente",
        it="matricola, numero di matricola, identificativo, codice identificativo, codice persona, "
        "=tessera, numero tessera, =paziente, carta fedeltà",
        tr="sicil no, sicil numarası, sicil, personel no, kimlik, üye no, aday no, öğrenci no, okul no, "
        "abone no, müşteri no, sıra numarası, =hasta, abone numarası",
        zh="=编号, 学号, 工号, 会员号, 会员卡号, 考号, 准考证号, 学籍号, 员工号, 职工号, 客户号, 用户号, "
        "序列号, 档案号, 人员编号, 个人编号, 受试者编号, 身份标识, 户号, =标识, 唯一标识, 警号, "
        "军官证号, 职工编号, =患者, =病人, =客户, =员工",
        short="npi, ptname, ptid, ma nr, uid, uuid, guid, =pid, duid, dupersid, subjid, usubjid, =cid, "
        "custid, empid, =seqn, =eid, respid, caseid, personid, =sn, rowid, recid, recno, =pk, pnr, "
        "persnr, persnum",
    ),
    _identifier(
        what="social security number",
        en="social security number, social security, social insurance number, national insurance number, "
        "national insurance, nhs number, nhs, national number, social security no, social insurance, "
        "soc sec, health card number, health number, national id, national identification number, "
        "citizen id, aadhaar",
        de="Sozialversicherungsnummer, Sozialversicherungsnr, SV-Nummer, Rentenversicherungsnummer, "
        "AHV-Nummer, AHV, SV-Nr, Rentenversicherungsnr, Sozialversicherung, Versicherungsnummer, "
        "Sozialversicherungs-ID",
        fr="numéro de sécurité sociale, sécurité sociale, numéro de sécu, sécu, numéro INSEE, NIR, "
        "carte vitale, numéro national, registre national, numéro AVS",
        es="número de seguridad social, seguridad social, número de la seguridad social, NUSS, "
        "número de afiliación, CURP, clave única de registro",
        it="numero di previdenza sociale, previdenza sociale, numero INPS, posizione INPS",
        tr="sosyal güvenlik no, sosyal güvenlik numarası, SGK no, SGK numarası, sigorta sicil no, "
        "SSK no, bağkur no",
        zh="社保号, 社会保障号, 社保卡号, 社会保障号码, 社会保险号, 社保编号, 社保卡",
        short="ss number, ss no, num ss, no ss, rv nummer, rv nr, sozialvers nr, ssn, nino, svnr, "
        "svnummer, rvnr, nss, nuss, avs, ahvn, =sin, ssid, cnp, pesel, bsn, curp, vsnr",
    ),
    _identifier(
        what="tax number",
        en="tax number, tax id, tax identification number, taxpayer number, tax file number, "
        "taxpayer id, tax payer id",
        de="Steuernummer, Steuernr, Steuer-ID, Steueridentifikationsnummer, Steueridentnummer, "
        "Steuer-Identifikationsnummer, Steueridentifikation, Umsatzsteuer-ID, "
        "Umsatzsteueridentifikationsnummer",
        fr="numéro fiscal, référence fiscale, numéro SPI, identifiant fiscal, numéro de TVA, "
        "numéro fiscal de référence",
        es="número de identificación fiscal, identificación fiscal, registro federal de contribuyentes, "
        "NIF, NIE, DNI, documento nacional de identidad, CUIT, CUIL, "
        "clave de identificación tributaria",
        it="codice fiscale, cod fiscale, partita IVA, cod fisc",
        tr="vergi no, vergi numarası, vergi kimlik no, vergi kimlik numarası",
        zh="税号, 纳税人识别号, 纳税号",
        short="=tin, itin, nif, nie, dni, rfc, =rut, cuit, cuil, cpf, =cf, codfisc, piva, idnr, "
        "steuerid, =spi, ustid, vatid, vkn, tfn",
    ),
    _identifier(
        what="identity card or passport",
        en="passport, passport number, passport no, identity card, identity card number, id card, "
        "identity number, =identity, document number, driver license, drivers license, "
        "driver's license, driving license, driving licence, drivers licence, driver licence, "
        "license number, licence number, visa number, =drivers, =licence, green card number, "
        "residence permit number, =license, id document",
        de="Reisepass, Passnummer, Reisepassnummer, Personalausweis, Personalausweisnummer, "
        "Ausweisnummer, Ausweis, Führerschein, Führerscheinnummer, Ausweis-Nr, Reisepassnr, Ausweisnr",
        fr="passeport, numéro de passeport, carte d'identité, carte nationale d'identité, CNI, "
        "permis de conduire, numéro de permis, pièce d'identité, numéro de titre de séjour, =permis",
        es="pasaporte, número de pasaporte, cédula, cédula de identidad, cédula de ciudadanía, "
        "carnet de identidad, carnet de conducir, licencia de conducir, permiso de conducir, "
        "documento de identidad, =documento, número de documento, =cedula, nro documento, "
        "doc identidad, =identificación",
        it="passaporto, numero di passaporto, carta d'identità, =patente, patente di guida, "
        "documento d'identità, numero patente, numero documento",
        tr="pasaport, pasaport no, pasaport numarası, nüfus cüzdanı, kimlik no, kimlik numarası, "
        "TC kimlik no, TC kimlik, TC no, TC kimlik numarası, ehliyet, ehliyet no, sürücü belgesi, "
        "=TC, nüfus cüzdan no, ehliyet numarası",
        zh="身份证, 身份证号, 身份证号码, 护照, 护照号, 护照号码, 驾照, 驾驶证, 驾驶证号, 证件号, "
        "证件号码, 公民身份号码, 身份號碼, 身分證字號, 身分證, 护照编号, 驾照号, 居民身份证",
        short="dl number, dl no, pass nr, tckn, tckimlik, tcno, cnie, idcard, sfz, sfzh, passno",
    ),
    _identifier(
        what="insurance number",
        en="insurance number, policy number, policy no, policy id, insurance id, insured id, "
        "medicare number, medicaid number, medicare id, medicaid id, beneficiary id, "
        "insurance policy number, policyholder, insurance card, health insurance number, "
        "health plan number, medicare beneficiary identifier, subscriber id",
        de="Versichertennummer, Versichertennr, Krankenversicherungsnummer, Krankenversichertennummer, "
        "Policennummer, Versicherungsscheinnummer, KV-Nummer, Versicherten-ID, Versicherungsnr, "
        "Krankenkassennummer",
        fr="numéro d'assuré, numéro de police, numéro d'assurance, police d'assurance, "
        "numéro de mutuelle, numéro AMELI",
        es="número de póliza, póliza, tarjeta sanitaria, número de asegurado, número de afiliado, "
        "número de tarjeta sanitaria, código de identificación del paciente",
        it="numero polizza, polizza, tessera sanitaria, numero tessera sanitaria, numero di polizza, "
        "numero assicurato",
        tr="sigorta no, sigorta numarası, poliçe no, poliçe numarası",
        zh="医保号, 医保卡号, 保单号, 医疗保险号, 投保单号, 参保号, 医保编号, 保单号码",
        short="versnr, vers nr, kvnr, vnr, hicn, mbi, ssnr",
    ),
    _identifier(
        what="record number",
        en="medical record number, medical record, chart number, hospital number, case number, "
        "file number, reference number, unit number, accession number, claim number, docket number, "
        "ticket number, order number, invoice number, booking number, transaction number, "
        "contract number, receipt number, encounter number, visit number, specimen number, "
        "sample number, stay number, health record number, application number, serial number, "
        "meter number, confirmation number, tracking number, booking reference, parcel number, "
        "crime number, registration number",
        de="Fallnummer, Fallnr, Aktenzeichen, Aktennummer, Krankenaktennummer, Vorgangsnummer, "
        "Geschäftszeichen, Auftragsnummer, Rechnungsnummer, Bestellnummer, Belegnummer, "
        "Vertragsnummer, Buchungsnummer, Antragsnummer, Aufnahmenummer, Probennummer, Seriennummer, "
        "Zählernummer, =Akte, Auftragsnr, Rechnungsnr, Bestellnr, Vertragsnr, Schadennummer, "
        "Bescheidnummer, Kassenzeichen, Quittungsnummer",
        fr="numéro de dossier, =dossier, dossier patient, numéro de séjour, numéro de facture, "
        "numéro de commande, numéro de contrat, numéro de sinistre, numéro d'ordre, numéro de série, "
        "numéro d'examen, référence dossier",
        es="historia clínica, número de historia clínica, num historia, nro historia, expediente, "
        "número de historia, número de factura, número de pedido, número de contrato, número de caso, "
        "=folio, número de serie, número de radicado, número de solicitud, expediente clínico",
        it="cartella clinica, num cartella, numero cartella, numero pratica, nosologico, "
        "numero nosologico, numero fattura, numero ordine, numero contratto, numero di serie, "
        "pratica, numero di protocollo, numero cartella clinica",
        tr="protokol no, dosya no, dosya numarası, protokol numarası, başvuru no, fatura no, sipariş no, "
        "sözleşme no, seri no, işlem no, takip no, poliklinik no, fiş no, fatura numarası, "
        "sipariş numarası",
        zh="病历号, 住院号, 门诊号, 病案号, 病历编号, 就诊号, 案号, 案件号, 订单号, 合同号, 发票号, "
        "流水号, 单号, 登记号, 就诊卡号, 诊疗卡号, 检查号, 样本号, 订单编号, 合同编号, 交易号, "
        "申请编号, 受理编号, 快递单号, 床位号, 病案编号",
        short="az nr, mrn, ipp, =iep, nhc, hadmid, hadm, =nip, nda",
    ),
    _identifier(
        what="mail address",
        en="email, e-mail, email addr, email address, mail address, mail, emails, contact email, e-mail address",
        de="E-Mail, E-Mail-Adresse, Mailadresse, Emailadresse, Mail-Adresse",
        fr="courriel, =mél, adresse électronique, adresse mail, adresse courriel, adresse e-mail, "
        "adresse email, adresse de messagerie",
        es="correo, correo electrónico, dirección de correo, dirección de correo electrónico, e-correo",
        it="posta elettronica, indirizzo email, indirizzo e-mail, indirizzo di posta elettronica, PEC, "
        "indirizzo mail",
        tr="e-posta, eposta, elektronik posta, mail adresi, email adresi",
        zh="邮箱, 电子邮件, 电邮, 电子邮箱, 邮箱地址, 电子邮件地址, 邮件地址, 郵箱, 電子郵件",
    ),
    _identifier(
        what="phone number",
        en="phone, telephone, phone number, telephone number, =mobile, mobile phone, cell phone, "
        "cellphone, mobile number, cell number, fax, fax number, landline, home phone, work phone, "
        "contact number, =whatsapp, whatsapp number, phones, telephones, contact no, mobile no, "
        "telecom, daytime phone",
        de="Telefon, Telefonnummer, Telefonnr, Handy, Handynummer, =Mobil, Mobilnummer, Mobiltelefon, "
        "Rufnummer, Festnetz, Festnetznummer, Telefax, Faxnummer, Mobilfunknummer, Mobilfunk, "
        "Handynr, Durchwahl, Telefon privat",
        fr="téléphone, numéro de téléphone, =portable, numéro de portable, téléphone portable, "
        "téléphone fixe, télécopie, télécopieur, téléphone mobile, numéro de mobile, numéro de GSM",
        es="teléfono, número de teléfono, móvil, celular, teléfono móvil, número de móvil, "
        "número de celular, teléfono fijo, teléfonos, número telefónico",
        it="telefono, numero di telefono, cellulare, numero di cellulare, telefono fisso, "
        "recapito telefonico, telefonino, recapito",
        tr="telefon, telefon no, telefon numarası, cep telefonu, cep tel, cep no, cep numarası, faks, "
        "ev telefonu, iş telefonu, GSM no, irtibat no, iletişim no, =cep",
        zh="电话, 电话号码, 手机, 手机号, 手机号码, 联系电话, 联系方式, 传真, 固定电话, 移动电话, "
        "家庭电话, 座机, 電話, 手機, 傳真, 联系手机",
        short="mob no, mob nr, tel domicile, tel, telno, telnr, gsm, msisdn, phoneno, tlf, tfno, telf",
    ),
    _identifier(
        what="street address",
        en="address, street address, street, home address, postal address, mailing address, "
        "residential address, address line, house number, apartment number, flat number, "
        "building number, addresses, current address, billing address, shipping address, "
        "delivery address, work address, street number, po box, house no, permanent address, "
        "dwelling number, unit address, parcel id",
        de="Adresse, Anschrift, Straße, Hausnummer, Hausnr, Wohnadresse, Postanschrift, Postfach, "
        "Straßenname, Heimatadresse, Lieferadresse, Rechnungsadresse, Wohnanschrift, Adresszeile, "
        "Adresszusatz, Straße und Hausnummer, Meldeadresse, Wohnungsnummer, Flurstück, Straße Nr",
        fr="adresse, rue, =voie, numéro de rue, adresse postale, numéro de voie, nom de rue, "
        "nom de voie, adresse complète, adresse domicile, complément d'adresse, boîte postale, "
        "libellé voie, adresse du domicile",
        es="dirección, calle, domicilio, número de calle, dirección postal, número exterior, "
        "número interior, dirección completa, domicilio fiscal, dirección de residencia, "
        "dirección particular, número de casa",
        it="indirizzo, numero civico, =via, civico, indirizzo di residenza, indirizzo postale, "
        "via e numero, recapito postale, indirizzo di domicilio, indirizzo completo",
        tr="adres, ev adresi, sokak, cadde, kapı no, açık adres, posta adresi, bina no, daire no, "
        "ikamet adresi, iş adresi, ev adres, ikametgah adresi, bulvar",
        zh="地址, 住址, 家庭住址, 家庭地址, 门牌号, 详细地址, 通讯地址, 现住址, 户籍地址, 联系地址, "
        "收货地址, 楼号, 房号, 房间号, 单元号, 居住地址, 现居住地址, 常住地址, 户口地址, 注册地址",
        short="wohnungsnr, addr, adr, hausnr, hnr, =apt, =str, street1, addr1",
    ),
    _identifier(
        what="bank account",
        en="iban, bank account, account number, account no, =account, bank account number, "
        "routing number, sort code, account id, swift code, acct no, acct number, acct id, =acct, "
        "checking account, savings account number",
        de="Kontonummer, =Konto, Kontonr, Bankverbindung, Bankkonto, Kontoverbindung, IBAN-Nummer",
        fr="numéro de compte, compte bancaire, relevé d'identité bancaire, numéro de compte bancaire, "
        "coordonnées bancaires, =compte, =RIB, identifiant de compte",
        es="=cuenta, número de cuenta, cuenta bancaria, cuenta corriente, código cuenta cliente, CLABE, "
        "nro cuenta",
        it="conto corrente, numero conto, numero di conto, conto bancario, coordinate bancarie, "
        "numero conto corrente, =conto",
        tr="hesap no, hesap numarası, banka hesabı, banka hesap no, IBAN no, =hesap",
        zh="账号, 银行账号, 银行账户, 账户号, 帐号, 开户账号, 银行帐号, 收款账号, 账户号码",
        short="bank acct, acct num, =bic, =swift, clabe, ktonr, kto",
    ),
    _identifier(
        what="payment card",
        en="credit card, credit card number, card number, debit card, card no, payment card, cc number, "
        "security code, card id, debit card number, bank card",
        de="Kreditkarte, Kreditkartennummer, Kartennummer, EC-Karte, Kreditkartennr, Kartennr, Bankkarte",
        fr="carte bancaire, carte bleue, numéro de carte, carte de crédit, numéro de carte bancaire, "
        "numéro de CB",
        es="=tarjeta, tarjeta de crédito, número de tarjeta, tarjeta de débito, tarjeta bancaria",
        it="carta di credito, numero carta, numero di carta, carta di debito, bancomat, "
        "numero carta di credito",
        tr="kredi kartı, kart no, kart numarası, kredi kartı no, kredi kart no, banka kartı",
        zh="信用卡, 信用卡号, 卡号, 银行卡号, 银行卡, 借记卡号",
        short="num cb, no cb, num carta, =pan, ccn, cvv, cvc, ccnumber, ccnum",
    ),
    _identifier(
        what="vehicle plate or number",
        en="license plate, licence plate, number plate, plate number, =plate, vehicle registration, "
        "vehicle registration number, vehicle identification number, vehicle number, chassis number, "
        "plate no, vehicle plate, car registration, tag number, engine number, registration plate",
        de="=Kennzeichen, Kfz-Kennzeichen, Nummernschild, amtliches Kennzeichen, Fahrgestellnummer, "
        "Autokennzeichen, Fahrzeugidentifikationsnummer, Fahrzeug-Identifizierungsnummer, "
        "Fahrzeugkennzeichen, Kfz-Nummer",
        fr="=plaque, plaque d'immatriculation, immatriculation, numéro d'immatriculation, numéro de châssis",
        es="matrícula, placa, número de placa, número de bastidor, bastidor, patente del vehículo, "
        "placa del vehículo",
        it="targa, numero di targa, numero di telaio, telaio, targa veicolo, numero targa",
        tr="plaka, plaka no, araç plakası, şasi no, plaka numarası, şasi numarası, araç plaka",
        zh="车牌, 车牌号, 车牌号码, 车架号, 牌照, 车辆识别代号, 发动机号, 牌照号, 車牌",
        short="vehicle reg, reg plate, reg no, chassis no, immat, fin nr, ident nr, =vin, vin number, "
        "vin no, vin code, kfzkz, kfznr, =kfz",
    ),
    _identifier(
        what="web page",
        en="url, website, web site, homepage, home page, webpage, web page, =link, profile url, "
        "profile link, =linkedin, =twitter, =facebook, =instagram, twitter handle, instagram handle, "
        "facebook url, twitter url, social media handle, social handle, =handle, skype, telegram, "
        "web address, urls, orcid, linkedin url, facebook id, twitter id, =blog",
        de="Webseite, Internetseite, Internetadresse, Netzseite, Webadresse, Internetauftritt",
        fr="site web, page web, site internet, adresse web, page d'accueil, page personnelle, lien profil",
        es="página web, sitio web, página personal, enlace perfil, dirección web, redes sociales, =enlace",
        it="sito web, pagina web, sito internet, pagina personale, indirizzo web, profilo social",
        tr="web sitesi, internet sitesi, web adresi, web sayfası, internet adresi, sosyal medya, "
        "kişisel sayfa",
        zh="网址, 主页, 网站, 个人主页, 微信, 微信号, 微博, 链接, 网页, 社交账号, 抖音号",
        short="uri, =web, =www, qq, wechat, weibo, =href",
    ),
    _identifier(
        what="device or network address",
        en="ip, ip address, mac address, =mac, device id, device identifier, device number, imei, imsi, "
        "session id, cookie id, =cookie, advertising id, ip addr, =ipv, mac addr, "
        "device serial number, browser fingerprint, user agent, sim number, device token, "
        "session token, client ip, remote addr, device uuid, host ip",
        de="IP-Adresse, MAC-Adresse, Gerätenummer, Gerätekennung, Geräte-ID, Gerätenr, Sitzungskennung",
        fr="adresse IP, adresse MAC, identifiant appareil, identifiant de l'appareil, "
        "numéro de l'appareil, identifiant de session, identifiant terminal",
        es="dirección IP, dirección MAC, identificador de dispositivo, número de dispositivo, "
        "id dispositivo, identificador de sesión",
        it="indirizzo IP, indirizzo MAC, identificativo dispositivo, id dispositivo, codice dispositivo, "
        "id sessione",
        tr="IP adresi, MAC adresi, cihaz no, cihaz kimliği, cihaz numarası, cihaz seri no, IP no, "
        "oturum kimliği",
        zh="IP地址, MAC地址, 设备号, 设备编号, 设备标识, 网卡地址, 设备ID, 会话编号",
        short="ipaddr, macaddr, udid, idfa, gaid, meid, iccid",
    ),
    _identifier(
        what="coordinates",
        en="latitude, longitude, lat, lon, lng, =long, coordinates, =coordinate, lat lon, lat long, "
        "lat lng, gps, geolocation, geo location, geo point, geopoint, geohash, gps coordinates, "
        "geo coordinates, =coords, =geometry, =geom, easting, northing",
        de="Breitengrad, Längengrad, Koordinaten, Geokoordinaten, Geoposition, Koordinate, Hochwert, "
        "Rechtswert, geografische Breite, geografische Länge, GPS-Koordinaten",
        fr="coordonnées, coordonnées GPS, coordonnées géographiques, géolocalisation, position GPS, "
        "coordonnée",
        es="coordenadas, latitud, longitud, geolocalización, coordenadas GPS, coordenada, ubicación GPS",
        it="coordinate, latitudine, longitudine, geolocalizzazione, coordinate geografiche, coordinate GPS",
        tr="enlem, boylam, koordinat, koordinatlar, GPS konumu, enlem boylam, coğrafi konum",
        zh="纬度, 经度, 坐标, 经纬度, 定位, 地理坐标, 地理位置, 緯度, 經度",
        short="geolat, geolon, geolong, geo long, geo breite, geo länge, latlon, latlong, latlng, "
        "xcoord, ycoord, coordx, coordy",
    ),
    _identifier(
        what="user name or password",
        en="username, user name, login, login name, screen name, account name, =nick, user id, userid, "
        "=alias, password, passwd, password hash, api key, access token, pin code, secret key, =pin, "
        "secret question, passphrase, login id, logon, =user",
        de="Benutzername, Benutzerkennung, Anmeldename, Nutzername, Passwort, Kennwort, Nutzerkennung, "
        "Benutzer-ID, Kontoname, =Benutzer, =Nutzer",
        fr="nom d'utilisateur, pseudo, pseudonyme, mot de passe, identifiant de connexion, "
        "nom de compte, =utilisateur",
        es="=usuario, nombre de usuario, contraseña, clave de acceso, cuenta de usuario, alias de usuario",
        it="nome utente, =utente, password utente, parola d'ordine, nome account, codice utente",
        tr="kullanıcı adı, kullanıcı, şifre, parola, rumuz, kullanıcı kodu",
        zh="用户名, 昵称, 账户名, 登录名, 密码, 网名, 用户昵称, 登录账号, 口令, 帐户名, 用戶名",
        short="usr, pwd, uname, usrname, passwort",
    ),
    _identifier(
        what="picture, signature or biometric mark",
        en="profile pic, photo, photograph, picture, avatar, signature, fingerprint, biometric, "
        "biometrics, selfie, face id, voice print, face image, iris scan, portrait, photo url, "
        "dna sequence, genome, headshot, thumbprint, mugshot, profile image",
        de="Foto, Lichtbild, Passbild, Passfoto, Unterschrift, Fingerabdruck, Profilbild, Portrait, "
        "biometrische Daten, Signatur",
        fr="photographie, photo d'identité, empreinte digitale, =empreinte, portrait, signature électronique",
        es="fotografía, huella dactilar, =huella, foto de perfil, imagen de perfil, firma electrónica, "
        "firma digital, firma del paciente, firma del cliente",
        it="fotografia, impronta digitale, =impronta, immagine profilo, firma digitale, "
        "firma del cliente, firma del paziente, ritratto",
        tr="fotoğraf, resim, imza, parmak izi, profil resmi, vesikalık",
        zh="照片, 签名, 指纹, 头像, 相片, 人脸, 签字, 虹膜, 声纹, 证件照, 人脸照片",
    ),
)
