#!/usr/bin/env python3
"""Runs systems of scikit-learn by the protocol of the study: they are tuned on partitions 0-4
by mean error and tested on others. The results are JSON lines that `study tables` reads.

    experiments/peers/study.py --out notebooks/results/beyond --sets glass,vowel --test 5-49

The sets are read from data/ and the folder MPCVM_DATA, the partitions from data/partitions
and MPCVM_DATA/../partitions. Runs that are already in the folder are skipped. In heart, -9 marks a missing
value, which is replaced by the median of the training rows. SVC's probabilities are from
Platt scaling. `bench export` of experiments/bench writes the first classes of a set to out/peers:

    experiments/peers/study.py --out notebooks/results/beyond --sets letter-10 --series letter --data out/peers
"""
import argparse, csv, itertools, json, os, time, warnings
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

warnings.filterwarnings("ignore")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
THETAS = [.01, .02, .03, .05, .1, .2, .3, .5, .8, 1.2, 1.6, 3]


def grid(**options):
    return [dict(zip(options, values)) for values in itertools.product(*options.values())]


# For each system: the settings, and a function that makes the classifier for a setting,
# without probabilities if labels is true.
SYSTEMS = {
    "sk-svc": (grid(theta=THETAS, C=[.5, 2, 8, 32, 128]), lambda p, seed, labels: SVC(
        C=p["C"], gamma=p["theta"], probability=not labels, random_state=seed)),
    "sk-forest": (grid(share=[.1, .3, .6], leaf=[1, 3]), lambda p, seed, labels: RandomForestClassifier(
        500, max_features=p["share"], min_samples_leaf=p["leaf"], random_state=seed, n_jobs=1)),
    "sk-boosting": (grid(rate=[.05, .1], trees=[100, 300]), lambda p, seed, labels: HistGradientBoostingClassifier(
        learning_rate=p["rate"], max_iter=p["trees"], max_leaf_nodes=15, min_samples_leaf=5, early_stopping=False, random_state=seed)),
    "sk-logistic": (grid(C=[.1, 1, 10, 100]), lambda p, seed, labels: LogisticRegression(C=p["C"], max_iter=2000)),
}


def find(name, folder, sibling, own):
    for path in (own and os.path.join(own, folder, name + ".csv"), os.path.join(ROOT, "data", folder, name + ".csv"),
                 os.path.join(os.environ.get("MPCVM_DATA", ""), sibling, name + ".csv")):
        if path and os.path.exists(path):
            return path
    raise SystemExit(f"no {name}.csv in data/{folder} or MPCVM_DATA")


def load(name, own):
    with open(find(name, "", ".", own)) as f:
        rows = list(csv.reader(f))[1:]
    x = np.array([[float(v) for v in r[:-1]] for r in rows])
    classes = sorted({r[-1] for r in rows})
    t = np.array([classes.index(r[-1]) for r in rows])
    with open(find(name, "partitions", "../partitions", own)) as f:
        parts = [[int(v) for v in line.split(",")] for line in f if line[:1].isdigit()]
    return x, t, parts


def split(name, x, t, train):
    test = np.ones(len(t), bool)
    test[train] = False
    a, b = x[~test].copy(), x[test].copy()
    if name == "heart":
        for j in range(a.shape[1]):
            known = a[a[:, j] != -9, j]
            median = np.median(known) if len(known) else 0
            for m in (a, b):
                m[m[:, j] == -9, j] = median
    mean, scale = a.mean(0), a.std(0, ddof=1)
    scale[scale == 0] = 1
    return (a - mean) / scale, t[~test], (b - mean) / scale, t[test]


def auc(p, t):
    """Generalised AUC of Hand and Till over the classes of t; ties count half."""
    def one(i, j):
        own, other = p[t == i, i], p[t == j, i]
        d = own[:, None] - other[None, :]
        return ((d > 0).sum() + .5 * (d == 0).sum()) / d.size
    pairs = list(itertools.combinations(np.unique(t), 2))
    return float(np.mean([(one(i, j) + one(j, i)) / 2 for i, j in pairs])) if pairs else None


def weights(m):
    if isinstance(m, SVC):
        return len(m.support_), int((m.dual_coef_ != 0).sum())
    if isinstance(m, RandomForestClassifier):
        return 0, int(sum(e.get_n_leaves() for e in m.estimators_))
    if isinstance(m, HistGradientBoostingClassifier):
        return 0, int(sum(p.get_n_leaf_nodes() for round in m._predictors for p in round))
    return 0, m.coef_.size


def probabilities(m, x, t, classes):
    """Returns the probabilities of all classes for each row of x, and their log loss over the labels t known to m."""
    p = np.zeros((len(t), classes))
    p[:, m.classes_] = m.predict_proba(x)
    own = p[np.arange(len(t)), t][np.isin(t, m.classes_)]
    return p, float(np.mean(-np.log(np.maximum(own, 1e-15))))


def ranges(text):
    lo, _, hi = text.partition("-")
    return range(int(lo), int(hi or lo) + 1)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--out", required=True)
    a.add_argument("--sets", default="iris,wine,glass,breast,heart,vowel,wine-red,wine-white")
    a.add_argument("--systems", default=",".join(SYSTEMS))
    a.add_argument("--test", default="5-49")
    a.add_argument("--data", help="a folder of data sets with partitions/, searched first")
    a.add_argument("--series", help="the set whose first classes make up these sets")
    o = a.parse_args()
    os.makedirs(o.out, exist_ok=True)
    path = os.path.join(o.out, "results-1-of-2.jsonl")  # a shard, because our own systems may write results.jsonl
    done = set()
    if os.path.exists(path):
        with open(path) as f:
            done = {(r["system"], r["dataset"], r["partition"]) for r in map(json.loads, f)}
    for name in o.sets.split(","):
        x, t, parts = load(name, o.data)
        for system in o.systems.split(","):
            todo = [p for p in ranges(o.test) if (system, name, p) not in done]
            if not todo:
                continue
            settings, make = SYSTEMS[system]
            errors = []
            for s in settings:
                e = []
                for p in range(5):
                    xa, ta, xb, tb = split(name, x, t, parts[p])
                    e.append(np.mean(make(s, 1 + p, True).fit(xa, ta).predict(xb) != tb))
                errors.append(np.mean(e))
            s = settings[int(np.argmin(errors))]
            for p in todo:
                xa, ta, xb, tb = split(name, x, t, parts[p])
                start = time.perf_counter()
                m = make(s, 1 + p, False).fit(xa, ta)
                fit = time.perf_counter() - start
                start = time.perf_counter()
                labels = m.predict(xb)
                predict = time.perf_counter() - start
                proba, loss = probabilities(m, xb, tb, t.max() + 1)
                basis, count = weights(m)
                line = dict(system=system, dataset=name, partition=p, n_train=len(ta), n_test=len(tb), err=float(np.mean(labels != tb)),
                            auc=auc(proba, tb), logloss=loss, fit_s=fit, predict_s=predict,
                            n_basis=basis, n_weights=count, params=dict(s, seed=1 + p), n_classes=int(t.max()) + 1, rule="error")
                if o.series:
                    line["series"] = o.series
                with open(path, "a") as f:
                    f.write(json.dumps(line) + "\n")
            print(system, name, s, flush=True)


if __name__ == "__main__":
    main()
