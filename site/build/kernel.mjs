// Runs cells in the kernel of the live notebooks, in a browser, and writes the results to standard output as JSON.
// Usage: node kernel.mjs chrome|firefox PROGRAM URL
import puppeteer from "puppeteer-core";

const [browserName, executablePath, address] = process.argv.slice(2);
const seen = { results: {}, faults: [] };
const browser = await puppeteer.launch({
  browser: browserName, executablePath, headless: true, protocolTimeout: 300_000,
  args: browserName === "chrome" ? ["--no-sandbox", "--disable-gpu"] : [],
});
const page = await browser.newPage();
page.on("pageerror", e => seen.faults.push(`exception: ${e.message}`));
page.on("request", r => /^blob:/.test(r.url()) || r.url().startsWith(address) || seen.faults.push(`request to ${r.url()}`));
await page.goto(address + "/kernel.html");

/** run runs a cell. With stop the cell is stopped as soon as it writes. */
const run = (name, cell, source, stop = false) => page.evaluate(async (cell, source, stop) => {
  const { Kernel } = await import("/notebook/kernel.js");
  const kernel = window.kernel ??= new Kernel(), out = { stdout: "", stderr: "" };
  const text = (stream, text) => {
    out[stream] += text;
    stop && kernel.stop();
  };
  let displays = 0;
  const display = () => displays++;
  return { ...await kernel.run(cell, source, { text, html: display, update() {} }), ...out, displays };
}, cell, source, stop).then(result => seen.results[name] = result);

await run("declares", "a", "!ls\nfunc twice(x float64) float64 {\n\treturn 2 * x\n}");
await run("fits", "b", `%%
set, _ := data.Load("iris")
model, result, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: 0.1}}.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
fmt.Println(model.WeightCount(), result.Status, twice(4), err)`);
await run("is wrong", "c", "%%\nfmt.Println(1)\nx := 1\nfmt.Println(twise(2))");
await run("panics", "d", "func third(x []int) int {\n\treturn x[2]\n}\n%%\nfmt.Print(\"before\\n\")\nfmt.Println(third(nil))");
await run("is stopped", "e", "%%\nfmt.Println(\"begins\")\nfor {\n}", true);
await run("floods", "l", `%%
for range 5000 {
	nbhelpers.Page(nbhelpers.Text("more")).Display()
}
for range 5 << 12 {
	fmt.Print(strings.Repeat("ab", 128))
}`);
await run("writes", "f", `%%
if err := os.WriteFile("t.csv", []byte("a,b\\n1,x\\n2,y\\n"), 0o600); err != nil {
	panic(err)
}`);
await run("reads", "g", `%%
t, err := tables.Open("t.csv", tables.Options{})
fmt.Println(t.Rows, err)
folders, err := os.ReadDir(os.Getenv("GONB_DIR") + "/results")
fmt.Println(len(folders) > 5, err)
text, err := os.ReadFile("/mpcvm/data/penguins.csv")
fmt.Println(len(text) > 1000, err)`);
await page.evaluate(async () => window.kernel.put("t.xlsx", new Uint8Array(await (await fetch("/t.xlsx")).arrayBuffer())));
await run("reads a workbook", "j", `%%
t, err := tables.Open("t.xlsx", tables.Options{})
fmt.Println(t.Rows, t.Names(), err)`);
await run("imports what is not there", "k", "import \"net/http\"");
await run("fetches a package", "h", "import \"container/ring\"\n%%\nfmt.Println(ring.New(3).Len())");
seen.files = await page.evaluate(() => window.kernel.files());
await browser.close();
process.stdout.write(JSON.stringify(seen));
