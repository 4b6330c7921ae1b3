package checks

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	versions "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// version is the version under which the tests publish the module.
const version = "v0.1.0"

// installation is what a reader of README.md has after the commands that it prints.
type installation struct {
	bin string // the folder of mpcvm
	dir string // the folder of a module, for programs
	env []string
	err error
}

// install publishes the module of the checkout in a folder, as the tag of a release would, and runs the
// commands of README.md that begin with "go " in an empty folder. The other modules come from the module
// cache; if it lacks one, from the proxy of the user.
var install = sync.OnceValue(func() (in installation) {
	temp, err := os.MkdirTemp("", "install")
	if err != nil {
		return installation{err: err}
	}
	temporary = append(temporary, temp)
	in.bin, in.dir = filepath.Join(temp, "bin"), filepath.Join(temp, "app")
	settings, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	cache, proxy, _ := strings.Cut(strings.TrimSpace(string(settings)), "\n")
	in.env = append(os.Environ(), "GOWORK=off", "GOSUMDB=off", "GOBIN="+in.bin,
		"GOMODCACHE="+filepath.Join(temp, "cache"),
		"GOFLAGS=-modcacherw -trimpath -ldflags=-w", // the name of the folder does not matter, so builds are cached
		fmt.Sprintf("GOPROXY=%s,%s,%s", fileURL(filepath.Join(temp, "proxy")),
			fileURL(filepath.Join(cache, "cache", "download")), proxy))
	if in.err = err; err == nil {
		in.err = publish(filepath.Join(temp, "proxy", module, "@v"), filepath.Join(temp, "tree"))
	}
	readme, err := os.ReadFile("README.md")
	if in.err == nil {
		in.err = err
	}
	if in.err == nil {
		in.err = os.Mkdir(in.dir, 0o777)
	}
	for _, line := range regexp.MustCompile(`(?m)^go .*`).FindAllString(string(readme), -1) {
		if in.err == nil {
			in.err = in.run("go", strings.Fields(line)[1:]...)
		}
	}
	return in
})

// run runs a command in the folder for programs.
func (in installation) run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = in.dir, in.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// publish writes the files of a module proxy into a folder. The zip contains the tracked files, with the
// changes that are not committed, except for modules in folders of their own.
func publish(folder, tree string) error {
	for _, dir := range []string{folder, tree} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	stash, err := exec.Command("git", "-c", "user.name=test", "-c", "user.email=test", "stash",
		"create").Output()
	if err != nil {
		return fmt.Errorf("git stash create: %w", err)
	}
	commit := strings.TrimSpace(string(stash))
	if commit == "" { // nothing was changed
		commit = "HEAD"
	}
	tar := filepath.Join(tree, "tree.tar")
	for _, args := range [][]string{{"git", "archive", "--output=" + tar, commit},
		{"tar", "-xf", tar, "-C", tree}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	if err := os.Remove(tar); err != nil {
		return err
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := zip.CreateFromDir(&packed, versions.Version{Path: module, Version: version}, tree); err != nil {
		return err
	}
	for name, content := range map[string][]byte{"list": []byte(version + "\n"), version + ".mod": mod,
		version + ".info": fmt.Appendf(nil, `{"Version":%q}`, version), version + ".zip": packed.Bytes()} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// fileURL returns the address of a folder.
func fileURL(folder string) string {
	return "file:///" + strings.TrimPrefix(filepath.ToSlash(folder), "/")
}
