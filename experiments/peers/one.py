#!/usr/bin/env python3
"""Fits a system of scikit-learn on one thread and prints a line of JSON like `bench fit` of experiments/bench.

    experiments/peers/one.py svc|forest|boosting DIR SET

The data are DIR/SET.train.csv and .test.csv from `bench data`. The settings are tuned by the error of 5-fold
cross-validation on the training data; the time covers tuning and the final fit. The system svc has 8 C × 8 gamma, the
others have the grids of study.py. Probabilities of svc are from Platt scaling.
"""
import argparse, json, os, sys, time
sys.dont_write_bytecode = True  # do not create __pycache__ in the checkout
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # before numpy is imported
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from study import SYSTEMS, grid, probabilities, weights

SVC = grid(C=[2.0**k for k in range(-1, 14, 2)], theta=[2.0**k for k in range(-9, 6, 2)])  # a tie goes to the first, with small C
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


def fit(system, x, t):
    settings, make = SYSTEMS["sk-" + system]
    if system == "svc":
        settings = SVC
    best = 0
    if len(settings) > 1:
        search = GridSearchCV(Pipeline([("m", None)]), {"m": [make(s, 1, True) for s in settings]}, refit=False, scoring="accuracy",
                              cv=StratifiedKFold(5, shuffle=True, random_state=1))
        best = search.fit(x, t).best_index_
    return settings[best], make(settings[best], 1, False).fit(x, t)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("system", choices=NAMES)
    a.add_argument("dir")
    a.add_argument("set")
    o = a.parse_args()
    (x, t), (x_test, t_test) = (read(os.path.join(o.dir, f"{o.set}.{part}.csv")) for part in ("train", "test"))
    peak(reset=True)
    cpu, wall = time.process_time(), time.perf_counter()
    setting, m = fit(o.system, x, t)
    r = dict(cpu=time.process_time() - cpu, wall=time.perf_counter() - wall, set=o.set, learner=NAMES[o.system], n=len(t), classes=int(t.max()) + 1,
             kernel=str(setting), peak_mb=peak(), size=weights(m)[1], error=float(np.mean(m.predict(x_test) != t_test)))
    r["logloss"] = probabilities(m, x_test, t_test, r["classes"])[1]
    print(json.dumps(r))


main()
