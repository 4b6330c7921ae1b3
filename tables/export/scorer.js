const truth = new Map(truths.flatMap(([zero, one]) => [[zero, 0], [one, 1]]));
const limitText = /^(<=|<|≤|>=|>|≥)(.*[0-9].*)$/s;
const numberText = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
const minus = /^\((.*)\)$|^[-\u2212](.*)$|^(.*)[-\u2212]$/s;
const signs = /^[\p{Sc}%‰]|[\p{Sc}%‰]$/u;

// Patterns for the elements of a date layout, for the time after a day, and the layouts of the time.
const parts = {
  "2006": "(?<year>[0-9]{4})", "06": "(?<short>[0-9]{2})", "1": "(?<month>[0-9]{1,2})",
  "2": "(?<day>[0-9]{1,2})", "Jan": "(?<mon>[A-Za-z]{3})", "January": "(?<january>[A-Za-z]+)",
  "Mon": "(?<weekday>[A-Za-z]{3})", " ": " +", ".": "[.]",
};
const clock = "(?:(?<gap>[T:]|,? +)(?<hour>[0-9]{1,2}):(?<minute>[0-9]{2})(?<seconds>:(?<second>[0-9]{2})" +
  "([.,](?<fraction>[0-9]+))?)?((?<blank> *)(?<end>[^ ]+))?)?";
const ends = [
  ["PM", /^[AaPp][Mm]$/], ["Z07:00", /^(Z|[+-][0-9]{2}:[0-9]{2})$/], ["-0700", /^[+-][0-9]{4}$/],
  ["MST", /^(GMT([+-]0*(1?[0-9]|2[0-3]))?|[+-]([01][0-9]|2[0-3])|[A-Z]{3}|[A-Z]{3,4}T|WITA|ChST|MeST)$/],
];
const clocks = [" 15:04", " 15:04:05", "T15:04:05", "T15:04", "T15:04:05Z07:00", " 15:04:05Z07:00",
  " 15:04:05 Z07:00", "T15:04:05-0700", " 15:04:05 -0700", " 15:04:05 MST", " 3:04 PM", " 3:04:05 PM",
  " 3:04PM", "T15:04Z07:00", ", 15:04", ", 15:04:05", ", 3:04 PM", ", 3:04:05 PM",
  ":15:04:05 -0700", ":15:04:05"];
const months = ["january", "february", "march", "april", "may", "june", "july", "august", "september",
  "october", "november", "december"];
const zeros = [0xff10, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50]; // zero digits of other scripts
// Numbers with unambiguous marks between their groups of digits.
const grouped = [
  /^([+-]?)([1-9][0-9]{0,2}(?:([ '’_])[0-9]{3})(?:\3[0-9]{3})*)(?:[.,]([0-9]*))?$/,
  /^([+-]?)([1-9][0-9]{0,2}(?:(,)[0-9]{3})+)[.]([0-9]*)$/, /^([+-]?)([1-9][0-9]{0,2}(?:([.])[0-9]{3})+),([0-9]*)$/,
  /^([+-]?)([1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\3[0-9]{3})+)()$/,
  /^([+-]?)([1-9][0-9]?(?:(,)[0-9]{2})+,[0-9]{3})(?:[.]([0-9]*))?$/,
  /^([+-]?)([0-9]+)(),(?![0-9]{3}$)([0-9]*)$/, // a decimal comma
];
const { abs, floor, max, min } = Math;

// scorer returns the functions of a model, which consists of:
//
// - classes: their names, in the order of the probabilities.
// - columns: name; kind; value that replaces a missing one, or null; whether there is a feature for
//   missing cells; levels of a category, or texts of a boolean for 0 and 1; unit of numbers, or layout
//   of dates, in which 2006 or 06 is the year, 1, Jan or January the month, and 2 the day.
// - na: additional texts that mean a missing value. A number stands for all equal numbers. not:NA means that
//   NA is a value.
// - limits: how to read cells such as <0.5: half, limit or missing; "": an error.
// - mean and scale: each feature is standardised: (feature - mean) / scale.
// - sum: the sum over the features in the kernel: squares, absolutes or products; widths: the width of
//   each feature in this sum, or null; formula: the kernel as a function of the sum s.
// - bias: the bias of each class.
// - coefficients: of each class, for the standardised features; null for models without coefficients.
// - vectors: relevance vectors: standardised features, and pairs of class and weight.
// - temperature: potentials are divided by it.
// - floors: the minimum probability of each class, or null. The remaining probability is determined by
//   the potentials.
// - costs: the cost of predicting a class (column) if another is true (row), or null.
function scorer(model) {
  const { classes, columns, na, limits, mean, scale, sum, widths, formula, bias, coefficients, vectors,
    temperature, floors, costs } = model;
  const ofSum = kernelOf(formula);

  // predict returns the class of a row, its index in classes and the probability of each class. row
  // maps the names of columns to values: a number, a text as in a file, a boolean, a Date, or null for
  // a missing value. Absent columns are missing values, and other names are ignored. If the row cannot
  // be predicted, predict throws an Error with the reason.
  function predict(row) {
    const y = potentials(features(row));
    if (!y.every(Number.isFinite)) {
      throw new Error("the potentials overflow");
    }
    const p = probabilities(y);
    let label = y.indexOf(max(...y));
    if (costs) {
      const expected = classes.map((_, c) => p.reduce((sum, v, t) => sum + v * costs[t][c], 0));
      label = expected.indexOf(min(...expected));
    } else if (floors) {
      label = 0;
      p.forEach((v, c) => {
        if (v > p[label] + 1e-9) {
          label = c;
        }
      });
    }
    return { name: classes[label], label, probabilities: p };
  }

  // features turns a row into standardised features.
  function features(row) {
    const x = [];
    let found = false;
    for (const [name, kind, fill, indicator, levels, form] of columns) {
      const cell = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
      const value = read(cell, name, kind, levels, form);
      const missing = value === null;
      found = found || !missing;
      if (missing && fill === null) {
        throw new Error(`column "${name}": no value`);
      }
      if (kind === "category") {
        const oneHot = new Array(levels.length + 1).fill(0);
        if (!missing) {
          oneHot[value] = 1;
        } else if (!indicator) {
          oneHot[levels.length] = 1; // other
        }
        x.push(...oneHot);
      } else {
        x.push(missing ? fill : value);
      }
      if (indicator) {
        x.push(missing ? 1 : 0);
      }
    }
    if (!found) {
      throw new Error("no column has a value");
    }
    return x.map((v, j) => (v - mean[j]) / scale[j]);
  }

  // read returns a cell as a number, or null if it is missing. A category is the index of its level,
  // or levels.length for other; a boolean is 0 or 1; a date is in seconds since 1970-01-01 UTC.
  function read(value, name, kind, levels, form) {
    const text = plain(value);
    let lower = text.toLowerCase();
    let number = NaN;
    if (na.includes(text) || missingTexts.includes(lower) && !na.includes("not:" + text)) {
      return null;
    }
    if (kind === "category") {
      return category(value, text, levels);
    } else if (kind === "boolean") {
      const folded = levels.map((level) => level.toLowerCase());
      const [zero, one] = folded.map((level) => truth.get(level));
      if (!folded.includes(lower) && numberText.test(text)) {
        lower = String(Number(text)); // 1.0 is 1
      }
      if (folded.includes(lower)) {
        number = folded.indexOf(lower);
      } else if (truth.has(lower) && zero !== undefined && one !== undefined && zero !== one) {
        number = truth.get(lower) === one ? 1 : 0;
      }
    } else if (kind === "date") {
      if (value instanceof Date) {
        number = value.getTime() / 1000;
      } else if (typeof value === "string") {
        number = days(text, form);
      }
      const never = na.map((other) => days(other, form)).filter((other) => !Number.isNaN(other));
      if (never.includes(number) || never.includes(floor(number / 86400) * 86400)) {
        return null;
      }
    } else {
      number = numeric(text, form);
      if (na.some((other) => numberText.test(other) && Number(other) === number)) {
        return null;
      }
      if (Number.isNaN(number) && limits) {
        const [, mark, rest] = limitText.exec(common(text)) || [];
        number = rest === undefined ? NaN : numeric(strip(rest), form);
        if (limitWords.includes(lower) || !Number.isNaN(number) && limits === "missing") {
          return null;
        }
        if (limits === "half" && number > 0 && "<≤".includes(mark[0])) {
          number /= 2;
        }
      }
    }
    if (Number.isNaN(number) && noValue.includes(lower)) {
      return null;
    }
    if (!Number.isFinite(number)) {
      throw new Error(`column "${name}": not a ${kind}`);
    }
    return number;
  }

  // kernel returns the kernel of a sample and a relevance vector.
  function kernel(x, v) {
    let s = 0;
    for (let j = 0; j < x.length; j++) {
      const d = x[j] - v[j];
      const term = sum === "products" ? x[j] * v[j] : sum === "squares" ? d * d : abs(d);
      if (!widths) {
        s += term;
      } else if (widths[j] > 0) {
        s += widths[j] * term;
      }
    }
    const k = ofSum(s);
    return Number.isNaN(k) && sum !== "products" ? 0 : k; // NaN if s overflows for a distant sample
  }

  // potentials returns the potential of each class for standardised features x.
  function potentials(x) {
    const y = coefficients ? bias.map((b, c) => x.reduce((sum, v, j) => sum + v * coefficients[c][j], b)) :
      bias.slice();
    for (const [v, weights] of vectors) {
      const k = kernel(x, v);
      for (const [c, w] of weights) {
        y[c] += k * w;
      }
    }
    return y;
  }

  // probabilities returns the probabilities of the classes for potentials.
  function probabilities(potentials) {
    const top = max(...potentials);
    const p = probit(potentials.map((v) => (v - top) / temperature));
    if (!floors) {
      return p;
    }
    const rest = max(0, 1 - floors.reduce((a, b) => a + b, 0));
    return p.map((v, i) => floors[i] + rest * v);
  }

  return { predict, features, kernel, potentials };
}

// plain returns a value as the text of a cell.
function plain(value) {
  if (value === null || value === undefined) {
    return "";
  }
  return value instanceof Date ? value.toISOString() : tidy(String(value));
}

// strip removes blanks around a cell. Unlike trim, it also removes U+0085 and zero characters.
function strip(text) {
  const blank = /[\0\ufeff\p{White_Space}]/u;
  let from = 0, to = text.length;
  while (from < to && blank.test(text[from])) {
    from++;
  }
  while (from < to && blank.test(text[to - 1])) {
    to--;
  }
  return text.slice(from, to);
}

// tidy normalises a text (NFC) and removes invisible characters.
function tidy(text) {
  if (/^[\x00-\x7f]*$/.test(text)) {
    return strip(text);
  }
  return strip(text.normalize("NFC").replace(/(?<![\u0590-\u{10ffff}])[\u200c\u200d]|(?![\u200c\u200d])\p{Cf}/gu, "")
    .replace(/\p{Zs}/gu, " "));
}

// days reads a date in one of the layouts, which are separated by |, or with the year first.
function days(text, layout) {
  for (const one of [...layout.split("|"), "2006-1-2"]) {
    const value = one ? seconds(english(text, one), one) : NaN;
    if (!Number.isNaN(value)) {
      return value;
    }
  }
  return NaN;
}

// english translates the month of a date to the English name in the layout, and removes words and suffixes of
// other languages.
function english(text, layout) {
  const full = layout.includes("January");
  if (!full && !layout.includes("Jan")) {
    return text;
  }
  if (!layout.startsWith("Mon")) {
    text = text.replace(/^(\p{L}+)[., ]+/u, (all, word) => weekdays.includes(word.toLowerCase()) ? "" : all);
  }
  text = text.replace(/([0-9])(st|nd|rd|th|er)(?!\p{L})/giu, "$1").replace(/(?<=.) ?(?<!\p{L})(?:de|del)(?!\p{L}) /giu, " ");
  return text.replace(/(\p{L}+)[.]?/gu, (all, word) => {
    for (const [i, names] of otherMonths.entries()) {
      if (names.split(" ").includes(word.toLowerCase()) && (full || word.length <= 5)) {
        const name = months[i][0].toUpperCase() + months[i].slice(1);
        return full ? name : name.slice(0, 3);
      }
    }
    return all;
  });
}

// common rewrites a number in an unusual notation if its meaning is clear.
function common(text) {
  text = text.replace(/\p{Nd}/gu, (digit) => {
    const zero = zeros.find((zero) => zero <= digit.codePointAt(0) && digit.codePointAt(0) < zero + 10);
    return zero ? String(digit.codePointAt(0) - zero) : digit;
  }).replace(/[，．＋－％（）＄：＜＞]/g, (mark) => String.fromCharCode(mark.charCodeAt(0) - 0xfee0))
    .replace(/٫/g, ".").replace(/٬/g, ",");
  text = text.replace(/^="(.*)"$/s, (all, inside) => strip(inside)).replace(/^'(?=[0-9+.,-])/, "")
    .replace(/^0[xX]0*[0-9a-fA-F]{1,8}$/, (all) => String(Number(all)));
  return /[-+.,]/.test(text) ? text.replace(/^([-+.,0-9]+)[dD]([-+]*[0-9]+)$/, "$1E$2") : text;
}

// numeric returns a number, or NaN if the text is not a number.
function numeric(text, unit) {
  let bare = text;
  if (!numberText.test(bare)) {
    bare = amount(common(text), unit);
    const parts = grouped.map((pattern) => pattern.exec(bare)).find((match) => match);
    if (parts) {
      bare = parts[1] + parts[2].replace(/[^0-9]/g, "") + "." + (parts[4] || "0");
    }
  }
  return numberText.test(bare) ? Number(bare) : NaN;
}

// clockNumber converts a time such as 12:28 or 1:02:03 to its smallest unit.
function clockNumber(text) {
  const parts = /^([0-9]{1,4}):([0-5][0-9])(?::([0-5][0-9]))?(?:[.,]([0-9]+))?(?: *([AP])M)?$/i.exec(text);
  if (!parts || parts[5] && !(parts[1] >= 1 && parts[1] <= 12)) {
    return text;
  }
  const hour = parts[5] ? parts[1] % 12 + (/p/i.test(parts[5]) ? 12 : 0) : Number(parts[1]);
  const total = 60 * hour + Number(parts[2]);
  return String(parts[3] ? 60 * total + Number(parts[3]) : total) + (parts[4] ? "." + parts[4] : "");
}

// amount returns the text of a number with the minus sign in front and without its unit. If unit is
// empty, it removes a currency or percent sign.
function amount(text, unit) {
  let sign = "";
  let found = false;
  for (let before = null; text !== before;) {
    before = text;
    const parts = sign ? null : minus.exec(text);
    if (parts) {
      sign = "-";
      text = strip(parts[1] ?? parts[2] ?? parts[3]);
    } else if (!sign && text.startsWith("+")) {
      sign = "+";
      text = strip(text.slice(1));
    }
    if (!found) {
      let rest = unit ? text : text.replace(signs, "");
      if (unit === ":") {
        rest = clockNumber(text);
      } else if (unit && text.endsWith(unit)) {
        rest = text.slice(0, -unit.length);
      } else if (unit && text.startsWith(unit)) {
        rest = text.slice(unit.length);
      }
      found = rest !== text;
      text = strip(rest);
    }
  }
  return sign + text;
}

// category returns the index of a level, or levels.length for other.
function category(value, text, levels) {
  let level = levels.indexOf(text);
  if (level < 0) {
    level = levels.map(tidy).indexOf(text);
  }
  if (level < 0 && typeof value === "boolean") {
    level = levels.findIndex((level) => level.toLowerCase() === text);
  } else if (level < 0 && numberText.test(text) && Number.isFinite(Number(text))) {
    level = levels.indexOf(String(Number(text)));
    if (level < 0) {
      level = levels.findIndex((level) => numberText.test(level) && Number(level) === Number(text));
    }
  }
  return level < 0 ? levels.length : level;
}

// seconds returns a date as seconds since 1970-01-01 UTC, or NaN if it does not match the layout or is
// not a valid date.
function seconds(text, layout) {
  const pattern = layout.replace(/2006|06|January|Jan|Mon|./g, (part) => parts[part] || part);
  const match = new RegExp("^" + pattern + clock + "$").exec(text.replace(/^[[\]]+|[[\]]+$/g, "")); // brackets of log files
  if (!match || text.length > 40) {
    return NaN;
  }
  const part = match.groups;
  const [minute, second] = [Number(part.minute || 0), Number(part.second || 0)];
  let year = Number(part.year || part.short);
  if (part.short) {
    year += year >= 69 ? 1900 : 2000;
  }
  let month = Number(part.month || 0);
  if (part.mon) {
    month = months.findIndex((name) => name.slice(0, 3) === part.mon.toLowerCase()) + 1;
  } else if (part.january) {
    month = months.indexOf(part.january.toLowerCase()) + 1;
  }
  if (part.weekday && !["mon", "tue", "wed", "thu", "fri", "sat", "sun"].includes(part.weekday.toLowerCase())) {
    return NaN;
  }
  let hour = Number(part.hour || 0);
  let offset = 0;
  if (part.gap) {
    const end = part.end || "";
    const [kind] = ends.find(([, pattern]) => pattern.test(end)) || [end && "?"];
    const gap = part.gap.replace(/ +/, " ");
    const blank = part.blank ? " " : "";
    if (!clocks.includes(`${gap}${kind === "PM" ? 3 : 15}:04${part.seconds ? ":05" : ""}${blank}${kind}`)) {
      return NaN;
    }
    if (kind === "PM") {
      if (hour > 12) {
        return NaN;
      }
      hour = hour % 12 + (/^p/i.test(end) ? 12 : 0);
    } else if ((kind === "Z07:00" || kind === "-0700") && end !== "Z") {
      const [hours, minutes] = [Number(end.slice(1, 3)), Number(end.slice(-2))];
      offset = hours > 24 || minutes > 60 ? NaN : (hours * 60 + minutes) * 60 * (end[0] === "-" ? -1 : 1);
    }
  }
  const day = Number(part.day || 1);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59) {
    return NaN;
  }
  const fraction = part.fraction ? Number("0." + part.fraction.slice(0, 9)) : 0;
  return date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset + fraction;
}
