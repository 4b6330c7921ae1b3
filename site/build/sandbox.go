package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// frameSource returns the policy source that allows the script of the frame made by site/sandbox.js.
func frameSource() (string, error) {
	script, err := os.ReadFile("site/frame.js")
	sum := sha256.Sum256(script)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'", err
}

// sandbox writes the files that pages need to run programs in sandboxes.
func sandbox(out string) error {
	script, err := os.ReadFile("site/frame.js")
	if err != nil {
		return err
	}
	text, err := json.Marshal(string(script))
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(out, "framed.js"), append([]byte("export default "),
		text...)); err != nil {
		return err
	}
	return copyFiles(out, "site", "sandbox.js", "fetch.js", "keep.js", "offline.js")
}

// bundle writes a worker's script with all its imports, because a worker in a sandbox cannot fetch them.
func bundle(to, from string) error {
	root, err := goTool("env", "GOROOT")
	if err != nil {
		return err
	}
	goRuntime := api.Plugin{Name: "wasm_exec.js", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `/wasm_exec\.js$`}, func(api.OnResolveArgs) (api.OnResolveResult,
			error) {
			return api.OnResolveResult{Path: filepath.Join(root, "lib/wasm/wasm_exec.js")}, nil
		})
	}}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{
			from}, Bundle: true, Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8,
		Plugins: []api.Plugin{goRuntime},
	})
	if len(result.Errors) > 0 {
		return errors.New(from + ": " + result.Errors[0].Text)
	}
	return writeFile(to, result.OutputFiles[0].Contents)
}
