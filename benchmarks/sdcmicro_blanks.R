# Which cells sdcMicro leaves out, on its own test data and on Adult: `Rscript sdcmicro_blanks.R CHECKOUT FOLDER ADULT`.
# CHECKOUT holds its sources, which are read here and kept nowhere; FOLDER gets the data, and `said.csv` with its counts.
suppressMessages({library(methods); library(data.table); library(Rcpp)})
from <- commandArgs(TRUE)[1]
to <- commandArgs(TRUE)[2]
sourceCpp(file.path(from, "src", "calcSuppInds.cpp"))
setClass("sdcMicroObj", representation(x = "list"))
for (name in c("freqCalc.r", "indivRisk.R", "localSuppression.R")) source(file.path(from, "R", name), local = globalenv())
load(file.path(from, "data", "testdata.RData"))
load(file.path(from, "data", "testdata2.RData"))
load(file.path(from, "data", "francdat.rda"))

seven <- c("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
adult <- read.csv(commandArgs(TRUE)[3], sep = ";", stringsAsFactors = TRUE)[1:3000, c(1, 2, 3, 4, 5, 7)]
tried <- list(ks = c(2, 3, 5), known = list(NULL, 3))  # the order in which rows are helped was chosen on these
held <- list(ks = c(4, 7), known = list(2, 4))
cases <- list(
  "testdata, 7 keys" = c(list(testdata[, seven]), tried),
  "testdata2, 7 keys" = c(list(testdata2[, seven]), tried),
  "francdat, 4 keys" = c(list(francdat[, c("Key1", "Key2", "Key3", "Key4")]), tried),
  "testdata, 5 keys" = c(list(testdata[, c("roof", "walls", "water", "relat", "sex")]), held),
  "Adult, 6 keys" = c(list(adult), held)
)
said <- NULL
for (name in names(cases)) {
  data <- cases[[name]][[1]]
  write.csv(data, file.path(to, paste0(name, ".csv")), row.names = FALSE, na = "")
  for (k in cases[[name]]$ks) for (known in cases[[name]]$known) {
    took <- system.time(made <- localSuppression(data, k = k, combs = known, keyVars = seq_len(ncol(data))))
    cells <- sum(is.na(as.data.frame(made$xAnon))) - sum(is.na(data))
    row <- data.frame(name, k, known = if (is.null(known)) ncol(data) else known, cells, seconds = took[[1]] + took[[2]])
    said <- rbind(said, row)
  }
}
write.csv(said, file.path(to, "said.csv"), row.names = FALSE)
