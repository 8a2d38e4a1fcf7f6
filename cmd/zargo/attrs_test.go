package main

import (
	"context"
	"encoding/json"
	"fmt"
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
