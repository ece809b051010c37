# One job of sdcMicro, in a process of its own: Rscript sdcmicro.R JOB. R finds the package by R_LIBS.
suppressMessages({library(jsonlite); library(data.table); library(sdcMicro)})
job <- fromJSON(commandArgs(TRUE)[1])
read <- function(path) read.csv(path, sep = ";", colClasses = "character", check.names = FALSE, na.strings = "")
write <- function(rows) write.table(rows, job$out, sep = ";", row.names = FALSE, na = "", quote = FALSE)

blanks <- function(path) {
  rows <- as.data.frame(lapply(read(path), factor))  # with names that R takes: it fails by `marital-status`
  known <- if (job$known < ncol(rows)) job$known
  function() setNames(localSuppression(rows, k = job$k, combs = known, keyVars = seq_len(ncol(rows)))$xAnon, job$quasi)
}
risk <- function(path) {
  rows <- read(path)
  for (name in c(job$weight, job$household)) rows[[name]] <- as.numeric(rows[[name]])
  function() as.data.frame(measure_risk(rows, keyVars = job$quasi, w = job$weight, hid = job$household)$Res)
}
means <- function(path) {
  rows <- as.data.frame(lapply(read(path), as.numeric))
  function() microaggregation(rows, aggr = job$k, method = "mdav")$mx
}

if (job$maker == "data") {
  data(list = job$name, package = "sdcMicro")
  write(get(job$name))
  cat("{}\n")
  quit()
}
prepare <- get(job$maker)
make <- prepare(job$data)
took <- system.time(made <- make())
if (job$maker == "risk" && !is.null(job$weight)) {  # by its other way of counting, of each pair of counts once
  once <- which(!duplicated(made[, c("fk", "Fk")]))
  asked <- list(freqCalc = read(job$data)[once, ], keyVars = job$quasi, fk = made$fk[once], Fk = made$Fk[once])
  exact <- indivRisk(asked, method = "exact")$rk
  made$exact <- exact[match(paste(made$fk, made$Fk), paste(made$fk[once], made$Fk[once]))]
}
write(made)
peak <- grep("VmHWM", readLines("/proc/self/status"), value = TRUE)
cat(toJSON(list(cpu = took[[1]] + took[[2]], peak = as.numeric(gsub("[^0-9]", "", peak)) / 1024), auto_unbox = TRUE), "\n")
