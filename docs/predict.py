# Predicts with a model file (see model.md), in Python 3.11 or later without libraries:
#
#     python3 predict.py MODEL ROWS.csv   ROWS.csv has a header and commas
#     python3 predict.py MODEL < ROWS     each line of ROWS is a JSON object of cells by column
#
# It writes a line of JSON for each row: the class, the probabilities of all classes, whether the row is unlike all
# training rows, the columns whose value is outside their range, and the columns that the row lacks. In a program:
#
#     from predict import Model
#     Model("m.json").predict([{"mass": 3700, "island": "Dream"}])   or predict(frame) of a pandas DataFrame
import csv, datetime, json, math, re, sys, unicodedata

MISSING = {"", "na", "n/a", "n.a.", "?", ".", "nan", "null", "\\n", "#n/a", "<na>",
           "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"}
NO_VALUE = {"none", "nil", "nd", "*", "-", "--"}  # missing, except in categories
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
PARTS = {"2006": "%Y", "06": "%y", "January": "%B", "Jan": "%b", "Mon": "%a", "1": "%m", "2": "%d"}
CLOCKS = [""] + [gap + clock for gap in (" ", "T", ", ") for clock in (
    "%H:%M", "%H:%M%z", "%H:%M:%S", "%H:%M:%S%z", "%H:%M:%S %z", "%H:%M:%S.%f", "%H:%M:%S.%f%z", "%H:%M:%S.%f %z",
    "%I:%M %p", "%I:%M%p", "%I:%M:%S %p")] + [":%H:%M:%S %z", ":%H:%M:%S"]
MONTHS = {name: month for month, names in enumerate((
    "januar jänner januari janvier janv gennaio gen janeiro enero ene", "februar feber februari février fevrier févr fevr fév fev febbraio fevereiro febrero",
    "märz maerz mär mrz maart mrt mars marzo março marco", "avril avr aprile abril abr", "mai mei maggio mag maio mayo", "juni juin giugno giu junho junio",
    "juli juillet juil luglio lug julho julio", "augustus août aout agosto ago", "septembre sept settembre sett set setembro septiembre setiembre",
    "oktober okt octobre ottobre ott outubro out octubre", "novembre novembro noviembre", "dezember dez décembre decembre déc dicembre dic dezembro diciembre"))
    for name in names.split()}
ENGLISH = "January February March April May June July August September October November December".split()
WEEKDAYS = ("montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so monday tuesday wednesday thursday friday saturday "
            "sunday lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì "
            "venerdì sabato domenica maandag dinsdag woensdag donderdag vrijdag zaterdag zondag segunda-feira terça-feira quarta-feira quinta-feira sexta-feira").split()
LIMIT = re.compile(r"(<=|<|≤|>=|>|≥)(.*\d.*)", re.S)
LIMIT_WORDS = {"n.d.", "lod", "<lod", "< lod", "loq", "<loq", "< loq", "bdl", "bql", "<dl"}
GROUPED = [re.compile(pattern) for pattern in (
    r"([+-]?)([1-9][0-9]{0,2}(?:([ '’_])[0-9]{3})(?:\3[0-9]{3})*)(?:[.,]([0-9]*))?", r"([+-]?)([1-9][0-9]{0,2}(?:(,)[0-9]{3})+)[.]([0-9]*)",
    r"([+-]?)([1-9][0-9]{0,2}(?:([.])[0-9]{3})+),([0-9]*)", r"([+-]?)([1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\3[0-9]{3})+)()",
    r"([+-]?)([1-9][0-9]?(?:(,)[0-9]{2})+,[0-9]{3})(?:[.]([0-9]*))?", r"([+-]?)([0-9]+)(),(?![0-9]{3}$)([0-9]*)")]
TRUE, FALSE = {"1", "t", "true", "y", "yes", "on", "ja", "oui"}, {"0", "f", "false", "n", "no", "off", "nein", "non"}


def boolean(levels, text):
    low = [level.lower() for level in levels]
    if text.lower() in low:
        return low.index(text.lower())
    for same in (TRUE, FALSE):
        if text.lower() in same:
            return 1 if low[1] in same else 0 if low[0] in same else None


def tidy(text):
    text = unicodedata.normalize("NFC", text)
    kept = [c for before, c in zip("\0" + text, text) if c in "\u200c\u200d" and before > "\u058f" or unicodedata.category(c) != "Cf"]
    return unicodedata.normalize("NFC", "".join(" " if unicodedata.category(c) == "Zs" else c for c in kept)).strip()


def common(text):
    text = "".join(chr(ord(c) - 0xfee0) if c in "，．＋－％（）＄：＜＞" else c for c in text).replace("٫", ".").replace("٬", ",")
    for zero in (0xff10, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50):
        text = "".join(chr(ord(c) - zero + 48) if zero <= ord(c) < zero + 10 else c for c in text)
    if text.startswith('="') and text.endswith('"') and len(text) > 2:
        text = text[2:-1].strip()
    text = re.sub("^'(?=[0-9+.,-])", "", text)
    if re.fullmatch("0[xX]0*[0-9a-fA-F]{1,8}", text):
        return str(int(text, 16))
    return re.sub("^([-+.,0-9]+)[dD]([-+]*[0-9]+)$", r"\1E\2", text) if re.search("[-+.,]", text) else text


def clock(text):
    m = re.fullmatch("(?i)([0-9]{1,4}):([0-5][0-9])(?::([0-5][0-9]))?(?:[.,]([0-9]+))?(?: *([ap])m)?", text)
    if m is None or m[5] and not 1 <= int(m[1]) <= 12:
        return text
    hour = int(m[1]) % 12 + 12 * (m[5] in "pP") if m[5] else int(m[1])
    total = 60 * hour + int(m[2])
    return str(60 * total + int(m[3]) if m[3] else total) + ("." + m[4] if m[4] else "")


def limited(text, unit, limits):
    v = number(text, unit)
    m = LIMIT.fullmatch(common(text))
    if v is None and limits and m:
        v = number(m[2].strip(), unit)
        if v is not None and limits == "half" and m[1][0] in "<≤" and v > 0:
            v /= 2
        return v, v is not None and limits == "missing"
    return v, v is None and limits != "" and text.lower() in LIMIT_WORDS


def number(text, unit):
    if NUMBER.fullmatch(text):
        return float(text)
    text = common(text)
    sign, before = "", None
    signs = [c for c in text if c in "%‰" or unicodedata.category(c) == "Sc"]
    units = [unit] if unit else signs[:1]
    while text != before:
        before = text
        if not sign and text.startswith("(") and text.endswith(")"):
            sign, text = "-", text[1:-1].strip()
        for minus in "-\u2212+":
            if not sign and text.startswith(minus):
                sign, text = "+" if minus == "+" else "-", text[1:].strip()
            elif not sign and minus != "+" and text.endswith(minus):
                sign, text = "-", text[:-1].strip()
        if units == [":"]:
            if clock(text) != text:
                text, units = clock(text), []
        elif units and text.endswith(units[0]):
            text = text.removesuffix(units.pop()).strip()
        elif units and text.startswith(units[0]):
            text = text.removeprefix(units.pop()).strip()
    for pattern in GROUPED:
        if (m := pattern.fullmatch(sign + text)) and not NUMBER.fullmatch(sign + text):
            return float(m[1] + re.sub("[^0-9]", "", m[2]) + "." + (m[4] or "0"))
    return float(sign + text) if NUMBER.fullmatch(sign + text) else None


def english(text, layout):
    full = "January" in layout
    if not full and "Jan" not in layout:
        return text
    word = re.match(r"([^\W\d_]+)[., ]+", text)
    if word and not layout.startswith("Mon") and word[1].lower() in WEEKDAYS:
        text = text[word.end():]
    text = re.sub(r"(?i)(?<=.) ?\bdel? ", " ", re.sub(r"(?i)([0-9])(?:st|nd|rd|th|er)\b", r"\1", text))

    def month(word):
        i = MONTHS.get(word[1].lower())
        return word[0] if i is None or not full and len(word[1]) > 5 else ENGLISH[i] if full else ENGLISH[i][:3]
    return re.sub(r"([^\W\d_]+)[.]?", month, text)


def date(cell, layout):
    for day in layout.split("|") + ["2006-1-2"]:
        text = english(cell.strip("[]"), day)
        day = re.sub("|".join(PARTS), lambda part: PARTS[part[0]], day)
        for clock in CLOCKS:
            try:
                t = datetime.datetime.strptime(text, day + clock)
            except ValueError:
                continue
            return t.replace(tzinfo=t.tzinfo or datetime.timezone.utc).timestamp()


def category(levels, text):
    if text not in levels and NUMBER.fullmatch(text):
        same = [level for level in levels if NUMBER.fullmatch(level) and float(level) == float(text)]
        text = f"{float(text):g}" if f"{float(text):g}" in same else (same or [text])[0]
    return levels.index(text) if text in levels else -1


def value(c, text, na, limits=""):
    if text in na or text.lower() in MISSING and "not:" + text not in na:
        return None
    v = None
    if c["kind"] == "category":
        return category(c["levels"], text)
    if c["kind"] == "number":
        v, missing = limited(text, c.get("unit", ""), limits)
        if missing:
            return None
        if v is not None and v in [float(other) for other in na if NUMBER.fullmatch(other)]:
            return None
    elif c["kind"] == "boolean":
        v = boolean(c["levels"], text)
    else:
        layout = c.get("layout", "2006-1-2")
        v = date(text, layout)
        never = [date(other, layout) for other in na]
        if v is not None and (v in never or v // 86400 * 86400 in never):
            return None
    if v is None and text.lower() not in NO_VALUE:
        raise ValueError(f"column {c['name']}: {text} is no {c['kind']}")
    return v


def features(model, row):
    if "recipe" not in model:
        return [float(row[name]) for name in model["features"]]
    x = []
    for c in model["recipe"]["columns"]:
        cell = row.get(c["name"])
        v = value(c, "" if cell is None else tidy(str(cell)), model["recipe"].get("na", []), model["recipe"].get("limits", ""))
        missing = v is None
        if c["kind"] == "category":
            of = [0.0] * (len(c["levels"]) + 1)
            if not missing or not c["missing"]:
                of[-1 if missing else v] = 1.0
        else:
            of = [c["fill"] if missing else float(v)]
        x += of + [float(missing)] * c["missing"]
    return x


def kernel(k, x, y):
    squares = lambda w: sum(w[d] * (a - b) ** 2 for d, (a, b) in enumerate(zip(x, y)))
    absolute = lambda w: sum(w[d] * abs(a - b) for d, (a, b) in enumerate(zip(x, y)))
    theta = k.get("thetas") or [k.get("theta")] * len(x)
    product = sum(a * b for a, b in zip(x, y))
    match k["name"]:
        case "rbf" | "ard":
            return math.exp(-squares(theta))
        case "laplacian" | "laplacian-ard":
            return math.exp(-absolute(theta))
        case "matern32" | "matern32-ard":
            a = math.sqrt(6 * squares(theta))
            return (1 + a) * math.exp(-a)
        case "matern52" | "matern52-ard":
            a = math.sqrt(10 * squares(theta))
            return (1 + a + a * a / 3) * math.exp(-a)
        case "rational-laplacian" | "rational-laplacian-ard":
            return 1 / (1 + absolute(theta))
        case "rational-quadratic":
            return (1 + squares(theta) / k["alpha"]) ** -k["alpha"]
        case "linear":
            return product + k["offset"]
        case "polynomial":
            return (k["scale"] * product + k["offset"]) ** k["degree"]


def potentials(model, x):
    """Return the potentials of the classes, and whether the row is unlike all training rows."""
    if "scaling" in model:
        x = [(v - m) / s for v, m, s in zip(x, model["scaling"]["mean"], model["scaling"]["scale"])]
    distance = model["kernel"]["name"] not in ("linear", "polynomial")
    y, reach = list(model["bias"]), 0 if distance else 1 / (1 + sum(v * v for v in x))
    for c, row in enumerate(model.get("coefficients", [])):
        y[c] += sum(a * v for a, v in zip(row, x))
    for vector in model["vectors"]:
        k = kernel(model["kernel"], x, vector["x"])
        for w in vector["weights"]:
            y[w["class"]] += k * w["weight"]
            reach += distance * k * abs(w["weight"])
    return y, reach < model.get("reach", 0)


def probabilities(y, temperature, floor):
    v = [(u - max(y)) / temperature for u in y]
    step = 0.5 / math.sqrt(len(v))
    p = [0.0] * len(v)
    for node in range(round(-9 / step), round(9 / step) + 1):
        u = [node * step - w for w in v]
        below = [math.erfc(-w / math.sqrt(2)) / 2 for w in u]
        for c, w in enumerate(u):
            rest = math.prod(below[:c] + below[c + 1:])
            p[c] += step * math.exp(-w * w / 2) / math.sqrt(2 * math.pi) * rest
    return [f + max(0, 1 - sum(floor)) * q for f, q in zip(floor, p)]


def label(y, p, floor, costs):
    if costs:
        expected = [sum(v * row[c] for v, row in zip(p, costs)) for c in range(len(p))]
        return expected.index(min(expected))
    if not any(floor):
        return y.index(max(y))
    best = 0
    for c, v in enumerate(p):
        if v > p[best] + 1e-9:
            best = c
    return best


class Model:
    """A model file. predict takes rows as dicts of cells by column, or a pandas DataFrame, and returns a list of
    dicts with the class, the probabilities by class, whether the row is unlike all training rows, the columns
    beyond their range, and the missing columns, for which the model uses typical values."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.model = json.load(file)
        self.classes = self.model["classes"]

    def predict(self, rows):
        if hasattr(rows, "to_dict"):
            rows = rows.astype(object).where(rows.notna(), None).to_dict("records")
        return [self.predict_one(row) for row in rows]

    def predict_one(self, row):
        x = features(self.model, row)
        y, unlike = potentials(self.model, x)
        floor = self.model.get("floor", [0] * len(y))
        p = probabilities(y, self.model.get("temperature", 1), floor)
        name = self.classes[label(y, p, floor, self.model.get("costs"))]
        missing = [c["name"] for c in self.model.get("recipe", {"columns": []})["columns"] if c["name"] not in row]
        return {"class": name, "proba": dict(zip(self.classes, p)), "unlike": unlike, "beyond": self.beyond(x),
                "missing": missing}

    def beyond(self, x):
        names, at = [], 0
        for c in self.model.get("recipe", {"columns": []})["columns"]:
            low, high = c.get("range") or (-math.inf, math.inf)
            if c["kind"] != "category" and not low <= x[at] <= high:
                names.append(c["name"])
            at += (len(c["levels"]) + 1 if c["kind"] == "category" else 1) + c["missing"]
        return names


def main():
    model = Model(sys.argv[1])
    if len(sys.argv) > 2:
        rows = csv.DictReader(open(sys.argv[2], encoding="utf-8-sig", newline=""))
    else:
        rows = map(json.loads, sys.stdin)
    for row in rows:
        p = model.predict_one(row)
        print(json.dumps({**p, "proba": list(p["proba"].values())}))


if __name__ == "__main__":
    main()
