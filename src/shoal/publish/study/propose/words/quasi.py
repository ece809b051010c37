"""What others may know about a person: together such columns tell who somebody is."""

from functools import partial

from shoal.publish.study.propose.words.concept import Concept

__all__ = ["QUASI"]

_quasi = partial(Concept, role="quasi")

QUASI = (
    _quasi(
        what="birth date",
        kind="date",
        en="date of birth, birth date, birthday, birthdate, born, birth, born on, birth dt, date birth, "
        "birth day, bday, birth datetime",
        de="Geburtsdatum, Geburtstag, geboren, geboren am, Geb-Datum, Geburt, Gebdatum, Geburtsdat",
        fr="date de naissance, naissance, date naissance, jour de naissance, anniversaire",
        es="fecha de nacimiento, nacimiento, fecha nacimiento, nacido el, fec nacimiento, cumpleaños, "
        "fecha de nac, fecha nac",
        it="data di nascita, nascita, data nascita, compleanno",
        tr="doğum tarihi, doğum, doğum günü, doğum tarih",
        zh="出生日期, 出生, 生日, 出生年月, 出生年月日, 出生时间, 诞生日, 出生日",
        short="dob, gebdat, gebdatum, fnac, fechanac, ddn, bdate, dtnasc, dnasc, csrq, fecnac, datnais",
    ),
    _quasi(
        what="birth year",
        kind="date",
        en="birth year, year of birth, year born, yearbirth",
        de="Geburtsjahr, Jahrgang, Gebjahr, Geburtsjahrgang",
        fr="année de naissance, année naissance",
        es="año de nacimiento, año nacimiento, anio de nacimiento, anio nacimiento",
        it="anno di nascita, anno nascita",
        tr="doğum yılı, doğum yıl",
        zh="出生年, 出生年份",
        short="birthyr, yob, dobyy, byear, dobyear, gebjahr, doby",
    ),
    _quasi(
        what="birth month or day",
        kind="order",
        en="birth month, month of birth, birth quarter, quarter of birth, day of birth",
        de="Geburtsmonat",
        fr="mois de naissance, mois naissance",
        es="mes de nacimiento, mes nacimiento",
        it="mese di nascita, mese nascita",
        tr="doğum ayı, doğum ay",
        zh="出生月份, 出生月",
        short="dobmm, dobdd, mob, bmonth, birthqtr, dobmonth",
    ),
    _quasi(
        what="age",
        kind="age",
        en="age, age group, age class, age years, years old, age in years, age range, age band, "
        "age bracket, ages, age category",
        de="Alter, Lebensalter, Altersgruppe, Altersklasse, Alter in Jahren, Lebensjahre, "
        "Eintrittsalter, Altersstufe",
        fr="âge, tranche d'âge, classe d'âge, groupe d'âge, âge en années",
        es="edad, grupo de edad, rango de edad, grupo etario, edad en años, tramo de edad",
        it="età, fascia d'età, classe d'età, fascia di età, età in anni, classe di età",
        tr="yaş, yaş grubu, yaş aralığı",
        zh="年龄, 年龄段, 年龄组, 岁数, 周岁, 年齡",
        short="agegrp, agegroup, ageyrs, agep, agex, ageyears, yrsold",
    ),
    _quasi(
        what="date of death",
        kind="date",
        en="date of death, death date, deceased date, deathdate, date died, deceased at, death dt, "
        "died on, =death",
        de="Sterbedatum, Todesdatum, Todestag, gestorben am, Sterbetag, verstorben am",
        fr="date de décès, date du décès, décès, décédé le",
        es="fecha de defunción, fecha de muerte, fecha de fallecimiento, defunción, fallecimiento",
        it="data di morte, data di decesso, decesso, data del decesso, deceduto il",
        tr="ölüm tarihi, vefat tarihi, ölüm, vefat",
        zh="死亡日期, 死亡时间, 逝世日期",
        short="dod, deathdt",
    ),
    _quasi(
        what="date",
        kind="date",
        en="date, datetime, timestamp, created at, updated at, last login, date time, created on, "
        "hire date, hired, start date, end date, dates, created, modified, updated, registered at, "
        "deleted at, admitted at, discharged at, date added, last seen, expiry, expiration, since, "
        "last visit, signed up, last modified, last updated, date joined, =start, =stop, admit dt, "
        "visit dt, issued at, paid at, ordered at, year built, graduation year, admission year",
        de="Datum, seit, Untersuchungstag, Zeitstempel, Eintritt, Eintrittsdatum, Austritt, "
        "Aufnahmedatum, Entlassdatum, Entlassungsdatum, Zeitpunkt, Stichtag, erstellt am, "
        "Einstellungsdatum, Untersuchungsdatum, Behandlungsdatum, Beginn, Ende, Gültig bis, "
        "gültig ab, Buchungstag, Buchungsdatum, Aufnahmetag, Entlasstag, Austrittsdatum, Anlagedatum, "
        "geändert am, Termin, Rechnungsdatum, Bestelldatum, Einzugsdatum, angelegt am, Kaufdatum",
        fr="date, horodatage, date d'entrée, date de sortie, date d'admission, date d'embauche, créé le, "
        "date de début, date de fin, date d'inscription, date de consultation, modifié le, "
        "date et heure",
        es="fecha, fecha de ingreso, fecha de alta, fecha de contratación, fecha de inicio, "
        "fecha de fin, fecha y hora, marca temporal, fecha de registro, fecha de egreso, "
        "fecha de baja, fecha de compra, fechas",
        it="data di ricovero, data ricovero, data di assunzione, data assunzione, data dimissione, "
        "data di dimissione, data di inizio, data fine, data ora, data visita, data iscrizione, "
        "data ingresso, data uscita, data evento, data di ingresso, data di fine, data acquisto, "
        "data registrazione, data inizio, data ordine, data esame, data prelievo, data referto, "
        "data contratto",
        tr="tarih, giriş tarihi, çıkış tarihi, işe giriş tarihi, kayıt tarihi, yatış tarihi, "
        "taburcu tarihi, tarih saat, zaman damgası, başlangıç tarihi, bitiş tarihi, sipariş tarihi, "
        "oluşturma tarihi, işlem tarihi",
        zh="日期, 时间, 入院日期, 出院日期, 入职日期, 创建时间, 就诊日期, 时间戳, 登记日期, 入学时间, "
        "更新时间, 下单时间, 日期时间, 注册时间, 入院时间, 出院时间, 开始时间, 结束时间, 入职时间, "
        "毕业时间, 有效期, 日 期, 发病日期, 手术日期, 检查日期, 交易时间",
        short="fec, data ric, data dim, data accesso, dt, dttm, =ts, admittime, dischtime, hiredate, "
        "startdate, enddate, =datum, eintrdat, admdt, dischdt",
    ),
    _quasi(
        what="year",
        kind="date",
        en="year, fiscal year, school year, academic year, calendar year, survey year, tax year",
        de="Jahr, Schuljahr, Kalenderjahr, Studienjahr, Abschlussjahr, Eintrittsjahr, Berichtsjahr, "
        "Diagnosejahr",
        fr="année, année scolaire, exercice, année universitaire",
        es="año, anio, año escolar, curso académico, año académico, ejercicio",
        it="anno, anno scolastico, anno accademico",
        tr="yıl, öğretim yılı, eğitim yılı",
        zh="年份, 年度, 年, 学年",
        short="yyyy, yr",
    ),
    _quasi(
        what="sex",
        kind="word",
        en="sex, gender, sexe, male, female, sex at birth, birth sex, gender code, sex code, is male, "
        "is female",
        de="Geschlecht, Geschl, Geschlechts, männlich, weiblich",
        fr="sexe, genre, sexe à la naissance",
        es="sexo, género, sexo al nacer",
        it="sesso, genere",
        tr="cinsiyet, cins",
        zh="性别, 性別, 男女",
        short="gndr, xb, gesch, cinsiyeti",
    ),
    _quasi(
        what="title",
        kind="word",
        en="salutation, honorific, name prefix, =prefix, name suffix, =suffix, =title, courtesy title",
        de="Anrede, Titel, akademischer Titel, Namenszusatz",
        fr="civilité, titre de civilité",
        es="tratamiento de cortesía, título de cortesía",
        it="appellativo, titolo di cortesia",
        tr="hitap, unvan",
        zh="称谓, 称呼, 头衔",
    ),
    _quasi(
        what="marital status",
        kind="word",
        en="marital status, marital, civil status, married, family status, marstat, is married, "
        "marriage, divorced, widowed, marry, spouse present",
        de="Familienstand, Personenstand, verheiratet, Zivilstand, Ehestand, ledig, geschieden",
        fr="état civil, situation familiale, situation matrimoniale, statut matrimonial, "
        "état matrimonial, marié, situation de famille",
        es="estado civil, situación conyugal, casado",
        it="stato civile, coniugato, sposato, stato coniugale",
        tr="medeni hal, medeni durum, medeni hali, medeni durumu, evli",
        zh="婚姻状况, 婚姻, 婚否, 婚姻情况, 婚姻状态, 婚育状况, 是否结婚, 是否已婚",
        short="fam stand, sit fam, situation fam, marst, maritl, mstat, marryx, famst",
    ),
    _quasi(
        what="household",
        kind="amount",
        en="household size, children, number of children, dependents, siblings, family size, "
        "relationship, family members, household members, household type, family type, kids, "
        "number of siblings, persons in household, living arrangement, dependants, "
        "number of dependents, parity, relationship to head, household composition, sibsp, parch",
        de="Kinder, Kinderzahl, Haushaltsgröße, Anzahl Kinder, Geschwister, Haushaltsmitglieder, "
        "Kinderanzahl, Haushalt, Haushaltstyp, Personen im Haushalt, Familiengröße, "
        "Kinder im Haushalt",
        fr="enfants, nombre d'enfants, foyer, taille du ménage, ménage, personnes à charge, "
        "nombre de personnes, nb enfants, taille du foyer, composition familiale",
        es="hijos, número de hijos, hogar, tamaño del hogar, personas a cargo, miembros del hogar, "
        "cantidad de hijos, tamaño familiar",
        it="figli, numero di figli, nucleo familiare, componenti familiari, numero componenti, "
        "familiari a carico, numero figli, stato di famiglia",
        tr="çocuk sayısı, hane, hane halkı, kardeş sayısı, hane büyüklüğü, aile büyüklüğü, çocuklar, "
        "çocuk adedi",
        zh="子女, 家庭人口, 子女数, 家庭人数, 家庭成员, 子女数量, 子女情况, 家庭规模, 兄弟姐妹, "
        "家庭关系, 与户主关系, 孩子数",
        short="nb enf, hhsize, hhsz, famsize, numkids, nchild, nkids, familysize, famsz",
    ),
    _quasi(
        what="ethnic group",
        kind="word",
        en="race, ethnicity, ethnic group, ancestry, skin color, skin colour, tribe, caste, ethnic, "
        "hispanic, migration background, ethnic origin, racial group, race ethnicity, indigenous, "
        "national origin, is hispanic",
        de="ethnische Herkunft, Migrationshintergrund, Ethnie, Rasse, Hautfarbe, "
        "ethnische Zugehörigkeit, Volksgruppe, Abstammung, ethnische Gruppe",
        fr="origine ethnique, ethnie, couleur de peau, groupe ethnique",
        es="etnia, raza, origen étnico, grupo étnico, color de piel, pertenencia étnica, "
        "pueblo indígena, autoidentificación étnica",
        it="etnia, razza, origine etnica, gruppo etnico, colore della pelle",
        tr="etnik köken, ırk, etnik grup, ten rengi, etnisite",
        zh="民族, 种族, 族裔, 肤色, 族群",
        short="racex, racethx, racethnx, hispcat, raceeth, hispan, hispanx, raceax, racebx, racewx, "
        "raceth, racep, ethn",
    ),
    _quasi(
        what="nationality or language",
        kind="word",
        en="nationality, citizenship, mother tongue, language, native language, first language, citizen, "
        "languages, language spoken, preferred language, home language, primary language",
        de="Staatsangehörigkeit, Nationalität, Muttersprache, Staatsbürgerschaft, Sprache, "
        "Familiensprache, Staatsang, Verkehrssprache, Sprachen",
        fr="nationalité, langue maternelle, langue, citoyenneté, langues",
        es="nacionalidad, lengua materna, idioma, ciudadanía, idioma materno, lengua",
        it="nazionalità, cittadinanza, madrelingua, lingua madre, lingua",
        tr="uyruk, vatandaşlık, ana dil, anadil, tabiiyet, uyruğu, milliyet",
        zh="国籍, 母语, 语言, 公民身份, 語言, 國籍",
        short="natl, =nat, staatsang",
    ),
    _quasi(
        what="city",
        kind="place",
        en="city, town, village, municipality, residence, place of residence, place, location, "
        "birthplace, place of birth, birth place, locality, neighborhood, neighbourhood, hometown, "
        "suburb, borough, birth city, city of birth, home city, home town, residence city, parish, "
        "city town, place of death, cities, settlement, towns",
        de="Ort, Wohnort, Stadt, Gemeinde, Geburtsort, Stadtteil, Ortsteil, Wohnsitz, Heimatort, "
        "Standort, Stadtbezirk, Ortschaft, Sterbeort, Arbeitsort, Geburtsstadt, Viertel, Quartier, "
        "Wohngemeinde, Dorf, Wohnviertel, Herkunftsort, Ortsname",
        fr="ville, commune, lieu de naissance, localité, quartier, arrondissement, lieu de résidence, "
        "ville de naissance, domicile, lieu, commune de résidence, résidence, lieu naissance, "
        "village, lieu de décès, ville de résidence, lieu de travail",
        es="ciudad, municipio, localidad, población, lugar de nacimiento, barrio, lugar de residencia, "
        "ciudad de nacimiento, pueblo, colonia, residencia, lugar, lugar nacimiento, alcaldía, "
        "ciudad de residencia, vereda, corregimiento",
        it="città, comune, luogo di nascita, località, quartiere, frazione, comune di residenza, "
        "comune di nascita, luogo nascita, residenza, luogo di residenza, luogo, paese di residenza, "
        "città di nascita, città di residenza, frazioni",
        tr="şehir, ilçe, mahalle, semt, köy, doğum yeri, kent, ikamet yeri, yerleşim yeri, ikametgah, "
        "doğum yer, ikamet, kasaba, nüfusa kayıtlı olduğu yer, yaşadığı şehir",
        zh="城市, 市, 区, 县, 乡镇, 居住地, 出生地, 街道, 现居地, 区县, 城镇, 村, 所在地, 住所, 籍贯, "
        "户籍地, 常住地, 地点, 所在城市, 户籍, 社区, 镇, 户口所在地, 位置, 居住城市, 县区",
    ),
    _quasi(
        what="region",
        kind="place",
        en="state, province, county, region, district, territory, =area, birth state, geography, "
        "metro area, regions, prefecture, state province, state of residence, urban rural, zone",
        de="Bundesland, Kreis, Landkreis, Bezirk, Kanton, Region, Regierungsbezirk, Gebiet, Provinz, "
        "Wahlkreis, Bundesländer, Stadtkreis",
        fr="région, canton, province, =département, département de résidence, code département, "
        "département de naissance, régions",
        es="provincia, comunidad autónoma, región, comarca, estado de residencia, zona, "
        "entidad federativa, provincias, =estado, entidad, provincia de residencia",
        it="regione, provincia, zona, regione di residenza, provincia di residenza, "
        "provincia di nascita, prov, distretto",
        tr="bölge, eyalet, vilayet, =il, il adı, il kodu, doğum ili, ikamet ili, yaşadığı il, iller, bölgesi",
        zh="省, 省份, 地区, 州, 区域, 省市, 所在省, 籍贯省, 地域, 所属地区, 行政区, 省级",
    ),
    _quasi(
        what="country",
        kind="place",
        en="country, nation, native country, country of birth, birth country, country of origin, "
        "home country, country code, origin, countries, nations, citizenship country, "
        "country of residence, place of origin, continent",
        de="Land, Herkunftsland, Geburtsland, Staat, Heimatland, Wohnland, Herkunft, Länder, Ländercode, "
        "Landeskennzeichen",
        fr="pays, pays de naissance, pays d'origine, pays de résidence, pays naissance",
        es="país, país de nacimiento, país de origen, país de residencia, países, país nacimiento, "
        "procedencia",
        it="paese, nazione, stato, paese di nascita, paese di origine, nazione di nascita, "
        "stato di nascita, stato estero",
        tr="ülke, memleket, doğduğu ülke, menşe ülke, ülkeler, doğum ülkesi",
        zh="国家, 出生国, 祖国, 国别, 來源國, 来源国, 國家",
        short="ctry, cntry, pobp",
    ),
    _quasi(
        what="postal code",
        kind="code",
        en="zip, zip code, postcode, postal code, post code, zipcode, area code, census tract, "
        "block group, fips, fips code, county code, state code, tract, nuts, output area, "
        "region code, district code, zip area, postal, zcta",
        de="Postleitzahl, PLZ, Gemeindeschlüssel, Gemeindekennziffer, AGS, Vorwahl, Regionalschlüssel, "
        "Kreisschlüssel, Postleitzahlen, Postleitgebiet, Ortskennzahl",
        fr="code postal, code INSEE, code commune, code région, code géographique, IRIS",
        es="código postal, código de municipio, código provincia, código de provincia, sección censal, "
        "código INE",
        it="codice postale, codice di avviamento postale, =CAP, codice ISTAT, CAP di residenza, "
        "CAP residenza, codice comune, codice catastale, sezione di censimento",
        tr="posta kodu, posta kod, PK kodu, ilçe kodu, plaka kodu",
        zh="邮编, 邮政编码, 邮政区号, 区号, 地区代码, 行政区划代码, 郵遞區號, 郵政編碼, 行政区划",
        short="plz, =cp, codpostal, pcode, msoa, lsoa, puma, geoid, cbsa, msa, postcd, codpos, cpostal",
    ),
    _quasi(
        what="job",
        kind="word",
        en="job, occupation, profession, job title, position, workclass, work class, industry, sector, "
        "employment, employment status, job role, job category, work, isco, nace, soc code, job code, "
        "job family, class of worker, labor force status, career, job level, employment type, jobs, "
        "occupations, trade, craft, job class, job position, rank, occupation code, seniority, role, "
        "employed, unemployed, working status, specialty, medical specialty, naics",
        de="Beruf, Tätigkeit, Stelle, Branche, Beschäftigung, Wirtschaftszweig, Berufsgruppe, "
        "Berufsbezeichnung, Erwerbsstatus, Beschäftigungsart, berufliche Stellung, Position, "
        "Funktion, Dienstgrad, Erwerbstätigkeit, Arbeitsverhältnis, Beschäftigungsverhältnis, "
        "Stellenbezeichnung, Fachrichtung, Berufsstatus, Amtsbezeichnung, erwerbstätig, "
        "Tätigkeitsfeld",
        fr="profession, métier, emploi, poste, catégorie socioprofessionnelle, secteur, "
        "secteur d'activité, situation professionnelle, intitulé de poste, statut professionnel, "
        "fonction, catégorie socio-professionnelle, professions, spécialité, "
        "activité professionnelle, catégorie professionnelle",
        es="profesión, ocupación, puesto, oficio, cargo, sector, trabajo, empleo, puesto de trabajo, "
        "situación laboral, actividad económica, categoría profesional, profesiones, "
        "rama de actividad, ocupaciones, situación profesional, especialidad",
        it="professione, mestiere, occupazione, lavoro, mansione, settore, impiego, "
        "posizione lavorativa, qualifica, condizione professionale, attività lavorativa, ruolo, "
        "settore di attività, posizione professionale, specialità",
        tr="meslek, görev, sektör, =iş, çalışma durumu, pozisyon, iş kolu, kadro, iş unvanı, görevi, "
        "mesleği, istihdam durumu, branş, rütbe",
        zh="职业, 职位, 岗位, 行业, 职务, 工作, 职称, 就业状况, 工种, 职级, 工作性质, 职业类别, 從業, "
        "從事行業, 职业类型, 就业状态, 所属行业, 工作状态",
        short="cat socio pro, berufsbez, occ, occup, emptype, empstat, csp, pcs, cno, naics, sic, "
        "emplstat, jobcode, occp, indp, esr, wkclass",
    ),
    _quasi(
        what="employer or department",
        kind="word",
        en="employer, company, department, organization, organisation, company name, dept, "
        "business unit, workplace, team, division, cost center, cost centre, office, "
        "organization name, agency, bank name, bank, business, departments, firm, employer name, "
        "unit, bureau",
        de="Arbeitgeber, Firma, Abteilung, Betrieb, Unternehmen, Dienststelle, Kostenstelle, "
        "Arbeitsplatz, Referat, Fachbereich, Organisationseinheit, Behörde, Verein, Amt, "
        "Unternehmensname, Geschäftsbereich, Bank, Arbeitsstätte",
        fr="employeur, entreprise, société, direction, service hospitalier, organisme, raison sociale, "
        "banque, unité",
        es="empleador, empresa, departamento, compañía, razón social, organización, dependencia, "
        "sección, entidad bancaria",
        it="datore di lavoro, azienda, dipartimento, impresa, ufficio, ragione sociale, società, ditta, "
        "ente, unità operativa",
        tr="işveren, şirket, departman, kurum, birim, iş yeri, işyeri, firma, kuruluş, müdürlük, "
        "çalıştığı kurum, daire",
        zh="单位, 公司, 部门, 工作单位, 雇主, 企业, 机构, 所属部门, 组织, 就职单位, 公司名称, 单位名称, "
        "企业名称, 银行, 开户行",
    ),
    _quasi(
        what="hospital or ward",
        kind="place",
        en="hospital, clinic, ward, facility, practice, provider, health center, medical center, "
        "care unit, hospital name, care site, hospital ward, facility name, pharmacy, nursing home, "
        "site, clinics, hospitals, health facility, care home, trust, admission source, "
        "discharge disposition, admission location, discharge location, payer",
        de="Fachabt, Krankenhaus, Klinik, Station, Fachabteilung, Praxis, Krankenhausname, Einrichtung, "
        "Klinikum, Apotheke, Pflegeheim, Krankenstation, Ambulanz, Spital, Versorgungszentrum, "
        "Einweiser",
        fr="hôpital, clinique, établissement, centre hospitalier, pharmacie, structure de soins, "
        "nom de l'hôpital, maison de retraite, hôpitaux, unité de soins",
        es="hospital, clínica, centro de salud, centro médico, sala hospitalaria, farmacia, "
        "centro sanitario, unidad médica, establecimiento, ambulatorio, residencia de ancianos, "
        "centro",
        it="ospedale, clinica, reparto, struttura sanitaria, farmacia, presidio ospedaliero, "
        "ambulatorio, casa di cura, struttura, azienda sanitaria, ospedali, casa di riposo",
        tr="hastane, klinik, servis, poliklinik, sağlık ocağı, eczane, sağlık kurumu, hastane adı, "
        "aile sağlığı merkezi",
        zh="医院, 科室, 病区, 诊所, 医疗机构, 药店, 就诊科室, 医院名称, 病房, 住院科室, 就诊医院, "
        "医院等级, 床号",
    ),
    _quasi(
        what="school",
        kind="place",
        en="school, university, college, faculty, major, school name, campus, classroom, institution, "
        "high school, study program, field of study, homeroom, kindergarten, course name, "
        "degree program, university name, schools, alma mater, discipline, grade level, school class, "
        "study field, program of study",
        de="Schule, Schul, Hochschule, Universität, Studiengang, Fakultät, Schulklasse, Schulform, "
        "Schulart, Studienfach, Kindergarten, Kita, Fachrichtung Studium, Klassenstufe, "
        "Jahrgangsstufe, Schulname, =Klasse, Semester, Fachsemester, Grundschule, Gymnasium, Schultyp",
        fr="école, lycée, collège, université, filière, faculté, niveau scolaire, =classe, "
        "établissement scolaire, crèche, formation, classe scolaire, spécialité d'études, "
        "grande école",
        es="escuela, colegio, universidad, carrera, facultad, instituto, aula, centro educativo, "
        "grado escolar, licenciatura, institución educativa, plantel, curso, guardería, institución",
        it="scuola, università, facoltà, corso di laurea, istituto, ateneo, istituto scolastico, "
        "corso di studi, plesso, asilo nido, liceo, classe scolastica, corso di studio",
        tr="okul, üniversite, fakülte, bölüm, okul adı, lise, =sınıf, anaokulu, okul türü, şube sınıf, "
        "enstitü, sınıf düzeyi",
        zh="学校, 班级, 年级, 大学, 专业, 院系, 学院, 毕业院校, 学校名称, 幼儿园, 就读学校, 毕业学校, "
        "所学专业, 系别, 院校",
    ),
    _quasi(
        what="shop",
        kind="place",
        en="store, shop, branch, outlet, store name, store location, branch name, branch office, stores, "
        "shops, branches",
        de="Filiale, Filial, Laden, Geschäft, Markt, Zweigstelle, Niederlassung, Verkaufsstelle, "
        "Geschäftsstelle, Filialname",
        fr="magasin, boutique, agence, succursale, point de vente",
        es="tienda, sucursal, punto de venta, agencia, oficina",
        it="negozio, filiale, punto vendita, agenzia, sede, succursale",
        tr="mağaza, şube, satış noktası, bayi, dükkan",
        zh="门店, 店铺, 分店, 网点, 支行, 商店, 营业部, 门店名称",
    ),
    _quasi(
        what="education",
        kind="word",
        en="education, degree, qualification, schooling, education level, highest degree, "
        "educational attainment, education num, years of schooling, years of education, "
        "academic degree, highest education, literacy, qualifications, education years, "
        "education field, education status, highest qualification, study level",
        de="Bildung, Schulabschluss, Bildungsabschluss, Ausbildung, Bildungsstand, Bildungsgrad, "
        "Berufsabschluss, Schulbildung, Studienabschluss, Abschluss, Bildungsniveau, "
        "höchster Abschluss, Qualifikation, Berufsausbildung",
        fr="diplôme, niveau d'études, éducation, niveau d'éducation, scolarité, niveau de diplôme, "
        "dernier diplôme, études, niveau de formation, niveau d'instruction",
        es="educación, estudios, nivel educativo, titulación, escolaridad, nivel de estudios, "
        "nivel de educación, grado de instrucción, nivel de instrucción, grado académico, "
        "años de estudio, formación",
        it="istruzione, titolo di studio, livello di istruzione, grado di istruzione, laurea, diploma, "
        "scolarizzazione, livello istruzione, titoli di studio, studi",
        tr="eğitim, öğrenim, mezuniyet, eğitim durumu, öğrenim durumu, eğitim düzeyi, eğitim seviyesi, "
        "tahsil, diploma, mezuniyet durumu",
        zh="学历, 教育, 学位, 文化程度, 教育程度, 受教育程度, 最高学历, 教育水平, 學歷, 教育背景, 受教育年限",
        short="niveau etude, titolo stud, educ, edu, educyear, educyr, hideg, educx, eduyears, eduyrs, "
        "schl, edulevel, hieduc",
    ),
    _quasi(
        what="body",
        kind="amount",
        en="height, weight, body height, body weight, eye color, eye colour, hair color, hair colour, "
        "shoe size, handedness, birth weight, weight kg, height cm, gestational age, waist, "
        "waist circumference",
        de="Größe, Körpergröße, Gewicht, Augenfarbe, Haarfarbe, Körpergewicht, Schuhgröße, "
        "Geburtsgewicht, Händigkeit",
        fr="taille, poids, couleur des yeux, couleur des cheveux, poids de naissance, pointure, stature",
        es="estatura, talla, peso, altura, color de ojos, color de pelo, peso al nacer, color de cabello",
        it="altezza, statura, peso, colore degli occhi, colore dei capelli, peso alla nascita",
        tr="=boy, boyu, kilo, göz rengi, saç rengi, boy uzunluğu, ağırlık, vücut ağırlığı, doğum ağırlığı",
        zh="身高, 体重, 眼睛颜色, 发色, 出生体重, 鞋码, 身長",
        short="htcm, wtkg, heightcm, weightkg",
    ),
    _quasi(
        what="housing",
        kind="word",
        en="housing, home ownership, own rent, dwelling type, housing type, house type, homeowner, "
        "tenure type, house ownership, own house, residence type, dwelling",
        de="Wohnform, Wohnsituation, Wohnstatus, Wohneigentum, Haustyp, Wohnungstyp, Eigentümer, Mieter",
        fr="logement, type de logement, statut d'occupation, propriétaire, locataire",
        es="vivienda, tipo de vivienda, régimen de tenencia, propietario, inquilino",
        it="abitazione, tipo di abitazione, titolo di godimento, alloggio, proprietario, inquilino",
        tr="konut, konut türü, ev sahibi, konut tipi, kiracı",
        zh="住房, 住房情况, 房屋类型, 住房类型, 居住情况, 房产",
    ),
    _quasi(
        what="insurer",
        kind="word",
        en="insurer, health insurance, insurance, insurance type, insurance company, health plan, "
        "insurance provider, medicare, medicaid, insurance status, payer code, insured, payer name, "
        "payer type, coverage type",
        de="Krankenkasse, Krankenversicherung, Versicherung, Kostenträger, Versicherungsart, "
        "Versicherungsstatus, Kasse, Versicherungsgesellschaft, Kassenart",
        fr="mutuelle, assurance, assurance maladie, assureur, caisse, régime d'assurance, "
        "caisse d'assurance maladie",
        es="aseguradora, seguro médico, seguro, obra social, EPS, mutua, régimen de afiliación, "
        "seguro de salud",
        it="assicurazione, assicurazione sanitaria, compagnia assicurativa, assicuratore",
        tr="sigorta, sağlık sigortası, sigorta şirketi, sosyal güvence, sigorta türü, güvence",
        zh="保险, 医保类型, 保险公司, 医疗保险, 参保类型, 费别, 付费方式, 医保",
    ),
    _quasi(
        what="service in the army",
        kind="word",
        en="veteran, military service, military, military status, veteran status",
        de="Wehrdienst, Wehrpflicht, Zivildienst",
        fr="service militaire, ancien combattant",
        es="servicio militar, veterano",
        it="servizio militare, leva",
        tr="askerlik, askerlik durumu",
        zh="兵役, 兵役状况, 退伍军人, 服役",
    ),
)
