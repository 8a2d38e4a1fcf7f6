package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

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
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
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
