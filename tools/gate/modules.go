package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

const modulePath = "github.com/mpcvm/mpcvm"

// modules returns the folders of the modules in go.work, "." for the root.
func modules() (dirs []string, err error) {
	work, err := os.ReadFile("go.work")
	if err != nil {
		return nil, err
	}
	for _, use := range regexp.MustCompile(`(?m)^\t\./(\S*)$`).FindAllSubmatch(work, -1) {
		dirs = append(dirs, filepath.Clean(string(use[1])))
	}
	if len(dirs) == 0 {
		return nil, errors.New("go.work uses no modules")
	}
	return dirs, nil
}

// packages returns the patterns of the packages of all modules.
func packages() (patterns []string, err error) {
	dirs, err := modules()
	for _, dir := range dirs {
		patterns = append(patterns, "./"+filepath.ToSlash(filepath.Join(dir, "...")))
	}
	return patterns, err
}

// tidy tidies the go.mod of each module.
func tidy(r run, options ...string) error {
	dirs, err := modules()
	errs := []error{err}
	for _, dir := range dirs {
		args := append([]string{"mod", "tidy"}, options...)
		if err := r.in(dir).with("GOWORK=off").do("go", args...); err != nil {
			errs = append(errs, fmt.Errorf("module %s: %w", dir, err))
		}
	}
	return errors.Join(errs...)
}
