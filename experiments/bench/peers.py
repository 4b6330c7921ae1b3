#!/usr/bin/python3
"""Compares this library with scikit-learn, LIBSVM and numpy, side by side on one thread.

Every contender does the same work on the same standardised rows, which the Go program
in this folder writes. Times are CPU time (user and system) of the work alone. A repetition
consists of at least one run and takes at least --at-least seconds; its result is the mean
of the runs. Contenders take turns, and the lowest of --reps repetitions is reported. Work
that takes longer than --once seconds is done once. In the part auto, search.Auto and tuned
systems of scikit-learn (experiments/peers/one.py) run in separate processes, and letter is
restricted to the letters A to J. Programs that are not installed are skipped and reported.

Run by `make bench PARTS=peers`. The results are stored in OUT/peers.json; --render prints
their tables (report.py) again.
"""
import argparse
import json
import math
import os
import platform
import resource
import shutil
import subprocess
import sys
import time
import warnings

sys.dont_write_bytecode = True  # do not create __pycache__ in the checkout
from report import AUTO, EIGHT, GRAM, GRID, NUMPY, ONE, PURE, SEARCH, TWO, report

ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "GOMAXPROCS")}
os.environ.update(ONE_THREAD)  # numpy reads these variables on import

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = ["fit", "grid", "search", "auto", "predict", "gram", "cores"]
SETS = ["iris", "wine", "glass", "breast", "vowel", "wine-white", "letter"]
SMALL = SETS[:5]  # fits take seconds at most
PREDICTED = ["vowel", "letter"]
TUNED_ON = {"iris": "iris", "glass": "glass", "vowel": "vowel", "letter": "letter-10", "wine-white": "wine-white"}
GRAMS = {"vowel": 0, "letter": 2000, "wine-white": 0}  # training rows; 0 for all
GRAM_THETA = 1.2

# C and gamma as chosen by GridSearchCV below; for the two large sets, the best of a few on the
# test rows, which favours SVC there.
SVC_AT = {"iris": (2, 2**-3), "wine": (0.5, 2**-7), "glass": (128, 2**-5), "breast": (0.5, 2**-7),
          "vowel": (32, 2**-3), "wine-white": (10, 1.2), "letter": (10, 0.1)}
PARAMETERS = {"C": [2.0**k for k in range(-1, 14, 2)], "gamma": [2.0**k for k in range(-9, 6, 2)]}
GP_ROWS = 200  # with more rows, a Gaussian process takes minutes

SVC_NAME, SVC_PROBA = "SVC", "SVC, probability=True"
TUNED = {GRID: "svc", "RandomForest, tuned": "forest", "HistGradientBoosting, tuned": "boosting"}  # names in experiments/peers/one.py
FOREST, LOGISTIC, GP = "RandomForest, 500 trees", "LogisticRegression", "GaussianProcess"
LIBSVM, LIBSVM_PROBA = "svm-train", "svm-train -b 1"
RBF_KERNEL = "sklearn rbf_kernel"


def children():
    """Returns the CPU seconds of child processes that have ended."""
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def measure(f, at_least, clock=time.process_time):
    """Returns the mean seconds of a run of f, and the last return value."""
    start, runs = clock(), 0
    while True:
        result, runs = f(), runs + 1
        used = clock() - start
        if used >= at_least:
            return used / runs, result


def take_turns(jobs, reps, once, say):
    """Runs each of jobs (key: function that returns a dict with "cpu") in turn, reps
    times, and returns the result of each with the lowest "cpu". The lowest "idle", if
    present, is subtracted: the time of the program without work.

    >>> times = iter([3, 10, 1, 2])
    >>> jobs = {"a": lambda: {"cpu": next(times), "idle": 0.5}, "b": lambda: {"cpu": next(times)}}
    >>> take_turns(jobs, reps=3, once=9, say=lambda *_: None)
    {'a': {'cpu': 0.5}, 'b': {'cpu': 10}}
    """
    best, idle = {}, {}
    for rep in range(reps):
        for key, job in jobs.items():
            if key in best and best[key]["cpu"] > once:
                continue
            result = job()
            say(rep + 1, *key, f'{result["cpu"]:.3g} s')
            idle[key] = min(result.pop("idle", 0), idle.get(key, math.inf))
            if key not in best or result["cpu"] < best[key]["cpu"]:
                best[key] = result
    return {key: r | {"cpu": max(r["cpu"] - idle[key], 0)} for key, r in best.items()}


class Bench:
    """The contenders. Each method that ends in _job returns a function for take_turns."""

    def __init__(self, options):
        self.o = options
        self.out = os.path.abspath(options.out)
        os.makedirs(os.path.join(self.out, "data"), exist_ok=True)
        self.missing, self.models, self.sets, self.files, self.fitted = [], {}, {}, {}, set()
        self.binaries = {"": self.build("bench"), PURE: self.build("bench-purego", "-tags", "purego")}
        if "purego" in options.leave_out:
            del self.binaries[PURE]
        self.np = self.sk = None
        try:
            import numpy
            self.np = numpy
            import sklearn
            self.sk = sklearn
        except ImportError as err:
            self.missing.append(f"{err}: install python3-sklearn and run this with Debian's python3")
        self.libsvm = all(map(shutil.which, ("svm-train", "svm-predict")))
        if not self.libsvm:
            self.missing.append("no svm-train and svm-predict: install libsvm-tools")
        for name in options.sets:
            try:
                self.go("data", os.path.join(self.out, "data"), name)
                self.sets[name] = self.read(name)
            except subprocess.CalledProcessError as err:
                self.missing.append(f"{name}: {err.stderr.strip()}")
        self.cpus = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        if self.cpus:
            os.sched_setaffinity(0, {max(self.cpus)})  # for this process and its children

    def build(self, name, *flags):
        path = os.path.join(self.out, name)
        subprocess.run(["go", "build", *flags, "-o", path, "./bench"], cwd=os.path.join(ROOT, "experiments"), check=True)
        return path

    def go(self, *args, tag="", threads=1):
        """Runs the Go program and returns what it prints."""
        cpus = self.cpus if threads > 1 else None
        done = subprocess.run([self.binaries[tag], *map(str, args)], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=os.environ | {"GOMAXPROCS": str(threads)},
                              preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus else None)
        return json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout

    def read(self, name):
        """Returns training rows and labels, test rows and labels."""
        if self.np is None:
            return None
        parts = []
        for part in "train", "test":
            a = self.np.loadtxt(os.path.join(self.out, "data", f"{name}.{part}.csv"), delimiter=",", ndmin=2)
            parts += [self.np.ascontiguousarray(a[:, :-1]), a[:, -1].astype(int)]
        return parts

    # The library. Each repetition is a separate process, which reports its peak memory.

    def model_file(self, name, who):
        return os.path.join(self.out, f"{name}.{who.replace(' ', '').replace(',', '.')}.json")

    def fit_job(self, name, learner, who, tag, *more):
        def job():
            path = self.model_file(name, who)
            self.fitted.add(path)
            return self.go("fit", "-set", name, "-learner", learner, "-at-least", self.o.at_least,
                           "-limit", self.o.limit, "-model", path, *more, tag=tag)
        return job

    def predict_job(self, name, what, tag):
        def job():
            path = self.model_file(name, TWO)
            if path not in self.fitted:  # a file of an earlier run may come from other code or options
                self.fit_job(name, "BottomUp", TWO, "")()
            r = self.go("predict", "-set", name, "-model", path, "-at-least", self.o.at_least, tag=tag)
            return {"cpu": r[what]["cpu"] / r["rows"], "size": r["size"]}
        return job

    def gram_job(self, name, rows, what, tag):
        def job():
            r = self.go("gram", "-set", name, "-rows", rows, "-theta", GRAM_THETA, "-at-least", self.o.at_least, tag=tag)
            return {"cpu": r[what]["cpu"] / r["n"]**2, "n": r["n"], "d": r["d"]}
        return job

    # scikit-learn

    def estimators(self, name):
        """Returns functions that make the estimators for a set."""
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.gaussian_process import GaussianProcessClassifier
        from sklearn.gaussian_process.kernels import RBF
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV, StratifiedKFold
        from sklearn.svm import SVC
        c, gamma = SVC_AT[name]
        makers = {
            SVC_NAME: lambda: SVC(C=c, gamma=gamma),
            SVC_PROBA: lambda: SVC(C=c, gamma=gamma, probability=True, random_state=0),
            FOREST: lambda: RandomForestClassifier(500, random_state=0),
            LOGISTIC: lambda: LogisticRegression(max_iter=1000),
        }
        if len(self.sets[name][1]) <= GP_ROWS:
            makers[GP] = lambda: GaussianProcessClassifier(1.0 * RBF(1.0), random_state=0)
        if name in SMALL and "grid" in self.o.parts:
            folds = StratifiedKFold(5, shuffle=True, random_state=0)
            makers[GRID] = lambda: GridSearchCV(SVC(), PARAMETERS, cv=folds)
        return makers

    def estimator_job(self, name, who, make):
        def job():
            x, t, x_test, t_test = self.sets[name]
            cpu, model = measure(lambda: make().fit(x, t), self.o.at_least)
            self.models[name, who] = model
            r = {"cpu": cpu, "error": float((model.predict(x_test) != t_test).mean())}
            if hasattr(model, "predict_proba"):
                p = model.predict_proba(x_test)[self.np.arange(len(t_test)), t_test]
                r["logloss"] = float(-self.np.log(self.np.clip(p, sys.float_info.min, 1)).mean())
            best = getattr(model, "best_estimator_", model)
            if hasattr(best, "n_support_"):
                r["size"] = int(best.n_support_.sum())
            return r
        return job

    def estimator_predict_job(self, name, who, what):
        def job():
            if (name, who) not in self.models:
                self.estimator_job(name, who, self.estimators(name)[who])()
            x_test, model = self.sets[name][2], self.models[name, who]
            cpu, _ = measure(lambda: getattr(model, what)(x_test), self.o.at_least)
            return {"cpu": cpu / len(x_test)}
        return job

    # LIBSVM's programs. The time for starting, reading and writing is subtracted. It is measured
    # with a huge tolerance or an empty model.

    def svm_files(self, name):
        if name not in self.files:
            base = os.path.join(self.out, "data", name)
            x, t, x_test, t_test = self.sets[name]
            for part, rows, labels in ("train", x, t), ("test", x_test, t_test):
                with open(f"{base}.{part}.svm", "w") as f:
                    for row, label in zip(rows, labels):
                        print(label, *(f"{i}:{v!r}" for i, v in enumerate(row.tolist(), 1)), file=f)
            self.files[name] = base
        return self.files[name]

    def svm_train(self, name, proba, model, empty=False):
        base, (c, gamma) = self.svm_files(name), SVC_AT[name]
        tolerance = 1e10 if empty else 1e-3
        run_quietly("svm-train", "-q", "-c", c, "-g", gamma, "-m", 200, "-b", proba, "-e", tolerance,
                    f"{base}.train.svm", model)
        return model

    def svm_predict(self, name, proba, model):
        base = self.svm_files(name)
        run_quietly("svm-predict", "-b", proba, f"{base}.test.svm", model, f"{base}.{proba}.predicted")

    def svm_train_job(self, name, proba):
        def job():
            base = self.svm_files(name)
            model = f"{base}.{proba}.model"
            cpu, _ = measure(lambda: self.svm_train(name, proba, model), self.o.at_least, children)
            idle, _ = measure(lambda: self.svm_train(name, 0, f"{base}.empty", True), self.o.at_least, children)
            self.svm_predict(name, proba, model)
            with open(f"{base}.{proba}.predicted") as f:
                labels = [line.split()[0] for line in f]
            truth = self.sets[name][3]
            labels = self.np.array(labels[-len(truth):], int)  # with -b 1 there is a header
            return {"cpu": cpu, "idle": idle, "error": float((labels != truth).mean())}
        return job

    def svm_predict_job(self, name, proba):
        def job():
            base = self.svm_files(name)
            model = self.svm_train(name, proba, f"{base}.{proba}.model")
            empty = self.svm_train(name, 0, f"{base}.empty", True)
            cpu, _ = measure(lambda: self.svm_predict(name, proba, model), self.o.at_least, children)
            idle, _ = measure(lambda: self.svm_predict(name, 0, empty), self.o.at_least, children)
            rows = len(self.sets[name][3])
            return {"cpu": cpu / rows, "idle": idle / rows}
        return job

    # numpy

    def numpy_gram_job(self, name, rows, reused):
        np = self.np

        def job():
            x, theta = self.sets[name][0][:rows or None], GRAM_THETA
            n = len(x)
            k = np.ones((n, n)) if reused else None

            def rbf():
                s = theta * (x * x).sum(1)
                out = np.matmul(x, x.T, out=k)
                out *= 2 * theta
                out -= s[:, None]
                out -= s
                return np.exp(out, out=out)
            cpu, _ = measure(rbf, self.o.at_least)
            return {"cpu": cpu / n**2}
        return job

    def sklearn_gram_job(self, name, rows):
        def job():
            from sklearn.metrics.pairwise import rbf_kernel
            x = self.sets[name][0][:rows or None]
            cpu, _ = measure(lambda: rbf_kernel(x, gamma=GRAM_THETA), self.o.at_least)
            return {"cpu": cpu / len(x)**2}
        return job

    # The parts: for each a dict of jobs by (row, column) of its table.

    def fit(self):
        jobs = {}
        for name in self.sets:
            for tag in self.binaries:
                if name in SMALL:
                    jobs[name, ONE + tag] = self.fit_job(name, "TopDown", ONE + tag, tag)
                jobs[name, TWO + tag] = self.fit_job(name, "BottomUp", TWO + tag, tag)
            if self.sk:
                for who, make in self.estimators(name).items():
                    jobs[name, who] = self.estimator_job(name, who, make)
            if self.libsvm and self.np:
                jobs[name, LIBSVM] = self.svm_train_job(name, 0)
                jobs[name, LIBSVM_PROBA] = self.svm_train_job(name, 1)
        return jobs

    def search(self):
        if "vowel" not in self.sets:
            return {}
        return {("vowel", who + tag): self.fit_job("vowel", "BottomUp", who + tag, tag, "-search", how)
                for tag in self.binaries for who, how in ((AUTO, "auto"), (EIGHT, "grid"))}

    def auto(self):
        jobs, folder = {}, os.path.join(self.out, "data")
        for name in [TUNED_ON[name] for name in self.sets if name in TUNED_ON]:
            self.go("data", folder, name)
            jobs[name, SEARCH] = self.fit_job(name, "Auto", SEARCH, "")
            if self.sk:
                for who, system in TUNED.items():
                    jobs[name, who] = lambda name=name, system=system: json.loads(subprocess.check_output(
                        [sys.executable, os.path.join(ROOT, "experiments", "peers", "one.py"), system, folder, name]))
        return jobs

    def predict(self):
        jobs = {}
        for name in PREDICTED:
            if name not in self.sets:
                continue
            for what, method, b in ("labels", "predict", 0), ("proba", "predict_proba", 1):
                row = f"{name}, {what}"
                for tag in self.binaries:
                    jobs[row, TWO + tag] = self.predict_job(name, what, tag)
                if self.sk:
                    for who in (SVC_PROBA if b else SVC_NAME), FOREST, LOGISTIC:
                        jobs[row, who] = self.estimator_predict_job(name, who, method)
                if self.libsvm and self.np:
                    jobs[row, "svm-predict"] = self.svm_predict_job(name, b)
        return jobs

    def gram(self):
        jobs = {}
        for name, rows in GRAMS.items():
            if name not in self.sets:
                continue
            for what in "new", "reused":
                for tag in self.binaries:
                    jobs[f"{name}, {what}", GRAM + tag] = self.gram_job(name, rows, what, tag)
                if self.np:
                    jobs[f"{name}, {what}", NUMPY] = self.numpy_gram_job(name, rows, what == "reused")
            if self.sk:
                jobs[f"{name}, new", RBF_KERNEL] = self.sklearn_gram_job(name, rows)
        return jobs

    def cores(self):
        """Wall time with one and two cores, under the key "cpu" as in the other tables."""
        if "wine-white" not in self.sets:
            return {}
        if len(self.cpus) < 2:
            self.missing.append("a second core")
            return {}

        def job(threads):
            r = self.go("fit", "-set", "wine-white", "-limit", self.o.limit, threads=threads)
            return {"cpu": r["wall"], "all": r["cpu"]}
        return {("wine-white", f"{k} core{'s'[:k - 1]}"): lambda k=k: job(k) for k in (1, 2)}

    def machine(self):
        cpu = platform.processor() or platform.machine()
        if os.path.exists("/proc/cpuinfo"):
            with open("/proc/cpuinfo") as f:
                cpu = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), cpu)
        lines = [f"{cpu}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start",
                 subprocess.check_output(["go", "version"], text=True).split()[2].replace("go", "Go "),
                 f"Python {platform.python_version()}"]
        if self.np:
            lines.append(f"numpy {self.np.__version__}")
        if self.sk:
            lines.append(f"scikit-learn {self.sk.__version__}")
        if self.libsvm:
            lines.append(f"LIBSVM {libsvm_version()}")
        return ", ".join(lines) + time.strftime(", %Y-%m-%d")


def run_quietly(*args):
    subprocess.run(list(map(str, args)), check=True, stdout=subprocess.DEVNULL)


def libsvm_version():
    """Returns the version of Debian's package, because the programs do not print theirs."""
    try:
        return subprocess.check_output(["dpkg-query", "-Wf", "${Version}", "libsvm-tools"], text=True)
    except (OSError, subprocess.CalledProcessError):
        return "of unknown version"


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def names(known):
        def parse(text):
            for name in text.split(","):
                if name not in known:
                    raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(known)}")
            return text.split(",")
        return parse
    p.add_argument("--sets", type=names(SETS), default=SETS, help="comma-separated; default all")
    p.add_argument("--parts", type=names(PARTS), default=PARTS, help=f"of {','.join(PARTS)}; default all")
    p.add_argument("--leave-out", type=names(PARTS + ["purego"]), default=[], help="parts to skip, or purego")
    p.add_argument("--reps", type=int, default=5)
    p.add_argument("--at-least", type=float, default=0.2, help="smallest CPU seconds of a repetition")
    p.add_argument("--once", type=float, default=30, help="work that takes more CPU seconds is done once")
    p.add_argument("--limit", type=int, default=0, help="limit on the epochs of our fits, for a trial run")
    p.add_argument("--out", default=os.path.join(ROOT, "out", "bench"), help="folder for models and peers.json")
    p.add_argument("--render", metavar="FILE", help="only print the tables of this peers.json")
    o = p.parse_args()
    o.parts = [part for part in o.parts if part not in o.leave_out]
    return o


def main():
    o = options()
    if o.render:
        with open(o.render) as f:
            report(json.load(f), sys.stdout)
        return
    warnings.simplefilter("ignore")  # from estimators that did not converge
    bench = Bench(o)
    results = {"machine": bench.machine(), "missing": bench.missing, "limit": o.limit,
               "how": f"Least of {o.reps} repetitions of at least {o.at_least:g} s"}

    def say(*what):
        print(time.strftime("%H:%M:%S"), *what, file=sys.stderr, flush=True)

    for part in o.parts:
        if part == "grid":  # GridSearchCV is a contender of fit
            continue
        say(part)
        table = results[part] = {}
        for (row, column), r in take_turns(getattr(bench, part)(), o.reps, o.once, say).items():
            table.setdefault(row, {})[column] = r
        with open(os.path.join(bench.out, "peers.json"), "w") as f:
            json.dump(results, f, indent=1)
    report(results, sys.stdout)


if __name__ == "__main__":
    main()
