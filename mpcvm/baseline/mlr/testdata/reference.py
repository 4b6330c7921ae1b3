"""Softmax regression with scikit-learn, for TestAgainstScikitLearn and the golden values.

Standard input: one line per sample with the features and the label, separated by commas.
Argument: lambda. Output: one line per class with the bias and the weights.
"""
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression

data = np.loadtxt(sys.stdin, delimiter=",")
x, t = data[:, :-1], data[:, -1].astype(int)
fit = LogisticRegression(C=1 / float(sys.argv[1]), solver="newton-cg", tol=1e-10, max_iter=10000).fit(x, t)
for row in np.column_stack([fit.intercept_, fit.coef_]):
    print(",".join(repr(float(v)) for v in row))
