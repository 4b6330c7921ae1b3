"""The tables of peers.py, computed from its results. Check it with

    python3 -m doctest experiments/bench/report.py
"""
import math

ONE, TWO, PURE = "mPCVM₁", "mPCVM₂", ", pure Go"
GRID = "GridSearchCV(SVC) 8×8×5"
SEARCH = "search.Auto"
AUTO, EIGHT = "mPCVM₂, no Theta given", "mPCVM₂, 8 Theta × 5 folds"
GRAM, NUMPY = "kernel.Gram", "numpy + OpenBLAS"


def ratio(a, b):
    """Returns a/b, or None if either is not known.

    >>> ratio(1.0, 4.0), ratio(None, 2.0), ratio(1.0, None), ratio(1.0, 0.0)
    (0.25, None, None, None)
    """
    return a / b if a is not None and b else None


def digits(v, unit=1):
    """Formats a value with three significant digits, or as "–" if it is not known.

    >>> digits(0.0123456), digits(1234.5), digits(12.345), digits(5e-6, 1e6), digits(None), digits(0.0)
    ('0.0123', '1234', '12.3', '5', '–', '0')
    """
    if v is None:
        return "–"
    v *= unit
    if v == 0:
        return "0"
    return f"{v:.{min(max(2 - math.floor(math.log10(abs(v))), 0), 6)}f}".rstrip("0").rstrip(".") if abs(v) < 100 else f"{v:.0f}"


def markdown(rows):
    """Returns a Markdown table. The first row is the header.

    >>> print(markdown([["a", "b"], [1, 2]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0])] + lines[1:])


def columns(table):
    """Returns the columns of {row: {column: ...}} in the order of first appearance.

    >>> columns({"x": {"a": 1}, "y": {"a": 1, "b": 2}})
    ['a', 'b']
    """
    return list(dict.fromkeys(c for row in table.values() for c in row))


def times(table, base, unit):
    """Contenders down, sets across: time, with its ratio to the time of base in brackets.

    >>> print(times({"x": {"us": {"cpu": 2.0}, "them": {"cpu": 1.0}}, "y": {"us": {"cpu": 3.0}}}, "us", 1))
    |  | x | y |
    |---|---|---|
    | us | 2 (1) | 3 (1) |
    | them | 1 (0.5) | – |
    """
    def cell(row, who):
        if who not in row:
            return "–"
        share = ratio(row[who]["cpu"], row.get(base, {}).get("cpu"))
        return digits(row[who]["cpu"], unit) + (f" ({digits(share)})" if share is not None else "")
    return markdown([["", *table]] + [[who] + [cell(row, who) for row in table.values()] for who in columns(table)])


def quality(table):
    """Contenders down, sets across: error in %, log loss, size of the model.

    >>> print(quality({"x": {"us": {"error": 0.05, "logloss": 0.5, "size": 7}, "them": {"error": 0.1}}}))
    |  | x |
    |---|---|
    | us | 5 / 0.5 / 7 |
    | them | 10 / – / – |
    """
    def cell(r):
        if "error" not in r:
            return "–"
        return f'{digits(r["error"], 100)} / {digits(r.get("logloss"))} / {r.get("size", "–")}'
    return markdown([["", *table]] + [[who] + [cell(row.get(who, {})) for row in table.values()] for who in columns(table)])


def memory(table, unit=1):
    """Contenders down, sets across: peak memory, if known.

    >>> print(memory({"x": {"us": {"peak_mb": 3.0}, "them": {}}}, 2))
    |  | x |
    |---|---|
    | us | 6 |
    """
    return times({name: {who: {"cpu": r["peak_mb"]} for who, r in row.items() if "peak_mb" in r} for name, row in table.items()}, None, unit)


def targets(results):
    """The project's targets: rows of (what, measured, bound, met).

    >>> t = targets({"fit": {"vowel": {"mPCVM₂": {"cpu": 0.5}, "GridSearchCV(SVC) 8×8×5": {"cpu": 2.0}}}})
    >>> t[1], t[2], t[3]
    (('mPCVM₂ on Vowel, s', '0.5', '≤ 1', 'yes'), ('the same, 1/100 of EMRVC (474 s, measured elsewhere)', '0.5', '≤ 4.74', 'yes'), ('mPCVM₂ on Glass, s', '–', '≤ 0.1', 'not measured'))
    >>> [row for row in t if "GridSearch" in row[0]][0]
    ('mPCVM₂ on Vowel / GridSearchCV(SVC)', '0.25', '≤ 0.15', 'no')
    """
    def get(part, row, who, unit=1):
        v = results.get(part, {}).get(row, {}).get(who, {}).get("cpu")
        return None if v is None else v * unit
    vowel, grid = get("fit", "vowel", TWO), get("fit", "vowel", GRID)
    rows = [
        ("mPCVM₂ on Vowel, s", vowel, 1.0),
        ("the same, 1/100 of EMRVC (474 s, measured elsewhere)", vowel, 4.74),
        ("mPCVM₂ on Glass, s", get("fit", "glass", TWO), 0.10),
        ("mPCVM₂ on Wine, s", get("fit", "wine", TWO), 0.04),
        ("mPCVM₂ on Iris, s", get("fit", "iris", TWO), 0.03),
        ("mPCVM₂ on Breast, s", get("fit", "breast", TWO), 0.15),
        ("mPCVM₁ on Vowel, s", get("fit", "vowel", ONE), 0.6),
        ("mPCVM₂ on Wine white, s", get("fit", "wine-white", TWO), 20),
        ("mPCVM₂ on Vowel / GridSearchCV(SVC)", ratio(vowel, grid), 0.15),
        ("choice of Theta on Vowel / GridSearchCV(SVC)", ratio(get("search", "vowel", AUTO), grid), 2),
        ("8 Theta × 5 folds on Vowel / GridSearchCV(SVC)", ratio(get("search", "vowel", EIGHT), grid), 2),
        ("labels of Vowel, µs a row", get("predict", "vowel, labels", TWO, 1e6), 7),
        ("probabilities of Vowel, µs a row", get("predict", "vowel, proba", TWO, 1e6), 20),
        ("probabilities of Letter, µs a row", get("predict", "letter, proba", TWO, 1e6), 100),
    ]
    rows += [(f"RBF matrix of {name} / numpy", ratio(get("gram", f"{name}, new", GRAM), get("gram", f"{name}, new", NUMPY)), 1.5)
             for name in ("vowel", "letter", "wine-white")]
    two = ratio(get("cores", "wine-white", "1 core"), get("cores", "wine-white", "2 cores"))
    table = [("target", "measured", "bound", "met")]
    for what, v, bound in rows:
        table.append((what, digits(v), f"≤ {bound:g}", "not measured" if v is None else "yes" if v <= bound else "no"))
    table.append(("Wine white, two cores faster by", digits(two), "≥ 1.7", "not measured" if two is None else "yes" if two >= 1.7 else "no"))
    return table


def report(results, out):
    """Prints the tables of the results.

    >>> import io
    >>> whole, trial = io.StringIO(), io.StringIO()
    >>> r = {"machine": "M", "how": "H", "missing": ["x"], "limit": 0, "cores": {"wine-white": {"1 core": {"cpu": 2.0}, "2 cores": {"cpu": 1.0}}}}
    >>> report(r, whole); report(r | {"limit": 20}, trial)
    >>> whole.getvalue().splitlines()[:2], "Targets" in whole.getvalue()
    (['M. H.', 'Not measured: x.'], True)
    >>> "A trial" in trial.getvalue(), "Targets" in trial.getvalue()
    (True, False)
    """
    def section(title, text):
        print(f"\n## {title}\n\n{text}", file=out)
    print(results["machine"] + ". " + results["how"] + ".", *(f"Not measured: {m}." for m in results["missing"]), sep="\n", file=out)
    if results["limit"]:
        print(f'\n**A trial: our fits were cut off after {results["limit"]} epochs. Their times and errors differ from full fits.**', file=out)
    if results.get("fit"):
        section(f"Fitting: CPU seconds (ratio to {TWO})", times(results["fit"], TWO, 1))
        section("What was fitted: error % / log loss / weights or support vectors", quality(results["fit"]))
        section("Memory of our fits: peak of the process, MB", memory(results["fit"]))
    if results.get("auto"):
        section(f"Search and fit together: CPU seconds (ratio to {SEARCH})", times(results["auto"], SEARCH, 1))
        section("What was chosen: error % / log loss / coefficients", quality(results["auto"]))
        section("Memory: peak of the process, MiB, with the libraries of Python", memory(results["auto"], 1e6 / 2**20))
    if results.get("search"):
        table = {name: row | {GRID: results["fit"][name][GRID]} if GRID in results.get("fit", {}).get(name, {}) else row
                 for name, row in results["search"].items()}
        section(f"Choosing the parameters: CPU seconds (ratio to {GRID})", times(table, GRID, 1))
        section("What was chosen: error % / log loss / weights or support vectors", quality(table))
    if results.get("predict"):
        section(f"Predicting: µs a row (ratio to {TWO})", times(results["predict"], TWO, 1e6))
    if results.get("gram"):
        section(f"RBF matrices: ns an element of N² (ratio to {NUMPY})", times(results["gram"], NUMPY, 1e9))
    if results.get("cores"):
        section("Wine white on one core and two: wall seconds (ratio to one)", times(results["cores"], "1 core", 1))
    known = [row for row in targets(results) if row[-1] != "not measured"]
    if len(known) > 1 and not results["limit"]:  # targets apply only to full fits
        section("Targets", markdown(known))
