package slurm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script returns the path of the server of integration/servers, which also calls the programs of
// Slurm.
func script(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../servers/slurm.py")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// slurm runs kill, cut, start or a program of Slurm.
func slurm(t *testing.T, args ...string) string {
	t.Helper()
	return run(t, "", 0, "python3", append([]string{script(t)}, args...)...)
}

// run runs a program, which must exit with the code, and returns its standard output.
func run(t *testing.T, dir string, code int, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var errOut bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = dir, &errOut, time.Second
	out, err := cmd.Output()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%s %q: exit code %d, %v\n%s%s", name, args, got, err, out, errOut.Bytes())
	}
	return string(out)
}

// within polls until ok returns true.
func within(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s\n%s", limit, what, slurm(t, "squeue", "-t", "all"))
		}
	}
}

// task is a task of a job array.
type task struct{ index, state, node, restarts string }

// tasks returns the tasks of a job.
func tasks(t *testing.T, job string) []task {
	t.Helper()
	var all []task
	for line := range strings.Lines(slurm(t, "squeue", "-h", "-r", "-t", "all", "-j", job, "-O", "ArrayTaskID:|,State:|,NodeList:|,RestartCnt:|")) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) < 4 {
			t.Fatalf("squeue: %q", line)
		}
		all = append(all, task{f[0], f[1], f[2], f[3]})
	}
	return all
}

// count returns the number of a job's tasks that ok accepts.
func count(t *testing.T, job string, ok func(task) bool) (n int) {
	t.Helper()
	for _, x := range tasks(t, job) {
		if ok(x) {
			n++
		}
	}
	return n
}

// completes waits until n tasks of a job have completed.
func completes(t *testing.T, job string, n int) {
	t.Helper()
	within(t, 40*time.Second, fmt.Sprintf("%d tasks of job %s are COMPLETED", n, job), func() bool {
		return count(t, job, func(x task) bool { return x.state == "COMPLETED" }) == n
	})
}

// tree returns all files of a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
