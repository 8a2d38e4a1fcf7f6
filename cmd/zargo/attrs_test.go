package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
)

// TestAttrsConcurrently checks that concurrent changes of attributes are all applied if there are
// at most as many of them as attempts.
func TestAttrsConcurrently(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://m/x --shape 1 --dtype int8")
	var all sync.WaitGroup
	const changes = 5 // as many as attempts
	for i := range changes {
		all.Go(func() {
			if r := zargoArgs(t, p, nil, "attrs", "mem://m/x", "--set", fmt.Sprintf("a%d=%d", i, i)); r.code != 0 {
				t.Error(r.err)
			}
		})
	}
	all.Wait()
	var got map[string]int
	if err := json.Unmarshal([]byte(do(t, p, "attrs mem://m/x")), &got); err != nil || len(got) != changes {
		t.Errorf("%v, %v", got, err)
	}
}

// TestAttrsOfLibrary checks that the command and the library see each other's changes.
func TestAttrsOfLibrary(t *testing.T) {
	p := newProgram()
	ctx := context.Background()
	do(t, p, `create mem://m/x --format 2 --shape 1 --dtype int8 --attrs {"a":1e400}`)
	st, err := p.own["mem"](ctx, openurl.Location{Scheme: "mem", Host: "m"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := zarr.OpenArray(ctx, st, "x")
	if err != nil {
		t.Fatal(err)
	}
	if a.Attrs()["a"] != json.Number("1e400") {
		t.Errorf("%v", a.Attrs())
	}
	do(t, p, `attrs mem://m/x --set b="\u00e9"`)
	if a, err = a.Refresh(ctx); err != nil || a.Attrs()["b"] != "é" || a.Attrs()["a"] != json.Number("1e400") {
		t.Errorf("%v, %v", a.Attrs(), err)
	}
}

// TestNaNInAttributes checks that NaN and the infinities in attributes remain the bare tokens that
// zarr-python writes and reads, whichever command writes the document.
func TestNaNInAttributes(t *testing.T) {
	const bare = `{"a":NaN,"b":[Infinity,{"c":-Infinity}],"text":"NaN"}`
	for _, format := range []string{"2", "3"} {
		t.Run("v"+format, func(t *testing.T) {
			p, at := newProgram(), "mem://"+t.Name()
			same := func(path string) {
				t.Helper()
				if got := strings.Join(strings.Fields(do(t, p, "attrs "+path)), ""); got != bare {
					t.Errorf("%s: %s", path, got)
				}
			}
			do(t, p, "create "+at+" --group --format "+format+" --attrs "+bare)
			do(t, p, "create "+at+"/x --root "+at+" --shape 2 --dtype int8 --format "+format+" --attrs "+bare)
			same(at)
			do(t, p, "attrs "+at+"/x --set k=1")
			do(t, p, "attrs "+at+"/x --unset k")
			do(t, p, "consolidate "+at)
			same(at)
			same(at + "/x")
			do(t, p, "copy "+at+" "+at+"-copied")
			same(at + "-copied/x")
			do(t, p, "copy "+at+" "+at+"-other --format "+map[string]string{"2": "3", "3": "2"}[format])
			same(at + "-other/x")
			do(t, p, "create "+at+"-like --like "+at)
			same(at + "-like")
			same(at + "-like/x")
			if format == "2" {
				do(t, p, "migrate "+at+" --remove")
				same(at + "/x")
			}
			do(t, p, `attrs `+at+`/x --consolidate --set a="NaN"`)
			r := zargo(t, p, "diff "+at+" "+at+"-like --metadata")
			if r.code == 0 || !strings.Contains(r.out, `x: attributes/a: "NaN", {"float":"NaN"}`) {
				t.Errorf("%d: %s", r.code, r.out)
			}
			if got := do(t, p, "info "+at+"-like/x --json"); !strings.Contains(strings.Join(strings.Fields(got), ""), `{"a":"NaN","b":["Infinity",{"c":"-Infinity"}],"text":"NaN"}`) {
				t.Error(got) // output for other programs is JSON
			}
			for _, bad := range []string{"nan", "NaN,1", "[NaN", `{"a":-NaN}`} {
				fails(t, zargo(t, p, "attrs "+at+" --set a="+bad), 2, "JSON")
			}
		})
	}
}
