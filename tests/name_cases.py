"""Names of columns as real data have them, by language, with the role that each should get."""

__all__ = ["HARMLESS", "NAMES"]

NAMES = {
    "en": {
        "identifier": (
            "name Name full_name FIRST LAST first_name lastname surname maiden_name middle_initial "
            "customer_name PatientName patient.name.family mother_name nickname id ID uuid customer_id "
            "patientid PatientNr patient_nbr EmployeeNumber employee_no student_id StudentID member_id "
            "user_id userid username login password ssn SSN social_security_number nhs_number tax_id "
            "passport_no PASSPORT drivers_license DRIVERS policy_number insurance_id mrn "
            "medical_record_number case_number encounter_id hadm_id order_id invoice_number "
            "transaction_id email e-mail EmailAddress contact_email phone phone_number homePhone "
            "mobile_number fax tel address street_address ADDRESS Address1 house_number iban "
            "account_number bank_account credit_card card_number cc_num license_plate plate_no vin "
            "VIN_number website url homepage linkedin_url ip ip_address IPAddress mac_address device_id "
            "imei lat lon latitude longitude LAT LNG gps_coordinates photo signature fingerprint DUID "
            "DUPERSID PassengerId subject_id participant_id respondent_id household_id donor_id voter_id "
            "library_card twitter_handle next_of_kin emergency_contact_phone health_insurance_id "
            "insured_name beneficiary_name doctor_name teacher_name guardian_name account_holder_name "
            "cardholder"
        ),
        "quasi": (
            "sex gender age birthdate date_of_birth DOB birth_year YOB zip zip_code ZIPcode postcode city "
            "state county country region nationality race ethnicity marital_status education occupation "
            "job_title employer department hospital school store household_size num_children height "
            "weight date admission_date discharge_date hire_date created_at death_date native-country "
            "language mother_tongue veteran housing religion_date birthplace"
        ),
        "sensitive": (
            "diagnosis icd10 icd_code disease hiv_status drug medication treatment procedure "
            "blood_pressure bmi sexual_orientation religion political_party union_member income salary "
            "wage annual_income household_income pension account_balance debt loan_amount credit_score "
            "criminal_record grade gpa exam_score disability smoker alcohol_use pregnancy cause_of_death"
        ),
    },
    "de": {
        "identifier": (
            "Vorname Nachname Name Familienname Geburtsname Kundennummer KundenNr Kunden-ID Patienten-ID "
            "PatientenNr Patientennummer Versichertennummer Versicherungsnummer Sozialversicherungsnummer "
            "SVNR Rentenversicherungsnummer Steuernummer Steuer-ID Personalausweisnummer Reisepassnummer "
            "Führerscheinnummer Personalnummer Matrikelnummer Mitgliedsnummer Mitarbeiternummer "
            "Schülername Schüler_ID Aktenzeichen Fallnummer Fall-Nr Auftragsnummer Rechnungsnummer E-Mail "
            "EMail-Adresse Mailadresse Telefon Telefonnummer Handynummer Mobilnummer Rufnummer Telefax "
            "Adresse Anschrift Straße Strasse Hausnummer Hausnr Kontonummer IBAN Kontoinhaber "
            "Kreditkartennummer Kfz-Kennzeichen Fahrgestellnummer Webseite IP-Adresse Breitengrad "
            "Längengrad Koordinaten Benutzername Passwort Foto Unterschrift Ansprechpartner "
            "Name_des_Kunden NameVater Krankenversicherungsnummer"
        ),
        "quasi": (
            "Geschlecht Alter Geburtsdatum Geburtsjahr Geburtsort PLZ Postleitzahl Ort Wohnort Stadt "
            "Bundesland Landkreis Land Staatsangehörigkeit Familienstand Beruf Arbeitgeber Abteilung "
            "Bildungsabschluss Schulabschluss Krankenhaus Station Schule Klasse Filiale Kinderzahl "
            "Anzahl_Kinder Haushaltsgröße Körpergröße Gewicht Aufnahmedatum Entlassungsdatum "
            "Eintrittsdatum Krankenkasse Muttersprache Migrationshintergrund Anrede Datum Gemeinde "
            "Beschaeftigung Alter_bei_Diagnose"
        ),
        "sensitive": (
            "Diagnose Hauptdiagnose Todesursache Erkrankung Medikament Therapie Behandlung Blutdruck "
            "Religion Konfession Partei Gewerkschaft Gehalt Einkommen Nettoeinkommen Bruttolohn Rente "
            "Kontostand Schulden Kredit Vorstrafe Note Abschlussnote Behinderung Pflegegrad Raucher "
            "Schwangerschaft sexuelle_Orientierung"
        ),
    },
    "fr": {
        "identifier": (
            "nom prénom Prenom nom_de_famille nom_prenom nom_patient nom_client nom_jeune_fille "
            "numero_client num_client id_client code_client identifiant matricule numero_securite_sociale "
            "NIR num_secu numero_fiscal passeport carte_identite permis_conduire numero_dossier "
            "num_dossier IPP courriel adresse_mail telephone tel_portable portable numero_telephone "
            "télécopie adresse adresse_postale rue numero_rue code_patient numero_compte compte_bancaire "
            "RIB carte_bancaire numero_carte plaque_immatriculation immatriculation site_web adresse_ip "
            "coordonnées_gps latitude longitude nom_utilisateur mot_de_passe signature photo "
            "numero_assure numero_etudiant"
        ),
        "quasi": (
            "sexe âge date_naissance année_naissance lieu_naissance code_postal CP ville commune région "
            "pays nationalité situation_familiale état_civil profession employeur diplôme niveau_etudes "
            "hôpital école magasin nombre_enfants nb_enfants taille poids date_entree date_sortie "
            "date_embauche date langue civilité metier"
        ),
        "sensitive": (
            "diagnostic maladie médicament traitement tension_arterielle religion parti_politique "
            "syndicat salaire revenu revenu_annuel retraite solde dette prêt casier_judiciaire note "
            "note_finale handicap fumeur grossesse cause_deces"
        ),
    },
    "es": {
        "identifier": (
            "nombre apellido apellidos nombre_completo primer_apellido nombre_paciente nombre_cliente "
            "id_cliente codigo_cliente numero_cliente num_empleado dni DNI nif NIE pasaporte cedula curp "
            "rfc numero_seguridad_social seguridad_social historia_clinica num_historia expediente correo "
            "correo_electronico telefono móvil celular direccion calle domicilio cuenta_bancaria "
            "numero_cuenta tarjeta_credito numero_tarjeta matricula placa pagina_web direccion_ip latitud "
            "longitud coordenadas usuario nombre_usuario contraseña firma_digital fotografia "
            "huella_dactilar poliza numero_poliza legajo licencia_conducir id_paciente nro_documento"
        ),
        "quasi": (
            "sexo género edad fecha_nacimiento año_nacimiento lugar_nacimiento codigo_postal ciudad "
            "municipio provincia pais nacionalidad estado_civil profesion ocupacion empresa departamento "
            "nivel_educativo escolaridad hospital escuela tienda hijos numero_hijos estatura peso "
            "fecha_ingreso fecha_alta fecha idioma etnia raza barrio"
        ),
        "sensitive": (
            "diagnostico enfermedad medicamento tratamiento presion_arterial religion partido sindicato "
            "salario sueldo ingresos pension saldo deuda prestamo antecedentes_penales nota calificacion "
            "discapacidad fumador embarazo"
        ),
    },
    "it": {
        "identifier": (
            "nome cognome nome_cognome nominativo nome_paziente nome_cliente id_cliente codice_cliente "
            "codice_paziente codice_fiscale CodiceFiscale partita_iva passaporto carta_identita "
            "patente_guida tessera_sanitaria matricola numero_pratica cartella_clinica email "
            "posta_elettronica pec telefono cellulare indirizzo via numero_civico conto_corrente iban "
            "carta_credito numero_carta targa numero_telaio sito_web indirizzo_ip latitudine longitudine "
            "nome_utente password firma_digitale impronta_digitale numero_polizza codice_dipendente"
        ),
        "quasi": (
            "sesso età eta data_nascita data_di_nascita anno_nascita luogo_nascita cap codice_postale "
            "comune città provincia regione paese nazionalità cittadinanza stato_civile professione "
            "azienda titolo_studio titolo_di_studio istruzione ospedale reparto scuola negozio "
            "numero_figli altezza peso data_ricovero data_dimissione lingua etnia"
        ),
        "sensitive": (
            "diagnosi malattia farmaco terapia pressione_arteriosa religione partito sindacato stipendio "
            "reddito pensione saldo debito mutuo reato voto punteggio disabilità fumatore gravidanza"
        ),
    },
    "tr": {
        "identifier": (
            "ad soyad adı soyadı ad_soyad isim hasta_adı müşteri_adı müşteri_no hasta_no HastaNo "
            "öğrenci_no personel_no sicil_no tc_kimlik_no TCKN TCKimlikNo kimlik_no pasaport_no "
            "ehliyet_no vergi_no sgk_no dosya_no protokol_no e-posta eposta telefon cep_telefonu "
            "cepTelefonu telefon_no adres ev_adresi sokak kapı_no hesap_no banka_hesabı kredi_kartı "
            "kart_no plaka plaka_no şasi_no web_sitesi ip_adresi enlem boylam koordinat kullanıcı_adı "
            "şifre fotoğraf imza parmak_izi poliçe_no müşteri_kodu üye_no"
        ),
        "quasi": (
            "cinsiyet yaş doğum_tarihi doğum_yılı doğum_yeri posta_kodu şehir ilçe il mahalle ülke uyruk "
            "medeni_hal medeni_durum meslek işveren departman eğitim_durumu hastane okul şube "
            "çocuk_sayısı boy kilo giriş_tarihi yatış_tarihi tarih ana_dil bölge"
        ),
        "sensitive": (
            "tanı teşhis hastalık ilaç tedavi tansiyon din mezhep siyasi_parti sendika maaş gelir "
            "aylık_gelir bakiye borç kredi_notu sabıka not sınav_notu engel_durumu sigara hamilelik"
        ),
    },
    "zh": {
        "identifier": (
            "姓名 患者姓名 客户姓名 身份证号 身份证号码 护照号 驾驶证号 学号 工号 病历号 住院号 门诊号 "
            "社保号 医保卡号 客户编号 用户ID 会员号 手机号 手机号码 电话 联系电话 传真 邮箱 电子邮件 地址 "
            "家庭住址 详细地址 银行账号 银行卡号 信用卡号 车牌号 车架号 网址 微信号 IP地址 纬度 经度 "
            "用户名 密码 照片 签名 指纹 税号 准考证号 订单号 患者编号 员工编号 保单号"
        ),
        "quasi": (
            "性别 年龄 出生日期 出生年月 出生地 邮编 邮政编码 城市 省份 国家 国籍 民族 婚姻状况 职业 "
            "工作单位 部门 学历 文化程度 医院 科室 学校 班级 门店 子女数 身高 体重 入院日期 出院日期 日期 "
            "籍贯 母语"
        ),
        "sensitive": (
            "诊断 疾病 药品 治疗 手术 血压 宗教 宗教信仰 政治面貌 工资 收入 月收入 年薪 余额 贷款 "
            "犯罪记录 成绩 分数 残疾 吸烟 怀孕 血型"
        ),
    },
    "every": {
        "drop": (
            "comments remarks notes free_text clinical_notes Bemerkung Bemerkungen Kommentar Freitext "
            "Anamnese commentaire remarques texte_libre observaciones comentarios notas osservazioni "
            "commenti annotazioni açıklama yorum notlar 备注 评论 主诉"
        ),
    },
}

# Names from public data sets, shops, surveys and machines: none of them is an identifier or free text.
HARMLESS = (
    "filename average language stage package ship template hotel valid paid video trace capacity rate "
    "product_id item_id sku product_name item_name category price quantity amount discount total tax "
    "shipping_cost payment_method payment_type currency unit_price order_status order_type delivery_mode "
    "page_views clicks sessions duration bounce_rate email_opt_in email_verified has_phone phone_type "
    "phone_service PhoneService address_type card_type account_type account_status ip_count device_type "
    "device_model browser os operating_system platform app_version version build hash_rate column_name "
    "table_name field_name species_name event_name plan_name brand_name file_name file_size file_type "
    "hostname codename typename classname groupname namespace nominal number num count no yes flag target "
    "label class cluster y x z value score_delta weight_class temperature humidity pressure wind_speed "
    "rainfall altitude elevation depth distance speed acceleration latency throughput voltage current "
    "power energy fnlwgt workclass capital-gain capital-loss hours-per-week relationship native-country "
    "education-num marital-status occupation sex age race Survived Pclass SibSp Parch Fare Cabin Embarked "
    "tenure Contract PaperlessBilling MonthlyCharges TotalCharges Churn Partner Dependents SeniorCitizen "
    "MultipleLines InternetService OnlineSecurity StreamingTV HasCrCard IsActiveMember NumOfProducts "
    "EstimatedSalary Exited CreditScore Geography Gender Balance Attrition BusinessTravel DailyRate "
    "Department DistanceFromHome EducationField EmployeeCount EnvironmentSatisfaction JobInvolvement "
    "JobLevel JobRole JobSatisfaction MaritalStatus MonthlyIncome NumCompaniesWorked Over18 OverTime "
    "PercentSalaryHike PerformanceRating StandardHours StockOptionLevel TotalWorkingYears "
    "TrainingTimesLastYear WorkLifeBalance YearsAtCompany YearsInCurrentRole admission_type_id "
    "discharge_disposition_id admission_source_id payer_code medical_specialty num_lab_procedures "
    "num_medications number_outpatient number_emergency number_inpatient diag_1 number_diagnoses "
    "max_glu_serum A1Cresult metformin insulin change readmitted time_in_hospital cp trestbps chol fbs "
    "restecg thalach exang oldpeak slope ca thal default housing loan contact day month campaign pdays "
    "previous poutcome telephone_type foreign_worker purpose savings installment_rate property "
    "other_parties num_dependents existing_credits store_id school_id hospital_id ward_id department_id "
    "region_id country_code state_code city_id icd_id drug_id room_number floor bed_count failed absences "
    "studytime traveltime famsup schoolsup activities nursery higher internet romantic famrel freetime "
    "goout Dalc Walc health G1 G2 G3 Mjob Fjob reason guardian id_type name_length number_of_phones "
    "num_emails number_of_addresses phone_count login_count last_login password_changed_at email_date "
    "passport_expiry_date license_type facebook_likes twitter_followers instagram_posts mobile_app "
    "cell_count cell_type plate_appearances strip mailing_list_size stocking telemetry telescope intel "
    "candidate mandate update validate immediate delicate certificate_count advantage percentage "
    "message_count mileage usage image_width page coverage dosage damage marriage gender_code sexe genre "
    "Geschlecht cinsiyet 性别 sesso sexo género Altersgruppe tranche_age edad età yaş 年龄 Anzahl "
    "Kundenart Kundensegment Produktname Artikelnummer Artikelname Warengruppe Dateiname Umsatz Menge "
    "Preis Rabatt Typ Kategorie Bezeichnung Einheit Status Gruppe Zahlungsart produit nom_produit prix "
    "quantité type_client nb_visites categorie montant taux libelle code_produit nombre_enfants "
    "nombre_de_visites producto nombre_producto precio cantidad tipo_cliente tipo_documento categoria "
    "monto codigo_producto hijos prodotto nome_prodotto prezzo quantita importo codice_prodotto figli "
    "ürün_adı ürün fiyat adet müşteri_tipi kategori tutar ürün_kodu çocuk_sayısı 产品名称 产品 价格 数量 "
    "客户类型 类别 金额 产品编号 商品名称 商品编号 是否会员 省份 文件名"
).split()
