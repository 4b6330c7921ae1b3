export const classes = model.classes;
export const { predict } = scorer(model);

// predictCSV predicts the rows of a CSV text with a header. It returns a CSV text of class,
// probabilities and the reason why a row cannot be used.
export function predictCSV(text) {
  const [header = [], ...rows] = records(text.replace(/^\uFEFF/, ""));
  const names = namesOf(header);
  const places = model.columns.map(([name]) => {
    const place = header.includes(name) ? header.indexOf(name) : names.indexOf(joined(name));
    if (place < 0) {
      throw new Error(`no column "${name}" in the header`);
    }
    return place;
  });
  const lines = [["class", ...classes.map((name) => `p(${name})`), "problem"]];
  for (const cells of rows) {
    try {
      if (cells.length !== header.length) {
        throw new Error(`wrong number of cells: ${cells.length}, not ${header.length}`);
      }
      const row = Object.fromEntries(model.columns.map(([name], j) => [name, cells[places[j]]]));
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

// namesOf returns the names of columns: with single blanks, x1, x2 and so on for blank ones, and a
// number where one is repeated.
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

// records divides a CSV text into lists of cells. It leaves out blank lines.
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
