package checks

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// tracked lists the files tracked by git. It skips the test if git is not available.
func tracked(t *testing.T, patterns ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"ls-files", "--"}, patterns...)...).Output()
	if err != nil {
		t.Skip("no git: ", err)
	}
	return strings.Fields(string(out))
}

func contents(t *testing.T, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

// The base images of the container are pinned to a full version. The container runs as an ordinary user,
// contains no secrets, and is published only on this machine.
func TestContainer(t *testing.T) {
	text := contents(t, "Dockerfile")
	user, base := "root", regexp.MustCompile(`^[\w./-]+:\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?( AS \w+)?$`)
	froms := 0
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "FROM":
			if froms++; !base.MatchString(rest) {
				t.Errorf("the base %q has no full version", rest)
			}
			user = "root"
		case "USER":
			user = rest
		case "ADD":
			t.Errorf("%s: use COPY, which does not download anything", line)
		case "ENV", "ARG":
			if regexp.MustCompile(`(?i)token|passw|secret|key`).MatchString(rest) {
				t.Errorf("%s: secrets would be stored in the layers", line)
			}
		}
	}
	if froms == 0 || user == "root" || user == "0" {
		t.Errorf("%d bases, run as %s", froms, user)
	}
	for _, file := range []string{"Dockerfile", "Makefile", "README.md"} {
		for _, run := range regexp.MustCompile(`docker run[^\n]*`).FindAllString(contents(t, file), -1) {
			if !strings.Contains(run, "-p 127.0.0.1:") || strings.Contains(run, "--privileged") ||
				strings.Contains(run, "--network") {
				t.Errorf("%s: %s", file, run)
			}
		}
	}
	// Only listed files are copied into the container, and the history must not be among them.
	if ignored := contents(t, ".dockerignore"); !strings.Contains(ignored, "\n*\n!") || strings.Contains(ignored,
		"!.git") {
		t.Error("the git history is copied into the container")
	}
}

// Scripts do not download anything themselves and contain no unencrypted addresses except for this
// machine. Only package managers download files, and verify them.
func TestScriptsFetchNothing(t *testing.T) {
	files := append(tracked(t, "*.sh", ".ci/run", "*.mjs", "*.py", "tools/gate/*.go"), "Makefile", "Dockerfile")
	if len(files) < 8 {
		t.Fatalf("only %d files", len(files))
	}
	for _, file := range files {
		text := contents(t, file)
		for _, bad := range regexp.MustCompile(
			`\b(curl|wget)\s|http://[^\s"']*|--disable-token|(Notebook|Server)App\.(token|password)=''|allow_origin|insecure`).FindAllString(text, -1) {
			if !strings.HasPrefix(bad, "http://127.0.0.1") && !strings.HasPrefix(bad, "http://localhost") {
				t.Errorf("%s: %s", file, bad)
			}
		}
	}
}

// Every direct dependency is listed in CONTRIBUTING.md, and every package in npm's lock file has a hash.
func TestDependenciesAreListed(t *testing.T) {
	list := contents(t, "CONTRIBUTING.md")
	require := regexp.MustCompile(`(?m)^(?:require |tool |\t)([\w.-]+\.[a-z]+/\S+)( v\S+)?( // indirect)?$`)
	asked := 0
	for _, file := range tracked(t, "go.mod", "**/go.mod") {
		for _, m := range require.FindAllStringSubmatch(contents(t, file), -1) {
			if m[3] != "" || strings.HasPrefix(m[1], "github.com/mpcvm/") {
				continue
			}
			asked++
			short := filepath.Base(strings.TrimSuffix(m[1], "/v2"))
			if !strings.Contains(list, "`"+m[1]+"`") &&
				!regexp.MustCompile(`\b`+regexp.QuoteMeta(short)+`\b`).MatchString(list) {
				t.Errorf("%s: %s is not listed in CONTRIBUTING.md", file, m[1])
			}
		}
	}
	if asked < 8 {
		t.Errorf("only %d modules found", asked)
	}
	lock := contents(t, "tools/echarts/package-lock.json")
	packages := strings.Count(lock, "\"node_modules/")
	if hashes := strings.Count(lock, "\"integrity\": \"sha512-"); packages == 0 || hashes != packages {
		t.Errorf("%d npm packages, but %d hashes", packages, hashes)
	}
}
