package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
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

// TestStages runs a plan of two stages: the commands that plan prints, and processes without
// --stage.
func TestStages(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create maps --group")
	do(t, p, "create maps/t2m --shape 4096,64,64 --chunks 1,64,64 --dtype uint8 --dims time,lat,lon")
	do(t, p, "create maps/time --shape 4096 --dtype int64 --dims time")
	plan := func(to string) string {
		return do(t, p, "transfer plan maps "+to+" --chunks time=4096,lat=4,lon=4 --max-mem 65MiB -o "+to+".json")
	}
	text := plan("one")
	fails(t, zargo(t, p, "transfer run one.json --task-index 0 --task-count 2 --stage 2"), 11, "29 of the 29 tasks of stage 1 are not done")
	fails(t, zargo(t, p, "transfer run one.json --stage 3"), 2, "--stage must be 1 to 2")
	var ran int
	for _, command := range regexp.MustCompile(`zargo (transfer run .*)`).FindAllStringSubmatch(text, -1) {
		for i := range 2 {
			ran++
			do(t, p, strings.NewReplacer(" I ", fmt.Sprintf(" %d ", i), " N ", " 2 ").Replace(command[1]))
		}
		if ran == 2 {
			if r := zargo(t, p, "transfer verify one.json"); !strings.HasPrefix(r.out, "stage 2: 32 of 32 tasks not done: 29-60\n") {
				t.Errorf("verify: %q", r.out)
			}
		}
	}
	do(t, p, "transfer verify one.json")
	if ran != 4 {
		t.Errorf("%d commands ran:\n%s", ran, text)
	}

	plan("two")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // concurrent runs do not restore it in order
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			var out, errOut bytes.Buffer
			args := strings.Fields(fmt.Sprintf("transfer run two.json --task-index %d --task-count 2", i))
			if code := newProgram().run(t.Context(), args, strings.NewReader(""), &out, &errOut); code != 0 {
				t.Errorf("process %d: exit %d, %s", i, code, &errOut)
			}
		})
	}
	both.Wait()
	do(t, p, "transfer verify two.json")
	do(t, p, "diff one two")
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
	succeed(t, json.Unmarshal([]byte(m[1]), &args))
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
