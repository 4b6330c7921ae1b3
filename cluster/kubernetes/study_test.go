// Package kubernetes_test holds study.yaml to what Kubernetes takes and to what the
// command does with it. It is a module of its own, as it needs Kubernetes' validation.
package kubernetes_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install" // their defaults and conversions
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"sigs.k8s.io/yaml"
)

// read reads the claim and the three Jobs of study.yaml, strictly: unknown and doubled
// fields are errors.
func read(t *testing.T) (claim corev1.PersistentVolumeClaim, jobs []batchv1.Job) {
	t.Helper()
	text, err := os.ReadFile("study.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents := bytes.Split(text, []byte("\n---\n"))
	if len(documents) != 4 {
		t.Fatalf("%d documents", len(documents))
	}
	if err := yaml.UnmarshalStrict(documents[0], &claim); err != nil {
		t.Fatal(err)
	}
	for _, d := range documents[1:] {
		var job batchv1.Job
		if err := yaml.UnmarshalStrict(d, &job); err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job)
	}
	return claim, jobs
}

// internal is the server's own form of an object, with its defaults.
func internal(t *testing.T, from, to runtime.Object) {
	t.Helper()
	from = from.DeepCopyObject()
	legacyscheme.Scheme.Default(from)
	if err := legacyscheme.Scheme.Convert(from, to, nil); err != nil {
		t.Fatal(err)
	}
}

// validate returns what the API server would say of a Job.
func validate(t *testing.T, job *batchv1.Job) error {
	t.Helper()
	var j batch.Job
	internal(t, job, &j)
	// What the server adds before.
	j.Namespace, j.UID = "default", "1"
	labels := map[string]string{
		batch.LegacyControllerUidLabel: "1", batch.ControllerUidLabel: "1",
		batch.LegacyJobNameLabel: j.Name, batch.JobNameLabel: j.Name,
	}
	for name, v := range labels {
		j.Spec.Template.Labels[name] = v
	}
	j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{batch.ControllerUidLabel: "1"}}
	return batchvalidation.ValidateJob(&j, batchvalidation.JobValidationOptions{RequirePrefixedLabels: true}).ToAggregate()
}

func TestValid(t *testing.T) {
	claim, jobs := read(t)
	var c core.PersistentVolumeClaim
	internal(t, &claim, &c)
	c.Namespace = "default"
	if err := corevalidation.ValidatePersistentVolumeClaim(&c, corevalidation.PersistentVolumeClaimSpecValidationOptions{}).ToAggregate(); err != nil {
		t.Error(err)
	}
	for _, job := range jobs {
		if job.APIVersion != "batch/v1" || job.Kind != "Job" {
			t.Errorf("%s is a %s of %s", job.Name, job.Kind, job.APIVersion)
		}
		if err := validate(t, &job); err != nil {
			t.Errorf("%s: %v", job.Name, err)
		}
	}
	// The validation sees what is wrong.
	wrong := jobs[0].DeepCopy()
	wrong.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	if err := validate(t, wrong); err == nil {
		t.Error("restartPolicy OnFailure is taken together with podFailurePolicy")
	}
}

// all are the containers of a Job, those before as well.
func all(job batchv1.Job) []corev1.Container {
	return slices.Concat(job.Spec.Template.Spec.InitContainers, job.Spec.Template.Spec.Containers)
}

func TestSafe(t *testing.T) {
	claim, jobs := read(t)
	for _, job := range jobs {
		pod := job.Spec.Template.Spec
		if s := pod.SecurityContext; !*s.RunAsNonRoot || *s.RunAsUser == 0 || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			t.Errorf("%s: %+v", job.Name, s)
		}
		if *pod.AutomountServiceAccountToken {
			t.Errorf("%s gets a token of the cluster", job.Name)
		}
		if got := pod.Volumes[0].PersistentVolumeClaim.ClaimName; got != claim.Name {
			t.Errorf("%s: claim %s", job.Name, got)
		}
		for _, c := range all(job) {
			if s := c.SecurityContext; *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
				t.Errorf("%s, %s: %+v", job.Name, c.Name, s)
			}
			if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
				t.Errorf("%s, %s: no resources", job.Name, c.Name)
			}
		}
	}
}

// The three Jobs are of one study, and the shards of the first two are all there are.
func TestOneStudy(t *testing.T) {
	_, jobs := read(t)
	var flags [][]string
	shard := regexp.MustCompile(`^--shard=\$\(INDEX\)/(\d+)$`)
	for i, job := range jobs {
		if suspended := job.Spec.Suspend != nil && *job.Spec.Suspend; suspended != (i > 0) {
			t.Errorf("%s: suspended: %v", job.Name, suspended)
		}
		containers := job.Spec.Template.Spec.Containers
		if len(containers) != 1 || containers[0].Name != "study" {
			t.Fatalf("%s has other containers", job.Name)
		}
		var mine []string
		shards := 0
		for _, arg := range containers[0].Args {
			switch name, _, _ := strings.Cut(arg, "="); name {
			case "--only", "--out":
			case "--shard":
				if m := shard.FindStringSubmatch(arg); m != nil {
					shards, _ = strconv.Atoi(m[1])
				}
			default:
				mine = append(mine, arg)
			}
		}
		flags = append(flags, mine)
		if i < 2 && (shards == 0 || int(*job.Spec.Completions) != shards || *job.Spec.CompletionMode != batchv1.IndexedCompletion) {
			t.Errorf("%s: %d shards, %d completions", job.Name, shards, *job.Spec.Completions)
		}
		if i == 2 && shards != 0 {
			t.Errorf("%s has a shard", job.Name)
		}
	}
	for i := range flags {
		if !slices.Equal(flags[0], flags[i]) {
			t.Errorf("%s: the flags are others: %q, %q", jobs[i].Name, flags[0], flags[i])
		}
	}
}

// Everything that the Jobs run is run here, without Kubernetes, some indexes twice:
// the results are those of one process, and none is left to make.
func TestRun(t *testing.T) {
	_, jobs := read(t)
	dir := t.TempDir()
	mpcvm := filepath.Join(dir, "mpcvm")
	build := exec.Command("go", "build", "-o", mpcvm, "./cmd/mpcvm")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	small := []string{"--theta=.1,.3", "--tune=0-1", "--test=5-9"} // later flags win
	run := func(c corev1.Container, index int, study string) string {
		var args []string
		for _, arg := range c.Args {
			arg = strings.ReplaceAll(arg, "$(INDEX)", strconv.Itoa(index))
			args = append(args, strings.ReplaceAll(arg, "=/study", "="+study))
		}
		if args[1] == "run" {
			args = append(args, small...)
		}
		out, err := exec.Command(mpcvm, args...).Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return string(out)
	}
	study, one := filepath.Join(dir, "study"), filepath.Join(dir, "one")
	last := ""
	for _, job := range jobs {
		indexes := 1
		if job.Spec.Completions != nil {
			indexes = int(*job.Spec.Completions)
		}
		for i := range indexes + 2 {
			for _, c := range all(job) {
				last = run(c, i%indexes, study)
			}
		}
	}
	if !strings.HasPrefix(last, "0 runs ") {
		t.Errorf("the last Job found something to do: %s", last)
	}
	single := jobs[2].Spec.Template.Spec.Containers[0]
	single.Args = slices.Clone(single.Args)
	single.Args[len(single.Args)-1] = "--out=/study"
	run(single, 0, one)
	for _, name := range []string{"results.jsonl", "tuning.ndjson"} {
		want, got := bare(t, filepath.Join(one, name)), bare(t, filepath.Join(study, "merged", name))
		if len(want) == 0 || !slices.Equal(want, got) {
			t.Errorf("%s: %d lines, want %d, or others", name, len(got), len(want))
		}
	}
}

var times = regexp.MustCompile(`"(fit|predict)_s":[^,]*,`)

// bare are the lines of a file without their times, sorted.
func bare(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(strings.Lines(times.ReplaceAllString(string(text), "")))
}

// kubectl stands in for the real one: a Job ends when it has been asked about twice.
const kubectl = `#!/bin/sh
printf '%s\n' "$*" >>"$LOG"
case "$1 $2" in
"get job") case "$*" in
  *jsonpath*) [ "$(grep -c "get job $3 -o" "$LOG")" -lt 2 ] || echo "$STATE" ;;
  *) exit 1 ;;
  esac ;;
esac
`

// submit.sh sets a Job going when the one before has ended, and its status is that of
// the last.
func TestSubmit(t *testing.T) {
	for state, want := range map[string]int{"Complete": 0, "Failed": 1} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(kubectl), 0o755); err != nil {
			t.Fatal(err)
		}
		log := filepath.Join(dir, "log")
		c := exec.Command("./submit.sh")
		c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "LOG="+log, "STATE="+state, "POLL=0")
		out, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != want {
			t.Errorf("%s: %v: %s", state, err, out)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		var calls []string
		for line := range strings.Lines(string(text)) {
			calls = append(calls, strings.Join(strings.Fields(line)[:3], " "))
		}
		expected := []string{"get job mpcvm-study-tune", "apply -f study.yaml"}
		for _, job := range []string{"tune", "test", "merge"} {
			job = "job mpcvm-study-" + job
			expected = append(expected, "patch "+job, "get "+job, "get "+job)
		}
		if !slices.Equal(calls, expected) {
			t.Errorf("%q", calls)
		}
	}
}
