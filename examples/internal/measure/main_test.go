package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestFunctions builds both functions, starts them as their clouds do and compares the responses.
// The times are printed and not checked.
func TestFunctions(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-starts", "2"}, &out); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", &out)
	for _, want := range []string{`lambda +\d+\.\d MB, first answer after \S+s \(median of 2 starts`, `cloudrun +\d+\.\d MB, first answer after \S+s `} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// TestFailuresAreSeen checks that a function without a valid response is an error that contains the
// function's error output.
func TestFailuresAreSeen(t *testing.T) {
	temp := t.TempDir()
	program, _, err := build(t.Context(), module+"examples/lambda", filepath.Join(temp, "lambda"), "lambda.norpc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := awsLambda(t.Context(), program, filepath.Join(temp, "none"), "{}"); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("without an array: %v", err)
	}
	array := filepath.Join(temp, "array")
	if err := makeArray(t.Context(), array); err != nil {
		t.Fatal(err)
	}
	if _, err := awsLambda(t.Context(), program, array, `{"region":"128"}`); err == nil || !strings.Contains(err.Error(), "bad selection") {
		t.Errorf("a bad event: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cloudRun(ctx, program, array, ""); err == nil {
		t.Error("a program that does not listen: no error")
	}
}

// TestSmallest checks that all programs compile, and that the smallest program that uses a
// directory runs.
func TestSmallest(t *testing.T) {
	temp := t.TempDir()
	array := filepath.Join(temp, "array")
	if err := makeArray(t.Context(), array); err != nil {
		t.Fatal(err)
	}
	for _, s := range programs() {
		t.Run(s.name, func(t *testing.T) {
			file, err := s.write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			vet := exec.CommandContext(t.Context(), "go", "vet", file)
			vet.Env = append(os.Environ(), "CGO_ENABLED=0")
			if out, err := vet.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	i := slices.IndexFunc(programs(), func(s smallest) bool { return s.name == "dir" })
	program, size, err := programs()[i].build(t.Context(), temp)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f MB", float64(size)/1e6)
	out, err := exec.CommandContext(t.Context(), program, array).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "[0 1 2 3 ") {
		t.Errorf("%v\n%.200s", err, out)
	}
}

// TestSizes checks the sizes of the smallest programs that read from clouds, in MB with one
// decimal. The table in docs/tuning.md contains the sizes.
func TestSizes(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the limits are those of linux/amd64")
	}
	// azblob links Apache Arrow since version 1.8.1. Without it the limit would be 16.
	limits := map[string]float64{"s3": 17, "azure": 19.1, "gcs": 20}
	for _, s := range programs() {
		limit, ok := limits[s.name]
		if !ok {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			_, size, err := s.build(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if mb := math.Round(float64(size)/1e5) / 10; mb > limit {
				t.Errorf("%.1f MB, want at most %.1f", mb, limit)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"x"}, {"-starts", "0"}, {"-nope"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
