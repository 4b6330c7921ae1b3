package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// linted matches the tests of tools/checks that lint runs.
const linted = "API|Layer|Prose"

// lint checks the format, go vet, golangci-lint (which includes staticcheck), generated files, JavaScript
// and shell scripts.
func lint(r run) error {
	patterns, err := packages()
	if err != nil {
		return err
	}
	var errs []error
	step := func(name string, f func(r run) error) { errs = append(errs, r.step(name, f)) }
	vet := func(name string, options, packages []string, env ...string) {
		step(name, func(r run) error {
			return r.with(env...).do("go", append(append([]string{"vet"}, options...), packages...)...)
		})
	}
	step("gofmt", format)
	step("lines", lines)
	vet("go vet", []string{"-tags=long"}, patterns)
	vet("go vet without assembly", []string{"-tags=purego"}, []string{"./mpcvm/kernel", "./mpcvm/probit",
		"./mpcvm/internal/..."})
	vet("go vet for arm64", nil, []string{"./mpcvm/...", "./internal/..."}, "GOARCH=arm64", "CGO_ENABLED=0")
	step("golangci-lint: build", func(r run) error { return r.bash("go_tools", "tools/lint", "tool") })
	step("golangci-lint", func(r run) error {
		return r.do("golangci-lint", append([]string{"run", "--allow-parallel-runners"}, patterns...)...)
	})
	step("API, layers, prose", func(r run) error {
		return r.goTest("-count=1", "-run="+linted, "./tools/checks")
	})
	step("go.mod files", func(r run) error { return tidy(r, "-diff") })
	step("generated files", generated)
	if have("npm") {
		step("types of the site's JavaScript", func(r run) error {
			if err := nodePackages(r); err != nil {
				return err
			}
			return r.do("site/build/node_modules/.bin/tsc", "-p", "site/build")
		})
	} else {
		r.printf("\n== SKIPPED types of the site's JavaScript: npm is not installed\n")
	}
	if have("shellcheck") {
		step("shellcheck", func(r run) error {
			scripts, err := r.files("*.sh", ".ci/run")
			if err != nil {
				return err
			}
			return r.do("shellcheck", append([]string{"-x"}, scripts...)...)
		})
	} else {
		r.printf("\n== SKIPPED shellcheck: not installed\n")
	}
	return errors.Join(errs...)
}

// files lists the files of the checkout that match patterns, including those that are not tracked yet.
func (r run) files(patterns ...string) ([]string, error) {
	list, err := r.output("git", append([]string{"ls-files", "--cached", "--others", "--exclude-standard",
		"--deduplicate"}, patterns...)...)
	return slices.DeleteFunc(strings.Fields(list), func(file string) bool { return !exists(file) }), err
}

// format prints the changes that gofmt would make.
func format(r run) error {
	files, err := r.files("*.go")
	if err != nil {
		return err
	}
	return r.do("gofmt", append([]string{"-d"}, files...)...)
}

// generated fails if the generators produce files that differ from the committed ones. It runs them in a
// copy, because other checks may be compiling the files.
func generated(r run) error {
	dir, err := os.MkdirTemp("", "generated")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	files, err := r.files("*.go", "*.s", "*.mod", "*.sum", "go.work", "data")
	if err != nil {
		return err
	}
	for _, file := range files {
		to := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := copyFile(to, file); err != nil {
			return err
		}
	}
	if err := r.in(dir).do("go", "generate", "./mpcvm/..."); err != nil {
		return err
	}
	for _, file := range files {
		if !strings.HasPrefix(file, "mpcvm/") {
			continue
		}
		old, err1 := os.ReadFile(file)
		made, err2 := os.ReadFile(filepath.Join(dir, file))
		if err1 == nil && (err2 != nil || !bytes.Equal(old, made)) {
			err = errors.Join(err, errors.New(file+" differs from the output of its generator: run make generate"))
		}
	}
	return err
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}
