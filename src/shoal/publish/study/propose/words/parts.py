"""Parts of names that mean nothing, or little, by themselves."""

from shoal.publish.study.propose.words.concept import Concept

__all__ = ["EVENTS", "EXTRAS", "FLAGS", "LINKS", "NAME", "NUMBER", "PERSONS"]

# Whoever a column may speak of: "patient name", "Kundennummer".
PERSONS = Concept(
    what="person",
    role="identifier",
    kind="",
    en="person, patient, pt, landlord, bene, prescriber, witness, arrestee, alumni, counselor, "
    "instructor, professor, customer, membership, purchaser, host, resp, empl, kd, client, employee, "
    "student, pupil, user, member, subject, participant, respondent, citizen, resident, passenger, "
    "guest, tenant, owner, buyer, seller, borrower, applicant, candidate, beneficiary, insured, "
    "policy holder, voter, taxpayer, donor, victim, suspect, inmate, defendant, driver, worker, "
    "staff, doctor, physician, nurse, teacher, parent, mother, father, spouse, child, guardian, "
    "husband, wife, partner, contact, account holder, holder, cust, emp, patients, customers, "
    "employees, students, users, members, clients, persons, people, subscriber, personal, household, "
    "family, individual, author, player, cardholder, payer, payee, lender, manager, agent, "
    "supervisor, enrollee, learner, recipient, sender, receiver, stud, pers, pat, relative, baby, "
    "infant, practitioner, visitor, lead, prospect, shopper, panelist, case",
    de="Person, Kontakt, Lehrkraft, Debitor, Grundstückseigentümer, Personen, Patient, Patienten, "
    "Patientin, Kunde, Kunden, Mitarbeiter, Mitarbeiterin, Angestellter, Schüler, Schülerin, Student, "
    "Studenten, Studierende, Studierenden, Benutzer, Nutzer, Mitglied, Mitglieds, Mitglieder, "
    "Teilnehmer, Bürger, Einwohner, Versicherter, Versicherte, Versicherten, Antragsteller, Bewerber, "
    "Mieter, Eigentümer, Fahrer, Arzt, Lehrer, Eltern, Mutter, Vater, Ehepartner, Kind, Kindes, "
    "Betreuer, Proband, Probanden, Inhaber, Halter, Käufer, Verkäufer, Kreditnehmer, Spender, Wähler, "
    "Steuerpflichtiger, Arbeitnehmer, Gast, Personal, Auszubildender, Abonnent, Ansprech, Besteller, "
    "Empfänger, Absender, Sachbearbeiter, Vermieter, Beschäftigter, Beschäftigte, Klient, Klienten",
    fr="personne, patient, patiente, client, cliente, employé, employée, salarié, élève, étudiant, "
    "étudiante, utilisateur, membre, adhérent, participant, citoyen, habitant, assuré, locataire, "
    "propriétaire, conducteur, médecin, professeur, parent, mère, père, conjoint, enfant, "
    "bénéficiaire, demandeur, candidat, abonné, personnel, titulaire, acheteur, vendeur, allocataire, "
    "contribuable, donneur, électeur, usager, responsable, tuteur, destinataire, individu, agent",
    es="persona, paciente, cliente, empleado, empleada, trabajador, alumno, alumna, estudiante, usuario, "
    "miembro, socio, participante, ciudadano, habitante, asegurado, inquilino, propietario, "
    "conductor, médico, profesor, padre, madre, cónyuge, hijo, beneficiario, solicitante, candidato, "
    "titular, afiliado, personal, comprador, vendedor, contribuyente, donante, votante, tutor, "
    "contacto, destinatario, pasajero, huésped, docente",
    it="persona, paziente, cliente, dipendente, impiegato, lavoratore, alunno, studente, utente, membro, "
    "socio, partecipante, cittadino, abitante, assicurato, inquilino, proprietario, conducente, "
    "medico, professore, genitore, madre, padre, coniuge, figlio, beneficiario, richiedente, "
    "candidato, titolare, personale, acquirente, venditore, contribuente, donatore, elettore, tutore, "
    "contatto, destinatario, passeggero, ospite, docente, assistito",
    tr="kişi, hasta, müşteri, çalışan, personel, öğrenci, kullanıcı, üye, katılımcı, vatandaş, "
    "sigortalı, kiracı, sürücü, doktor, hekim, öğretmen, veli, anne, baba, çocuk, aday, başvuran, "
    "abone, memur, işçi, alıcı, satıcı, mükellef, bağışçı, seçmen, yolcu, misafir, sahip, yakını, "
    "hemşire",
    zh="患者, 病人, 客户, 顾客, 员工, 职工, 学生, 用户, 会员, 人员, 参与者, 居民, 公民, 被保险人, "
    "投保人, 租户, 业主, 司机, 医生, 老师, 教师, 家长, 母亲, 父亲, 配偶, 孩子, 监护人, 申请人, "
    "受试者, 个人, 本人, 家属, 乘客, 旅客, 借款人, 负责人, 法人, 收件人, 寄件人, 收货人, 受益人, "
    "被告, 原告, 当事人, 纳税人, 儿童, 新生儿, 医师, 护士, 教职工, 考生, 成员, 主治医生",
)

NAME = Concept(
    what="name",
    role="identifier",
    kind="",
    en="name, names",
    de="Name, Namen",
    fr="nom, noms",
    es="nombre",
    it="nome, nomi",
    tr="adı, isim, ismi",
    zh="名称",
    short="nm, nme",
)

NUMBER = Concept(
    what="number",
    role="identifier",
    kind="",
    en="id, ids, number, num, no, nbr, code, key, ref, reference, identifier, identification",
    de="Nummer, Nr, Kennung, Schlüssel, Kennziffer, Kennzahl, Code, Num",
    fr="numéro, no, code, identifiant, réf, référence, clé",
    es="número, nro, código, cod, clave, identificador, id, identificación, referencia",
    it="numero, codice, cod, identificativo, chiave, riferimento, id",
    tr="no, numara, numarası, kodu, kod, kimlik, sicil, id",
    zh="号, 号码, 编号, 代码, 编码, 码, 序号",
    short="id, nr, uuid, guid, uid, cd, pk, fk, sk, hash",
)

# What happens once: its number leads to one record of somebody else's files.
EVENTS = Concept(
    what="event",
    role="identifier",
    kind="",
    en="case, visit, loan, meter, encounter, admission, order, invoice, claim, transaction, ticket, "
    "booking, reservation, contract, application, appointment, prescription, specimen, sample, "
    "session, accession, stay, episode, receipt, payment, shipment, complaint, incident, enrollment, "
    "enrolment, subscription, purchase, trip, ride, document, file, record, chart, hadm, referral, "
    "policy, account, card, badge, insurance, passport, licence, license, certificate, response, "
    "submission, vehicle, device, health insurance",
    de="Fall, Aufnahme, Auftrag, Auftrags, Rechnung, Rechnungs, Bestellung, Bestell, Vertrag, Vertrags, "
    "Buchung, Buchungs, Antrag, Antrags, Vorgang, Vorgangs, Akte, Akten, Beleg, Probe, Proben, "
    "Befund, Karte, Karten, Ausweis, Versicherung, Versicherungs, Zahlung, Lieferung, Reservierung, "
    "Aufenthalt, Aufenthalts, Besuch, Fahrzeug, Gerät, Geräte, Fragebogen, Bescheid",
    fr="dossier, séjour, commande, facture, contrat, transaction, consultation, réservation, demande, "
    "billet, carte, sinistre, visite, paiement, hospitalisation, échantillon, réclamation, examen, "
    "assurance, appareil, véhicule, passage, venue, inscription",
    es="caso, pedido, factura, contrato, transacción, consulta, reserva, solicitud, boleto, tarjeta, "
    "expediente, episodio, visita, pago, muestra, reclamo, trámite, cita, seguro, vehículo, "
    "dispositivo, registro, orden, compra",
    it="caso, ordine, fattura, contratto, transazione, prenotazione, richiesta, biglietto, tessera, "
    "pratica, visita, ricovero, pagamento, campione, reclamo, appuntamento, scheda, dispositivo, "
    "veicolo, esame, accesso",
    tr="vaka, sipariş, fatura, sözleşme, işlem, rezervasyon, başvuru, bilet, kart, dosya, protokol, "
    "ziyaret, ödeme, numune, şikayet kayıt, randevu, cihaz, araç, kayıt, talep, poliçe, yatış",
    zh="病例, 案件, 订单, 发票, 合同, 交易, 预约, 申请, 票, 卡, 档案, 就诊, 住院, 支付, 样本, 投诉, "
    "保单, 门诊, 设备, 车辆, 记录, 登记, 问卷, 快递, 账单",
)

# With one of these a column is about a thing, it does not hold it: "phone_type", "has_email", "Anzahl Kunden".
FLAGS = Concept(
    what="flag",
    role="plain",
    kind="",
    en="is, has, had, have, was, were, flag, type, types, status, count, cnt, counts, total, sum, avg, "
    "average, mean, median, min, max, std, lines, pct, percent, percentage, ratio, rate, share, "
    "verified, valid, validated, enabled, available, opt, optin, consent, allowed, service, services, "
    "plan, provider, carrier, brand, model, length, len, size, category, cat, class, group, version, "
    "format, source, method, channel, domain, reason, usage, per, kind, indicator, freq, frequency, "
    "segment, confirmed, bool, use, uses, missing, known, limit, color, colour, make, issuer, "
    "network, manufacturer, score, level, tier, subscribed, preference, mode, match, matches, "
    "changed, changes, support, calls, minutes, churn, clicks, opened, sent, bounced, range, quality, "
    "error, errors, attempts, variable, column, field, table",
    de="Typ, Typen, Art, Status, Anzahl, Summe, Mittelwert, Durchschnitt, Anteil, Kategorie, Klasse, "
    "Gruppe, vorhanden, gültig, Quote, ja nein, bestätigt, Marke, Modell, Anbieter, Kanal, Zahl, "
    "Häufigkeit, Zustimmung, Einwilligung, Länge, Stufe, Grund, Merkmal, Dauer, Segment, Datei, Tarif",
    fr="type, statut, nb, nbre, total, moyenne, taux, catégorie, groupe, classe, indicateur, part, "
    "somme, présence, marque, modèle, motif, effectif, quantité, consentement, longueur, durée, "
    "fréquence, fournisseur, opérateur, niveau",
    es="tipo, cantidad, total, promedio, categoría, grupo, clase, indicador, tasa, suma, media, tiene, "
    "marca, modelo, motivo, porcentaje, nivel, consentimiento, duración, frecuencia, proveedor, "
    "operador, estado",
    it="tipo, tipologia, totale, media, categoria, gruppo, classe, indicatore, tasso, somma, quantità, "
    "marca, modello, motivo, percentuale, livello, consenso, durata, frequenza, fornitore, operatore, "
    "lunghezza, presenza",
    tr="tür, türü, tip, tipi, sayı, sayısı, adet, toplam, ortalama, durum, durumu, grup, grubu, oran, "
    "oranı, var mı, marka, model, neden, süre, sıklık, onay, seviye, düzey, kategori, operatör",
    zh="类型, 种类, 状态, 数量, 次数, 是否, 平均, 总数, 率, 等级, 类别, 品牌, 型号, 人数, 个数, 比例, "
    "性质, 方式, 原因, 级别, 分类, 合计, 总额, 有无, 运营商",
)

# Small words between the others. Not "at": an age at diagnosis is an age.
LINKS = frozenset(
    "of the a an for in on to and or by with from "
    "der die das des dem den von vom zu zur zum und am im fuer "
    "de la le les du des d l et en au aux a y el los las del "
    "e il lo gli di da della dello dei degli delle dell al alla ve ile s".split()
)

# Words that say which one of several, or come from a database: "primary phone", "tbl_patient_id".
EXTRAS = frozenset(
    "primary secondary main current home work private privat prev previous old new orig original my your our their "
    "his her src tgt tbl col fld dim raw stg".split()
)
