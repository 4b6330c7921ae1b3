export const classes = model.classes;
export const { predict } = scorer(model);

// predictCSV predicts the rows of a CSV text with a header. It returns a CSV text with the class, the
// probabilities, and the reason if a row cannot be predicted.
export function predictCSV(text) {
  const [header = [], ...rows] = records(text.replace(/^\uFEFF/, ""));
  const names = namesOf(header);
  const indices = model.columns.map(([name]) => {
    const index = header.includes(name) ? header.indexOf(name) : names.indexOf(joined(name));
    if (index < 0) {
      throw new Error(`no column "${name}" in the header`);
    }
    return index;
  });
  const lines = [["class", ...classes.map((name) => `p(${name})`), "problem"]];
  for (const cells of rows) {
    try {
      if (cells.length !== header.length) {
        throw new Error(`wrong number of cells: ${cells.length}, want ${header.length}`);
      }
      const row = Object.fromEntries(model.columns.map(([name], j) => [name, cells[indices[j]]]));
      const { name, probabilities } = predict(row);
      lines.push([name, ...probabilities, ""]);
    } catch (error) {
      lines.push([...new Array(classes.length + 1).fill(""), error.message]);
    }
  }
  const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${String(cell).replace(/"/g, '""')}"` : String(cell));
  return lines.map((cells) => cells.map(quoted).join(",") + "\n").join("");
}

const joined = (name) => strip(name).replace(/\s+/g, " ");

// namesOf returns the names of columns: blanks are collapsed, an empty name becomes x1, x2 and so on,
// and a duplicate name gets a number.
function namesOf(header) {
  const taken = new Set(header.map(joined));
  const names = [];
  header.map(joined).forEach((name, i) => {
    const first = name || `x${i + 1}`;
    let unique = first;
    for (let n = 2; taken.has(unique) && (!name || names.includes(name)); n++) {
      unique = `${first} ${n}`;
    }
    taken.add(unique);
    names.push(unique);
  });
  return names;
}

// records splits a CSV text into lists of cells. It skips blank lines.
function records(text) {
  const all = [];
  let record = [];
  const token = /("(?:[^"]|"")*"?[^,\r\n]*|[^,\r\n]*)(,|\r\n|\n|\r|$)/y;
  while (token.lastIndex < text.length || record.length > 0) {
    const [, cell, end] = token.exec(text);
    record.push(cell.startsWith('"') ? cell.replace(/^"((?:[^"]|"")*)"?/, (_, inside) => inside.replace(/""/g, '"')) : cell);
    if (end !== ",") {
      if (record.length > 1 || cell !== "") {
        all.push(record);
      }
      record = [];
    }
  }
  return all;
}

if (typeof process !== "undefined" && process.argv && process.argv[1]) { // in Node.js
  const { realpathSync } = await import("node:fs");
  const { pathToFileURL } = await import("node:url");
  if (import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) { // run as a script
    let text = "";
    for await (const chunk of process.stdin.setEncoding("utf8")) {
      text += chunk;
    }
    try {
      process.stdout.write(predictCSV(text));
    } catch (error) {
      console.error(error.message);
      process.exitCode = 1;
    }
  }
}
