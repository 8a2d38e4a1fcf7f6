package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestJobFiles runs the command line in each file of examples/jobs as its engine does, once for
// each index.
func TestJobFiles(t *testing.T) {
	jobs, err := filepath.Abs("../../examples/jobs")
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram()
	for _, c := range []struct{ file, index, count string }{
		{"kubernetes.yaml", "JOB_COMPLETION_INDEX", ""},
		{"aws-batch.json", "AWS_BATCH_JOB_ARRAY_INDEX", ""},
		{"cloud-run.yaml", "CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT"},
		{"google-batch.json", "BATCH_TASK_INDEX", "BATCH_TASK_COUNT"},
		{"slurm.sh", "SLURM_ARRAY_TASK_ID", ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(jobs, c.file))
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			if filepath.Ext(c.file) == ".json" && !json.Valid(data) || strings.Contains(text, "\t") {
				t.Error("it cannot be parsed")
			}
			args := commandLine(t, text)
			if !regexp.MustCompile(`(completions|taskCount|"taskCount"|"size"): 8\b|--array=0-7 slurm.sh PLAN 8`).MatchString(text) {
				t.Error("it does not say 8")
			}
			t.Chdir(t.TempDir())
			do(t, p, "create src --shape 800 --chunks 1 --dtype uint8")
			do(t, p, "transfer plan src dst -o plan.json")
			fails(t, zargo(t, p, "transfer verify plan.json"), 1, "not done")
			for i := range 8 {
				t.Setenv(c.index, fmt.Sprint(i))
				if c.count != "" {
					t.Setenv(c.count, "8")
				}
				do(t, p, strings.Join(args, " "))
			}
			do(t, p, "transfer verify plan.json")
		})
	}
}

// commandLine returns the arguments of zargo in a job file, with plan.json as the plan.
func commandLine(t *testing.T, text string) (args []string) {
	t.Helper()
	if _, script, ok := strings.Cut(text, "\nexec zargo "); ok {
		return strings.Fields(strings.NewReplacer(`"$1"`, "plan.json", `"$2"`, "8", `"${SLURM_ARRAY_TASK_COUNT:-1}"`, "8", `"${@:3}"`, "").Replace(script))
	}
	m := regexp.MustCompile(`"?commands?"?: (\[.*\])`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("it has no command")
	}
	if err := json.Unmarshal([]byte(m[1]), &args); err != nil {
		t.Fatal(err)
	}
	if args[0] == "zargo" {
		args = args[1:]
	}
	i := slices.IndexFunc(args, func(a string) bool { return strings.HasSuffix(a, "/plan.json") })
	if i < 0 {
		t.Fatal("it has no plan")
	}
	args[i] = "plan.json"
	return args
}
