package main

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// frameSource returns the policy source that allows the script of the frame made by site/sandbox.js.
func frameSource() string { return scriptSource(checked(os.ReadFile("site/frame.js"))) }

// scriptSource returns the policy source that allows a script.
func scriptSource(script []byte) string {
	sum := sha256.Sum256(script)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// sandbox writes the files that pages need to run programs in sandboxes.
func sandbox(out string) {
	writeModule(filepath.Join(out, "framed.js"), string(checked(os.ReadFile("site/frame.js"))))
	copyFiles(out, "site", "sandbox.js", "fetch.js", "keep.js", "offline.js", "unpack.js")
}

// bundle writes a worker's script with all its imports, because a worker in a sandbox cannot fetch them.
func bundle(to, from string) {
	runtime := filepath.Join(checked(goTool("env", "GOROOT")), "lib/wasm/wasm_exec.js")
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{from}, Bundle: true, Format: api.FormatIIFE, Target: api.ES2022,
		Charset: api.CharsetUTF8, Loader: map[string]api.Loader{".wasm": api.LoaderBinary},
		Plugins: []api.Plugin{{Name: "wasm_exec.js", Setup: func(b api.PluginBuild) {
			b.OnResolve(api.OnResolveOptions{Filter: `/wasm_exec\.js$`},
				func(api.OnResolveArgs) (api.OnResolveResult, error) { return api.OnResolveResult{Path: runtime}, nil })
		}}},
	})
	if len(result.Errors) > 0 {
		check(errors.New(from + ": " + result.Errors[0].Text))
	}
	writeFile(to, result.OutputFiles[0].Contents)
}
