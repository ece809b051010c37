# What sdcMicro says of the risk of single records, on its own test data: `Rscript sdcmicro.R CHECKOUT FOLDER`.
# CHECKOUT holds its sources, which are read here and kept nowhere; FOLDER gets the data and a file of figures for each case.
suppressMessages({library(methods); library(data.table)})
from <- commandArgs(TRUE)[1]
to <- commandArgs(TRUE)[2]
setClass("sdcMicroObj", representation(x = "list"))
for (name in c("freqCalc.r", "indivRisk.R", "measure_risk.R")) source(file.path(from, "R", name), local = globalenv())
none <- list(global_threshold_unsafe = NA, global_threshold_safe = NA, global_threshold = NA)
measure_threshold <- function(...) none  # compiled code, for a figure that is not looked at
load(file.path(from, "data", "testdata.RData"))
load(file.path(from, "data", "testdata2.RData"))
load(file.path(from, "data", "francdat.rda"))

seven <- c("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
blank <- testdata  # cells are left out by the number of the row, so that anybody has the same ones
for (at in seq_along(seven)) blank[seq(at, nrow(blank), by = 17 + 6 * at), seven[at]] <- NA
cases <- list(
  "testdata, 7 keys" = list(testdata, seven, "sampling_weight", "ori_hid"),
  "testdata, 5 keys" = list(testdata, c("urbrur", "roof", "walls", "water", "sex"), "sampling_weight", "ori_hid"),
  "testdata, 7 keys and blank cells" = list(blank, seven, "sampling_weight", "ori_hid"),
  "testdata2, 7 keys" = list(testdata2, seven, "sampling_weight", "ori_hid"),
  "francdat, 4 keys" = list(francdat, c("Key1", "Key2", "Key3", "Key4"), "w", NULL)
)
for (name in names(cases)) {
  case <- cases[[name]]
  data <- as.data.frame(case[[1]])
  keys <- case[[2]]
  weight <- case[[3]]
  household <- if (length(case) > 3) case[[4]]
  said <- measure_risk(data, keyVars = keys, w = weight, hid = household)
  figures <- as.data.frame(said$Res)
  once <- which(!duplicated(figures[, c("fk", "Fk")]))
  exact <- indivRisk(list(freqCalc = data[once, ], keyVars = keys, fk = figures$fk[once], Fk = figures$Fk[once]), method = "exact")
  pair <- function(rows) paste(figures$fk[rows], figures$Fk[rows])
  figures$exact <- exact$rk[match(pair(seq_len(nrow(figures))), pair(once))]
  told <- cbind(data[, c(keys, weight, household)], figures)
  write.csv(told, file.path(to, paste0(name, ".csv")), row.names = FALSE, na = "")
}
