"""What a person would rather not tell, and free text, which may tell anything."""

from functools import partial

from shoal.publish.study.propose.words.concept import Concept

__all__ = ["SENSITIVE"]

_sensitive = partial(Concept, role="sensitive")

SENSITIVE = (
    _sensitive(
        what="diagnosis",
        kind="code",
        en="diagnosis, diagnoses, primary diagnosis, icd, icd code, diagnosis code, cause of death, "
        "admitting diagnosis, reason for admission, snomed, drg, death cause, principal diagnosis",
        de="Diagnose, Diagnosen, Hauptdiagnose, Nebendiagnose, Todesursache, Diagnoseschlüssel, "
        "Diagnosecode, Aufnahmediagnose, Entlassdiagnose, Entlassungsdiagnose",
        fr="diagnostic, diagnostics, diagnostic principal, diagnostic associé, cause de décès, "
        "cause du décès, CIM, motif d'hospitalisation",
        es="diagnóstico, diagnósticos, diagnóstico principal, causa de muerte, causa de defunción, CIE, "
        "motivo de ingreso, motivo de consulta",
        it="diagnosi, diagnosi principale, causa di morte, causa del decesso, diagnosi di ingresso, "
        "diagnosi di dimissione",
        tr="tanı, teşhis, ön tanı, ölüm nedeni, tanı kodu, teşhis kodu, ana tanı",
        zh="诊断, 诊断结果, 诊断编码, 主要诊断, 死因, 死亡原因, 疾病编码, 出院诊断, 入院诊断, 疾病诊断, 診斷",
        short="hauptdiag, nebendiag, diag, dx, diagcode, icdcode, pdx, cie, cim",
    ),
    _sensitive(
        what="illness",
        kind="word",
        en="disease, illness, medical condition, health condition, disorder, syndrome, comorbidity, "
        "comorbidities, symptom, symptoms, complaint, chief complaint, pathology, hiv, aids, "
        "hiv status, cancer, tumor, tumour, diabetes, diabetic, covid, hepatitis, depression, "
        "anxiety, allergy, allergies, pregnant, pregnancy, medical history, mental health, "
        "health status, hypertension, asthma, stroke, infection, sick leave, sick days, blood type, "
        "blood group, =conditions, injury, mutation, genotype, gene, chronic, heart disease, "
        "cancer stage, tumor stage, medical conditions",
        de="Krankheit, Erkrankung, Vorerkrankung, Vorerkrankungen, Grunderkrankung, Symptom, Symptome, "
        "Beschwerden, Allergie, Allergien, schwanger, Schwangerschaft, Krebs, Tumor, Befund, "
        "Blutgruppe, Krankheitstage, Fehltage, Gesundheitszustand, Infektion, Verletzung, "
        "Krankheitsbild, Komplikation, Begleiterkrankung, Krankmeldung, Depression, Herzinfarkt",
        fr="maladie, pathologie, symptôme, symptômes, antécédents, allergie, allergies, enceinte, "
        "grossesse, cancer, tumeur, groupe sanguin, arrêt maladie, état de santé, comorbidité, VIH, "
        "sida, diabète, blessure, affection, antécédents médicaux",
        es="enfermedad, enfermedades, patología, síntoma, síntomas, antecedentes, alergia, alergias, "
        "embarazada, embarazo, cáncer, tumor, grupo sanguíneo, baja médica, estado de salud, "
        "comorbilidad, VIH, sida, diabetes, lesión, padecimiento, tipo de sangre, baja por enfermedad",
        it="malattia, malattie, patologia, sintomo, sintomi, anamnesi patologica, allergia, allergie, "
        "incinta, gravidanza, cancro, tumore, gruppo sanguigno, stato di salute, comorbidità, "
        "diabete, infortunio, giorni di malattia, patologie",
        tr="hastalık, hastalıklar, semptom, semptomlar, şikayet, alerji, hamile, hamilelik, gebelik, "
        "kanser, tümör, kan grubu, sağlık durumu, kronik hastalık, diyabet, belirti, "
        "rapor gün sayısı, bulaşıcı hastalık, enfeksiyon",
        zh="疾病, 病症, 病名, 症状, 过敏, 过敏史, 怀孕, 妊娠, 癌症, 肿瘤, 血型, 健康状况, 并发症, "
        "艾滋病, 糖尿病, 高血压, 既往史, 既往病史, 病种, 传染病, 病情, 疾病名称, 患病, 合并症, "
        "慢性病, 疾病史",
        short="htn, copd, ckd, mdd, ptsd",
    ),
    _sensitive(
        what="medical measurement",
        kind="amount",
        en="blood pressure, cholesterol, glucose, bmi, body mass index, hba1c, lab result, test result, "
        "viral load, heart rate, systolic, diastolic, hemoglobin, haemoglobin, creatinine, "
        "blood sugar, triglycerides, ldl, hdl, insulin, lab value, cd4 count, pulse, "
        "oxygen saturation, glucose level, blood glucose, resting blood pressure, platelets, leukocytes, "
        "white blood cells, bilirubin, albumin, ferritin, potassium, sodium, urea, c reactive protein, "
        "thyrotropin, vitamin d",
        de="Blutdruck, Cholesterin, Blutzucker, Laborwert, Laborergebnis, Testergebnis, Herzfrequenz, "
        "Puls, Hämoglobin, Körpermasseindex, Leberwert, Laborwerte, Körpertemperatur, Kreatinin, Glukose, Leukozyten, "
        "Thrombozyten, Kalium, Natrium, Harnstoff, Ferritin",
        fr="tension artérielle, pression artérielle, cholestérol, glycémie, résultat d'analyse, "
        "fréquence cardiaque, IMC, pouls, hémoglobine, résultat de laboratoire, créatinine, plaquettes, leucocytes",
        es="presión arterial, tensión arterial, colesterol, glucosa, glucemia, frecuencia cardíaca, IMC, "
        "pulso, hemoglobina, resultado de laboratorio, índice de masa corporal, creatinina, plaquetas, leucocitos",
        it="pressione arteriosa, colesterolo, glicemia, frequenza cardiaca, IMC, polso, emoglobina, "
        "risultato di laboratorio, esito esame, indice di massa corporea, glucosio, creatinina, piastrine, leucociti",
        tr="tansiyon, kan basıncı, kolesterol, kan şekeri, nabız, hemoglobin, tahlil sonucu, "
        "vücut kitle indeksi, glikoz, test sonucu",
        zh="血压, 胆固醇, 血糖, 化验结果, 心率, 脉搏, 血红蛋白, 检查结果, 体质指数, 体温, 收缩压, "
        "舒张压, 检验结果, 检测结果, 甘油三酯",
        short="sbp, dbp, chol, trestbps, hgb, egfr, tsh, crp, =pcr, =ves, =ast, =alt, ggt, inr, ferr, psa, "
        "mg dl, mmol l, g dl, ng ml, miu l, u l, mmhg",
    ),
    _sensitive(
        what="medicine or treatment",
        kind="word",
        en="drug, medication, medicine, medications, medicines, drugs, prescription, atc, atc code, ndc, "
        "treatment, therapy, procedure, surgery, vaccine, vaccination, immunization, dose, dosage, "
        "active ingredient, drug code, surgical procedure, procedure code, prescriptions, procedures, "
        "cpt, treatments, abortion, contraception, contraceptive, chemotherapy",
        de="Medikament, Medikamente, Medikation, Arzneimittel, Wirkstoff, Therapie, Behandlung, "
        "Eingriff, Rezept, Impfung, Impfstoff, Dosis, Dosierung, Operation, PZN, Prozedur, "
        "Prozedurenschlüssel, Behandlungsart, Operationsart, OPS-Code, Impfstatus",
        fr="médicament, médicaments, ordonnance, prescription, traitement, thérapie, vaccin, "
        "vaccination, chirurgie, intervention chirurgicale, principe actif, posologie, acte médical, "
        "CCAM, =intervention",
        es="medicamento, medicamentos, fármaco, fármacos, receta, tratamiento, terapia, vacuna, "
        "vacunación, cirugía, dosis, principio activo, intervención quirúrgica, medicación, "
        "procedimiento médico, procedimiento",
        it="farmaco, farmaci, medicinale, medicinali, ricetta, trattamento, terapia, vaccino, "
        "vaccinazione, intervento chirurgico, dosaggio, principio attivo, cura, procedura chirurgica",
        tr="ilaç, ilaçlar, reçete, tedavi, aşı, ameliyat, doz, etken madde, terapi, cerrahi işlem, "
        "tedavi şekli",
        zh="药品, 药物, 药名, 处方, 治疗, 手术, 疫苗, 剂量, 用药, 治疗方案, 手术名称, 接种, 药品名称, "
        "用药情况, 化疗, 手术编码",
        short="proc code, rx, meds, medicament",
    ),
    _sensitive(
        what="sexual life",
        kind="word",
        en="sexual orientation, sexual preference, sexual identity, gender identity, sexuality, lgbt, "
        "lgbtq, transgender, sexual partners, sexually active, sexual behavior, sexual behaviour, "
        "sexual activity, sexual abuse, sex life, sexual history",
        de="sexuelle Orientierung, Geschlechtsidentität, Sexualität, sexuelle Identität, "
        "sexuelle Neigung, Sexualleben",
        fr="orientation sexuelle, identité de genre, sexualité, vie sexuelle, préférence sexuelle",
        es="orientación sexual, identidad de género, sexualidad, vida sexual, preferencia sexual",
        it="orientamento sessuale, identità di genere, sessualità, vita sessuale, preferenza sessuale",
        tr="cinsel yönelim, cinsel kimlik, cinsiyet kimliği, cinsel tercih, cinsel hayat",
        zh="性取向, 性倾向, 性别认同, 性生活, 性行为",
    ),
    _sensitive(
        what="belief",
        kind="word",
        en="religion, religious, faith, denomination, church, belief, beliefs, creed, "
        "religious affiliation, religious belief, philosophical belief, confession",
        de="Konfession, Religion, Religionszugehörigkeit, Glaube, Glaubensbekenntnis, Kirche, "
        "Kirchensteuer, Kirchenzugehörigkeit, Bekenntnis, Weltanschauung, Kirchensteuermerkmal",
        fr="religion, culte, confession religieuse, croyance, appartenance religieuse, croyances",
        es="religión, creencia, creencias, confesión religiosa, credo, iglesia, fe religiosa",
        it="religione, culto, credo religioso, confessione religiosa, fede religiosa, credenza, "
        "appartenenza religiosa",
        tr="=din, mezhep, inanç, dini inanç, dini",
        zh="宗教, 信仰, 宗教信仰, 教派",
    ),
    _sensitive(
        what="politics or union",
        kind="word",
        en="political party, =party, party affiliation, political opinion, political views, "
        "political affiliation, political affil, vote, voted, ideology, =union, trade union, "
        "labor union, labour union, union membership, union member, voting intention, "
        "party membership, party id, political leaning, candidate voted",
        de="Partei, Parteizugehörigkeit, Gewerkschaft, Gewerkschaftszugehörigkeit, politische Meinung, "
        "Wahlabsicht, politische Einstellung, Gewerkschaftsmitglied, Wahlverhalten, Parteimitglied",
        fr="parti politique, opinion politique, syndicat, appartenance syndicale, =parti, "
        "intention de vote, syndiqué, opinions politiques",
        es="partido, partido político, opinión política, sindicato, afiliación sindical, "
        "afiliación política, ideología, intención de voto, sindicalizado",
        it="partito, partito politico, opinione politica, sindacato, iscrizione sindacale, "
        "orientamento politico, intenzione di voto, appartenenza sindacale",
        tr="siyasi parti, siyasi görüş, sendika, parti üyeliği, sendika üyeliği, oy verdiği parti, "
        "oy tercihi",
        zh="政党, 党派, 政治面貌, 工会, 党员, 政治观点, 工会会员, 是否党员",
    ),
    _sensitive(
        what="income",
        kind="amount",
        en="income, poverty, poverty status, salary, wage, wages, earnings, =pay, compensation, bonus, "
        "remuneration, annual income, household income, net worth, wealth, pension, savings, "
        "capital gain, capital loss, salary class, family income, hourly wage, hourly pay, gross pay, "
        "net pay, base pay, base salary, incomes, payroll, annual salary, monthly income, "
        "hourly rate, daily rate, monthly rate, =assets, commission, income class, dividends, "
        "stipend, pay rate, pay grade, alimony, gross income, net income, take home pay",
        de="Gehalt, Einkommen, Lohn, Verdienst, Vergütung, Besoldung, Rente, Vermögen, Nettoeinkommen, "
        "Bruttolohn, Bruttogehalt, Jahresgehalt, Monatsgehalt, Haushaltseinkommen, Stundenlohn, "
        "Prämie, Bruttoeinkommen, Nettolohn, Gehaltsstufe, Entgelt, Entgeltgruppe, Besoldungsgruppe, "
        "Jahreseinkommen, Monatseinkommen, Nettogehalt, Pension, Ersparnisse, Gehaltsklasse, "
        "Lohngruppe, Einkünfte, Honorar",
        fr="salaire, revenu, revenus, rémunération, paie, patrimoine, salaire brut, salaire net, "
        "revenu annuel, =prime, retraite, revenu mensuel, revenu fiscal, pension de retraite, "
        "revenu fiscal de référence, épargne, salaires, gains, revenu du ménage, quotient familial, "
        "traitement mensuel, traitement indiciaire",
        es="salario, sueldo, ingresos, ingreso mensual, ingreso anual, nómina, patrimonio, renta, "
        "pensión, remuneración, salario bruto, ingreso familiar, ahorros, jornal, retribución, "
        "=ingreso, nivel de ingresos, sueldo bruto, salario neto",
        it="stipendio, reddito, retribuzione, paga, salario, pensione, reddito annuo, patrimonio, "
        "compenso, stipendio lordo, reddito familiare, risparmi, busta paga, ISEE, "
        "retribuzione lorda, reddito complessivo, redditi, stipendio netto",
        tr="maaş, gelir, ücret, kazanç, emekli maaşı, aylık gelir, yıllık gelir, hane geliri, =prim, "
        "brüt maaş, net maaş, ikramiye, aylık maaş, birikim, servet",
        zh="工资, 收入, 薪资, 薪水, 年薪, 月薪, 奖金, 月收入, 年收入, 家庭收入, 退休金, 养老金, 薪酬, "
        "基本工资, 资产, 存款, 实发工资, 应发工资, 补贴, 津贴, 可支配收入",
        short="=inc, hhincome, inctot, incwage, ttlp, faminc, hhinc, =sal, =agi",
    ),
    _sensitive(
        what="money owed or owned",
        kind="amount",
        en="balance, account balance, debt, loan, loan amount, credit score, credit limit, "
        "credit rating, credit history, mortgage, overdraft, =default, arrears, bankruptcy, "
        "bankruptcies, credit amount, =credit, loan status, social benefit, welfare, benefits, "
        "unemployment benefit, food stamps, delinquent, foreclosure, insolvency, fico, "
        "housing benefit, rent arrears, credit worthiness, healthcare expenses, donation, "
        "medical costs",
        de="Kontostand, Saldo, Schulden, Kredit, Darlehen, Bonität, Hypothek, Schufa, Insolvenz, "
        "Kreditrahmen, Sozialhilfe, Bürgergeld, Arbeitslosengeld, Wohngeld, Kredithöhe, Kreditbetrag, "
        "Verschuldung, Zahlungsverzug, Mahnstufe, Mahnung, Leistungsbezug, Pfändung, Kindergeld, "
        "Transferleistung, Sozialleistung, Schuldenstand",
        fr="solde, dette, dettes, prêt, crédit, hypothèque, découvert, endettement, surendettement, "
        "allocation, allocations, aide sociale, montant du prêt, RSA, APL, impayé, impayés, "
        "prestations sociales, solde du compte",
        es="saldo, deuda, deudas, préstamo, crédito, hipoteca, morosidad, límite de crédito, prestación, "
        "subsidio, ayuda social, embargo, mora, monto del préstamo, historial crediticio, "
        "prestaciones",
        it="saldo, debito, debiti, mutuo, prestito, credito, fido, sussidio, pignoramento, rata mutuo, "
        "assegno sociale, reddito di cittadinanza, importo del prestito, insolvenza, ipoteca",
        tr="bakiye, borç, kredi, kredi notu, kredi limiti, ipotek, icra, sosyal yardım, işsizlik maaşı, "
        "kredi tutarı, haciz, kredi puanı",
        zh="余额, 债务, 贷款, 贷款金额, 信用评分, 信用额度, 房贷, 负债, 低保, 账户余额, 信用, 欠款, "
        "征信, 违约, 抵押, 贷款余额, 社会救助, 信用等级",
        short="=bal, ficoscore, ltv, dti",
    ),
    _sensitive(
        what="crime",
        kind="word",
        en="conviction, offence, offense, crime, criminal record, arrest, sentence length, convictions, "
        "=sentence, recidivism, criminal history, prior convictions, crime type, offense type, "
        "=charges, two year recid, is recid, prison, arrests, disciplinary action, arrest charge, "
        "probation, parole, felony, misdemeanor, priors count",
        de="Straftat, Vorstrafe, Vorstrafen, Verurteilung, Delikt, Haft, Führungszeugnis, Strafmaß, "
        "Straftaten, Tatvorwurf, Strafe, Deliktart, Haftdauer, Abmahnung, Bußgeld",
        fr="infraction, condamnation, délit, casier judiciaire, détention, peine, garde à vue, récidive, "
        "condamnations, infractions",
        es="delito, condena, antecedentes penales, detención, reincidencia, sentencia, delitos, "
        "infracción, tipo de delito, pena",
        it="reato, condanna, casellario, precedenti penali, detenzione, recidiva, condanne, "
        "casellario giudiziale, reati, sanzione",
        tr="suç, mahkumiyet, sabıka, adli sicil, ceza, tutuklama, suç türü, hüküm, sabıka kaydı, "
        "adli sicil kaydı",
        zh="犯罪, 罪名, 刑期, 犯罪记录, 前科, 处分, 违法, 犯罪类型, 拘留, 处罚, 案由",
    ),
    _sensitive(
        what="grade or judgement",
        kind="order",
        en="grade, gpa, mark, marks, score, exam score, test score, performance rating, evaluation, "
        "final grade, grades, appraisal, performance review, exam result, sat score, act score, iq, "
        "exam grade, performance score, exam marks, scores, math score, reading score, writing score, "
        "rating, assessment score, risk score, report card, satisfaction",
        de="Note, Noten, Zensur, Prüfungsnote, Abschlussnote, Beurteilung, Schulnote, Endnote, "
        "Gesamtnote, Punktzahl, Leistungsbeurteilung, Durchschnittsnote, Zeugnisnote, "
        "Prüfungsergebnis, Bewertung, Examensnote, Zeugnis, Notenschnitt, Abiturnote, Mathenote, "
        "Versetzung",
        fr="note, notes d'examen, moyenne générale, =mention, résultat d'examen, note finale, "
        "moyenne, évaluation, appréciation, note globale, résultat scolaire, notation, bulletin, "
        "moyenne trimestrielle",
        es="nota, calificación, calificaciones, puntuación, nota final, nota media, evaluación, puntaje, "
        "nota de examen, rendimiento académico, promedio académico, desempeño",
        it="voto, voti, punteggio, valutazione, voto finale, voto di laurea, media voti, giudizio, "
        "voto esame, votazione, pagella, voto di maturità",
        tr="=not, not ortalaması, puan, karne, sınav notu, başarı notu, sınav puanı, sınav sonucu, "
        "değerlendirme, performans puanı, ders notu, mezuniyet notu, vize notu, final notu, "
        "diploma notu",
        zh="成绩, 分数, 绩点, 评分, 得分, 考试成绩, 总分, 绩效, 考核结果, 评价, 平均分, 考核, 绩效等级, "
        "高考成绩, 期末成绩",
        short="cgpa, =sat, lsat, gmat, iqscore",
    ),
    _sensitive(
        what="disability or care",
        kind="word",
        en="disability, disabled, disabilities, handicap, handicapped, special needs, care level, "
        "disability status, impairment, wheelchair, special education, iep status",
        de="Behinderung, Schwerbehinderung, Grad der Behinderung, Pflegegrad, Pflegestufe, "
        "schwerbehindert, behindert, Behinderungsgrad, Merkzeichen, Förderbedarf, "
        "Pflegebedürftigkeit, Erwerbsminderung",
        fr="handicap, invalidité, taux d'invalidité, situation de handicap, handicapé, dépendance, RQTH, "
        "degré de dépendance",
        es="discapacidad, grado de discapacidad, minusvalía, invalidez, discapacitado, grado de dependencia",
        it="disabilità, invalidità, grado di invalidità, handicap, disabile, percentuale di invalidità, "
        "non autosufficienza",
        tr="engel durumu, engelli, engellilik, engel oranı, özürlü, maluliyet, bakım derecesi, engel türü",
        zh="残疾, 残疾等级, 残疾类别, 残障, 护理等级, 伤残等级, 残疾证",
        short="gdb, disab",
    ),
    _sensitive(
        what="habits and addiction",
        kind="word",
        en="smoker, smoking, smoking status, alcohol, alcohol use, drinking, drug use, addiction, "
        "substance abuse, substance use, cigarettes, tobacco, gambling, smokes, smoke, drinker, "
        "alcohol consumption",
        de="Raucher, Rauchen, Raucherstatus, Alkohol, Alkoholkonsum, Sucht, Drogen, Drogenkonsum, "
        "Suchterkrankung, Nikotin, Tabak",
        fr="fumeur, tabac, tabagisme, alcool, consommation d'alcool, toxicomanie, dépendance alcool, "
        "addiction, drogue",
        es="fumador, tabaco, tabaquismo, alcohol, consumo de alcohol, adicción, drogas, alcoholismo, fuma",
        it="fumatore, fumo, tabagismo, alcol, consumo di alcol, dipendenza da sostanze, droga, "
        "tossicodipendenza, fumatrice",
        tr="sigara, sigara kullanımı, alkol, alkol kullanımı, bağımlılık, madde kullanımı, sigara içme",
        zh="吸烟, 吸烟史, 饮酒, 饮酒史, 吸毒, 抽烟, 烟龄, 是否吸烟, 成瘾",
    ),
    _sensitive(
        what="residence title",
        kind="word",
        en="asylum, asylum status, visa status, residence permit, immigration status, refugee, "
        "refugee status, visa type",
        de="Aufenthaltsstatus, Aufenthaltstitel, Asyl, Asylstatus, Duldung, Flüchtling, Aufenthaltserlaubnis",
        fr="titre de séjour, asile, statut de réfugié, réfugié, demandeur d'asile",
        es="permiso de residencia, asilo, refugiado, situación migratoria, estatus migratorio",
        it="permesso di soggiorno, asilo, rifugiato, richiedente asilo",
        tr="oturma izni, ikamet izni, sığınma, mülteci, iltica",
        zh="签证类型, 居留许可, 难民, 庇护",
    ),
    Concept(
        what="free text",
        role="drop",
        kind="text",
        en="comment, comments, remark, remarks, notes, free text, memo, narrative, message, feedback, "
        "clinical notes, messages, doctor notes, review text, anamnesis, body text, =transcript, "
        "discharge summary, nurse notes, testimony, note text, report text, open answer, open ended, "
        "biography, cover letter, =observations, clinical note, progress note, complaint text, "
        "other specify, description text",
        de="Bemerkung, Bemerkungen, Kommentar, Kommentare, Anmerkung, Anmerkungen, Notiz, Notizen, "
        "Freitext, Anamnese, Befundtext, Arztbrief, Nachricht, Hinweis, Hinweise, Epikrise, "
        "Beschreibungstext, Lebenslauf, Rückmeldung, Vermerk, Entlassbrief, Entlassungsbericht, "
        "Bericht, Befundbericht",
        fr="commentaire, commentaires, remarque, remarques, =observation, texte libre, compte rendu, "
        "commentaire libre, notes libres, lettre de sortie, biographie, précisions, compte-rendu",
        es="comentario, comentarios, observaciones, observación, notas, texto libre, anotaciones, "
        "mensaje, informe clínico, notas clínicas, informe, biografía, anamnesis del paciente",
        it="commento, commenti, osservazioni, annotazioni, testo libero, messaggio, referto, anamnesi, "
        "appunti, nota libera, lettera di dimissione, biografia, annotazione",
        tr="açıklama, yorum, yorumlar, notlar, serbest metin, mesaj, öykü, epikriz, görüşler, "
        "açıklamalar, doktor notu, özgeçmiş",
        zh="备注, 评论, 说明, 病史, 意见, 主诉, 留言, 描述, 现病史, 病程记录, 出院小结, 反馈, 简历, "
        "备注信息, 附言, 备 注, 病历",
        short="freetext, remarks, =txt, =cv",
    ),
)
