#!/usr/bin/env python3
"""Fits a system of scikit-learn on one thread and prints a line of JSON like `bench fit` of experiments/bench.

    experiments/peers/one.py svc|forest|boosting DIR SET

The data are DIR/SET.train.csv and .test.csv from `bench data`. The settings are tuned by the error of 5-fold
cross-validation on the training data; the time covers tuning and the final fit. The system svc has 8 C × 8 gamma, the
others have the grids of study.py. Probabilities of svc are from Platt scaling.

With --large, svc has 3 C × 4 gamma, is tuned on 2000 samples and has no probabilities above 20,000 samples. The forest
has 500 trees with at most 100,000 samples each. Boosting has 300 rounds and an L2 penalty of 1, without which it diverges
on the rare classes of shuttle. Neither is tuned.
"""
import argparse, json, os, sys, time
sys.dont_write_bytecode = True  # do not create __pycache__ in the checkout
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # before numpy is imported
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from study import SYSTEMS, grid, probabilities, weights

SVC = grid(C=[2.0**k for k in range(-1, 14, 2)], theta=[2.0**k for k in range(-9, 6, 2)])  # a tie goes to the first, with small C
LARGE = {"svc": grid(C=[2, 10, 50], theta=[.03, .1, .3, 1]), "forest": grid(share=["sqrt"], leaf=[1]), "boosting": grid(rate=[.1], trees=[300])}
NAMES = {"svc": "SVC", "forest": "RandomForest", "boosting": "HistGradientBoosting"}


def read(path):
    a = np.loadtxt(path, delimiter=",", ndmin=2)
    return np.ascontiguousarray(a[:, :-1]), a[:, -1].astype(int)


def peak(reset=False):
    """Returns the peak memory of the process in 10^6 bytes, or 0 if not known. With reset, resets the peak."""
    try:
        if reset:
            with open("/proc/self/clear_refs", "w") as f:
                f.write("5")
        with open("/proc/self/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) * 1024 / 1e6
    except OSError:
        return 0


def fit(system, large, x, t):
    settings, make = SYSTEMS["sk-" + system]
    if large:
        settings = LARGE[system]
    elif system == "svc":
        settings = SVC
    best = 0
    if len(settings) > 1:
        some = np.random.default_rng(1).permutation(len(t))[:2000] if large else slice(None)
        search = GridSearchCV(Pipeline([("m", None)]), {"m": [make(s, 1, True) for s in settings]}, refit=False, scoring="accuracy",
                              cv=StratifiedKFold(5, shuffle=True, random_state=1))
        best = search.fit(x[some], t[some]).best_index_
    m = make(settings[best], 1, large and len(t) > 20000)
    if system == "forest" and len(t) > 100000:
        m.set_params(max_samples=100000)
    if system == "boosting" and large:
        m.set_params(l2_regularization=1)
    return settings[best], m.fit(x, t)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("system", choices=NAMES)
    a.add_argument("dir")
    a.add_argument("set")
    a.add_argument("--large", action="store_true")
    o = a.parse_args()
    (x, t), (x_test, t_test) = (read(os.path.join(o.dir, f"{o.set}.{part}.csv")) for part in ("train", "test"))
    peak(reset=True)
    cpu, wall = time.process_time(), time.perf_counter()
    setting, m = fit(o.system, o.large, x, t)
    r = dict(cpu=time.process_time() - cpu, wall=time.perf_counter() - wall, set=o.set, learner=NAMES[o.system], n=len(t), classes=int(t.max()) + 1,
             kernel=str(setting), peak_mb=peak(), size=weights(m)[1], error=float(np.mean(m.predict(x_test) != t_test)))
    if getattr(m, "probability", True):  # attribute of SVC
        r["logloss"] = probabilities(m, x_test, t_test, r["classes"])[1]
    print(json.dumps(r))


main()
