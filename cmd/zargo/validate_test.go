package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestIncomplete checks that the output of an incomplete run says so.
func TestIncomplete(t *testing.T) {
	t.Chdir(t.TempDir())
	do(t, newProgram(), "create g --group")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx      context.Context
		complete bool
	}{{t.Context(), true}, {over, false}} {
		var out, errOut bytes.Buffer
		code := newProgram().run(tt.ctx, []string{"validate", "g", "--json"}, strings.NewReader(""), &out, &errOut)
		var told struct{ Complete *bool }
		if err := json.Unmarshal(out.Bytes(), &told); err != nil || told.Complete == nil || *told.Complete != tt.complete || (code == 0) != tt.complete {
			t.Errorf("complete %v: exit %d, %s (%v)", tt.complete, code, &out, err)
		}
		out.Reset()
		newProgram().run(tt.ctx, []string{"validate", "g"}, strings.NewReader(""), &out, &errOut)
		if strings.HasPrefix(out.String(), "not everything was checked: ") == tt.complete {
			t.Errorf("complete %v: %s", tt.complete, &out)
		}
	}
}

// TestValuesOfXarray compares cat with the values and the stored elements of xarray, for arrays
// that it wrote. It then puts the values into a new array with the same metadata, which must have
// the same stored elements.
func TestValuesOfXarray(t *testing.T) {
	here, err := filepath.Abs(filepath.Join("testdata", "xarray"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(here, "values.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string]struct{ Values, Stored []any }
	succeed(t, json.Unmarshal(text, &want))
	t.Chdir(t.TempDir())
	p := newProgram()
	same := func(t *testing.T, url, flags string, want []any) {
		t.Helper()
		var got []any
		r := zargoArgs(t, p, nil, append([]string{"cat", url, "--format", "json"}, strings.Fields(flags)...)...)
		if err := json.Unmarshal([]byte(r.out), &got); err != nil || r.code != 0 {
			t.Fatal(err, r.err)
		}
		for i, v := range got {
			if v == "NaN" {
				got[i] = nil
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("cat %s %s: %v, want %v", url, flags, got, want)
		}
	}
	for form, arrays := range want {
		for name, a := range arrays {
			t.Run(form+"/"+name, func(t *testing.T) {
				url := filepath.Join(here, "values.zip") + "|zip:" + form + "/" + name
				same(t, url, "", a.Values)
				same(t, url, "--raw", a.Stored)
				file, node := form+name+".npy", form+name
				if r := zargoArgs(t, p, nil, "cat", url, "--format", "npy", "-o", file); r.code != 0 {
					t.Fatal(r.err)
				}
				if r := zargoArgs(t, p, nil, "create", node, "--like", url); r.code != 0 {
					t.Fatal(r.err)
				}
				if r := zargoArgs(t, p, nil, "put", node, file); r.code != 0 || r.err != "" {
					t.Fatal(r.err)
				}
				same(t, node, "", a.Values)
				same(t, node, "--raw", a.Stored)
			})
		}
	}
}

// TestArrayPath runs the command as the conformance tests do, with only the flag --array_path, in
// both of its forms.
func TestArrayPath(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create v --shape 2,3 --chunks 2,2 --dtype float64 --fill 1.5")
	want := strings.Repeat("1.5\n", 6)
	for _, line := range []string{"--array_path=v", "--array_path v", "validate --array_path v"} {
		if got := do(t, p, line); got != want {
			t.Errorf("%s: %q", line, got)
		}
	}
	fails(t, zargo(t, p, "--array_path=w"), 3, "w")
}
