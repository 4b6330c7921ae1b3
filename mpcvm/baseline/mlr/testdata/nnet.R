# Softmax regression with R's package nnet, for the tests against it. Standard input: one
# line per sample with the features and the label, separated by commas. Arguments: the
# function and the factor decay of the penalty decay·Σw². Output: one line per class with
# the bias and the weights.
library(nnet)
args <- commandArgs(trailingOnly = TRUE)
decay <- as.numeric(args[2])
data <- as.matrix(read.csv(file("stdin"), header = FALSE))
x <- data[, -ncol(data)]
t <- factor(data[, ncol(data)])
exact <- list(maxit = 100000, abstol = 0, reltol = 1e-15, MaxNWts = 100000, trace = FALSE)
if (args[1] == "multinom") { # the first class fixed at zero
  fit <- do.call(multinom, c(list(t ~ x, decay = decay), exact))
  w <- rbind(0, coef(fit))
} else { # the function that multinom calls, without a fixed class and without a penalty on the biases
  size <- nlevels(t)
  decays <- rep(c(0, rep(decay, ncol(x))), size)
  fit <- do.call(nnet, c(list(x, class.ind(t), size = 0, skip = TRUE, softmax = TRUE, rang = 0, decay = decays), exact))
  w <- t(matrix(fit$wts, ncol = size))
}
write.table(format(w, digits = 17), sep = ",", quote = FALSE, row.names = FALSE, col.names = FALSE)
