package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shell returns the path of a shell, and of a file with its completion script.
func shell(t *testing.T, name string) (path, script string) {
	t.Helper()
	text := do(t, newProgram(), "completion "+name)
	for _, want := range []string{"consolidate", "--format", "raw", "shard-edges"} {
		if name == "fish" {
			want = strings.TrimPrefix(want, "--")
		}
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the script", want)
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: its script was made but not run", name)
	}
	script = filepath.Join(t.TempDir(), "script")
	write(t, script, []byte(text))
	return path, script
}

func TestBashCompletion(t *testing.T) {
	bash, script := shell(t, "bash")
	for _, r := range []struct {
		name, words string // the last one is completed
		want, not   []string
	}{
		{"commands", "zargo c", []string{"cat", "create", "consolidate", "completion"}, []string{"info"}},
		{"flags before a command", "zargo --t", []string{"--timeout"}, []string{"--sel"}},
		{"flags of a command", "zargo cat x --se", []string{"--sel", "--separator"}, []string{"--shards"}},
		{"flags of all", "zargo cat x --t", []string{"--timeout"}, nil},
		{"values", "zargo cat x --format ", []string{"json", "npy"}, []string{"--sel", "cat"}},
		{"values after =", "zargo cat x --format = j", []string{"json"}, []string{"npy"}},
		{"values of another command's flag", "zargo create x --format ", []string{"2", "3"}, []string{"json"}},
		{"shells", "zargo completion f", []string{"fish"}, []string{"bash"}},
		{"commands of a command", "zargo bucket ", []string{"check"}, []string{"cat"}},
		{"flags of a command's command", "zargo bucket check x --no", []string{"--no-speed"}, []string{"--sel"}},
		{"commands to help", "zargo help m", []string{"migrate"}, nil},
		{"files", "zargo cat ", nil, []string{"cat", "info", "--sel"}},
		{"a file that is called like a command", "zargo put info --c", []string{"--create", "--chunks"}, []string{"--tuning"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			words := strings.Split(r.words, " ")
			cmd := exec.CommandContext(t.Context(), bash, append([]string{"--norc", "-c",
				`source "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _zargo && printf '%s\n' "${COMPREPLY[@]}"`, script}, words...)...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got := strings.Fields(string(out))
			for _, w := range r.want {
				if !slices.Contains(got, w) {
					t.Errorf("%q is not among %q", w, got)
				}
			}
			for _, w := range r.not {
				if slices.Contains(got, w) {
					t.Errorf("%q is among %q", w, got)
				}
			}
		})
	}
}

func TestZshCompletion(t *testing.T) {
	zsh, script := shell(t, "zsh")
	if out, err := exec.CommandContext(t.Context(), zsh, "-f", "-n", script).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestFishCompletion(t *testing.T) {
	fish, script := shell(t, "fish")
	for line, want := range map[string]string{"zargo cons": "consolidate", "zargo cat x --form": "--format", "zargo cat x --format j": "json", "zargo --inf": "--inflight", "zargo completion z": "zsh"} {
		cmd := exec.CommandContext(t.Context(), fish, "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: %q, %v; want %s", line, out, err, want)
		}
	}
}
