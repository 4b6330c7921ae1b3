package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const modulePath = "github.com/mpcvm/mpcvm"

// module is a module of go.work.
type module struct {
	dir      string   // "." for the root
	requires []string // folders of the required modules of this repository
}

// path returns the path of the module.
func (m module) path() string { return strings.TrimSuffix(modulePath+"/"+m.dir, "/.") }

// packages returns the pattern of the module's packages.
func (m module) packages() string { return strings.Replace("./"+m.dir+"/...", "././", "./", 1) }

// modules reads go.work and the go.mod files in the folder top.
func modules(top string) (list []module, err error) {
	work, err := os.ReadFile(filepath.Join(top, "go.work"))
	if err != nil {
		return nil, err
	}
	for _, use := range regexp.MustCompile(`(?m)^\t\./(\S*)$`).FindAllSubmatch(work, -1) {
		m := module{dir: filepath.Clean(string(use[1]))}
		text, err := os.ReadFile(filepath.Join(top, m.dir, "go.mod"))
		if err != nil {
			return nil, err
		}
		for _, other := range regexp.MustCompile(`(?m)^\t`+modulePath+`(?:/(\w+))? v`).FindAllSubmatch(text, -1) {
			m.requires = append(m.requires, filepath.Clean(string(other[1])))
		}
		list = append(list, m)
	}
	if len(list) == 0 {
		return nil, errors.New("go.work uses no modules")
	}
	return list, nil
}

// outermost are modules whose tests wait for browsers. If only other modules change, lint still builds and
// vets them; all their tests run every night.
var outermost = []string{"site", "tools"}

// needed returns the verbs for changed files: lint, the tests of the modules that contain the files or
// require such modules, and the notebooks among the files.
func needed(list []module, files []string) (verbs []string) {
	changed := map[string]bool{}
	var lessons []string
	for _, file := range files {
		switch dir := owner(list, file); {
		case file == "go.work" || file == "go.work.sum":
			for _, m := range list {
				changed[m.dir] = true
			}
		case dir != ".":
			changed[dir] = true
		case strings.HasPrefix(file, "notebooks/results/"):
			changed["experiments"] = true // the module embeds them
		case strings.HasSuffix(file, ".ipynb"):
			changed["tools"] = true // the module checks their structure
			if !strings.HasPrefix(file, "notebooks/blank/") {
				lessons = append(lessons, file)
			}
		case !strings.Contains(file, "/") && !strings.HasPrefix(file, "go.") || strings.HasPrefix(file, ".") ||
			strings.HasPrefix(file, "docs/") || slices.Contains([]string{".md", ".sh"}, filepath.Ext(file)):
			changed["tools"] = true // the module checks documents, workflows and scripts
		default:
			changed["."] = true
		}
	}
	verbs = []string{"lint"}
	for _, m := range list { // go.work lists required modules first
		requires := slices.ContainsFunc(m.requires, func(dir string) bool { return changed[dir] })
		if changed[m.dir] || requires && !slices.Contains(outermost, m.dir) {
			changed[m.dir] = true
			verbs = append(verbs, "test "+m.dir)
		}
	}
	if len(lessons) > 0 {
		verbs = append(verbs, "notebooks out/notebooks "+strings.Join(lessons, " "))
	}
	return verbs
}

// owner returns the folder of the module that contains a file.
func owner(list []module, file string) string {
	for _, m := range list {
		if strings.HasPrefix(file, m.dir+"/") {
			return m.dir
		}
	}
	return "."
}

// printChanged prints the verbs for the files that differ between the commit base and the work tree.
func printChanged(r run, base string) error {
	list, err := modules(".")
	if err != nil {
		return err
	}
	text, err := r.output("git", "diff", "--name-only", "--diff-filter=d", "--no-renames", base)
	removed, err2 := r.output("git", "diff", "--name-only", "--diff-filter=D", "--no-renames", base)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	files := strings.Fields(text)
	for _, file := range strings.Fields(removed) {
		if filepath.Ext(file) == ".ipynb" {
			file = filepath.Dir(file) + "/README.md" // a deleted notebook cannot be executed
		}
		files = append(files, file)
	}
	for _, verb := range needed(list, files) {
		r.printf("%s\n", verb)
	}
	return nil
}

// tidy tidies the go.mod of each module. The other modules need not be published: as in go.work, their
// folders are used.
func tidy(r run, options ...string) error {
	list, err := modules(".")
	if err != nil {
		return err
	}
	top, err := os.Getwd()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "tidy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var errs []error
	for _, m := range list {
		mod := filepath.Join(work, "go.mod")
		copies := [][2]string{{filepath.Join(m.dir, "go.mod"), mod},
			{filepath.Join(m.dir, "go.sum"), filepath.Join(work, "go.sum")}}
		replace, drop := []string{"mod", "edit"}, []string{"mod", "edit"}
		for _, other := range list {
			if other.dir != m.dir {
				replace = append(replace, "-replace="+other.path()+"="+filepath.Join(top, other.dir))
				drop = append(drop, "-dropreplace="+other.path())
			}
		}
		errs = append(errs, func() error {
			for _, c := range copies {
				if err := copyFile(c[1], c[0]); err != nil {
					return err
				}
			}
			if err := r.do("go", append(replace, mod)...); err != nil {
				return err
			}
			args := append([]string{"mod", "tidy", "-modfile=" + mod}, options...)
			if err := r.in(m.dir).with("GOWORK=off").do("go", args...); err != nil {
				return fmt.Errorf("module %s: %w", m.dir, err)
			}
			if len(options) > 0 {
				return nil
			}
			if err := r.do("go", append(drop, mod)...); err != nil {
				return err
			}
			return errors.Join(copyFile(copies[0][0], copies[0][1]), copyFile(copies[1][0], copies[1][1]))
		}())
	}
	return errors.Join(errs...)
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}
