package validate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// everything allows every kind of repair.
var everything = validate.RepairOptions{Options: validate.Options{Data: true}, DeleteOrphans: true, DropClaims: true}

// contents returns all objects of a store.
func contents(t *testing.T, st store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for e, err := range store.ListAll(t.Context(), st, "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		all[e.Key] = string(get(t, st, e.Key))
	}
	return all
}

func repaired(t *testing.T, st store.Store, o validate.RepairOptions) *validate.Repairs {
	t.Helper()
	r, err := validate.Repair(t.Context(), st, "", o, func(rule.Finding) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRepair repairs each kind of damage: a second run finds nothing, every value is unchanged, and
// a dry run changes nothing. Damage that cannot be repaired is left byte for byte.
func TestRepair(t *testing.T) {
	for _, d := range damages() {
		for name, open := range map[string]func() store.Store{"mem": func() store.Store { return mem.New() }, "dir": func() store.Store { return dir.New(t.TempDir()) }} {
			t.Run(fmt.Sprintf("%s/v%d/%s", d.name, d.format, name), func(t *testing.T) {
				st := open()
				site(t, st, d.format)
				if d.before == nil {
					consolidated(t, st)
				} else {
					d.before(t, st)
				}
				whole := contents(t, st)
				d.make(t, st)
				can := slices.Contains([]rule.Rule{rule.Stale, rule.BeyondShape, rule.OtherLayout, rule.WrongSeparator, rule.LeftOverClaim}, d.rule)
				damaged := contents(t, st)

				dry := everything
				dry.DryRun = true
				r := repaired(t, st, dry)
				if !equal(contents(t, st), damaged) {
					t.Fatal("a dry run changed something")
				}
				state := map[bool]validate.State{true: validate.Planned, false: validate.Left}[can]
				if i := slices.IndexFunc(r.Steps, func(s validate.Step) bool { return s.Rule == d.rule }); i < 0 || r.Steps[i].State != state || r.Left.Counts[d.rule.Severity()] == 0 {
					t.Errorf("dry run: %+v", r.Steps)
				}

				r = repaired(t, st, everything)
				if !can {
					i := slices.IndexFunc(r.Steps, func(s validate.Step) bool { return s.Rule == d.rule })
					if i < 0 || r.Steps[i].State != validate.Left || r.Steps[i].Text == "" || r.Left.Counts[d.rule.Severity()] == 0 {
						t.Errorf("%+v", r.Steps)
					}
					for key, was := range damaged {
						if is := contents(t, st)[key]; is != was && !strings.HasPrefix(key[strings.LastIndexByte(key, '/')+1:], ".zmetadata") && key != "zarr.json" {
							t.Errorf("%s was changed", key)
						}
					}
					return
				}
				if worst, broken := r.Left.Worst(rule.Note); broken {
					t.Errorf("left: %+v", worst)
				}
				if found := findings(t, st, true); len(found) > 0 {
					t.Errorf("after the repair: %+v\n%+v", found, r.Steps)
				}
				for key, was := range whole { // no chunk of the grid is changed
					if is, there := contents(t, st)[key]; !strings.Contains(key, "zarr.json") && !strings.Contains(key, ".z") && is != was && (there || d.rule != rule.BeyondShape) {
						t.Errorf("%s is %q, was %q", key, is, was)
					}
				}
			})
		}
	}
}

func equal(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// TestRepairAsks checks that no stored value is deleted and no claim is dropped unless the options
// allow it.
func TestRepairAsks(t *testing.T) {
	for _, d := range damages() {
		if d.rule != rule.BeyondShape && d.rule != rule.OtherLayout && d.rule != rule.LeftOverClaim {
			continue
		}
		t.Run(fmt.Sprintf("%s/v%d", d.name, d.format), func(t *testing.T) {
			st := mem.New()
			site(t, st, d.format)
			d.make(t, st)
			before := contents(t, st)
			r := repaired(t, st, validate.RepairOptions{})
			if len(r.Steps) != 1 || r.Steps[0].State != validate.Left || r.Left.Counts[d.rule.Severity()] != 1 || !equal(contents(t, st), before) {
				t.Errorf("%+v", r.Steps)
			}
		})
	}
}

// TestRepairOfClaims checks that a claim younger than ClaimAge is kept, with the chunks that its
// process may be writing. A claim of an append that extended only some arrays of a group is kept
// too.
func TestRepairOfClaims(t *testing.T) {
	t.Run("young", func(t *testing.T) {
		st := mem.New()
		site(t, st, 3)
		since := time.Now().UTC().Format(time.RFC3339)
		set(t, st, "plain/zarr.json", "attributes", `{"zargo_claim":`+strings.Replace(leftOver, "2026-11-23T10:00:00Z", since, 1)+`}`)
		put(t, st, "plain/c/3/0", "under way")
		put(t, st, "plain/c/9/0", "an orphan")
		before := contents(t, st)
		o := everything
		o.ClaimAge = time.Hour
		r := repaired(t, st, o)
		if len(r.Steps) != 2 || r.Steps[0].State != validate.Left || r.Steps[1].State != validate.Left || !errors.Is(r.Steps[1].Err, fault.Conflict) || !equal(contents(t, st), before) {
			t.Errorf("%+v", r.Steps)
		}
	})
	t.Run("half appended", func(t *testing.T) {
		st := mem.New()
		g, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{})
		if err != nil {
			t.Fatal(err)
		}
		for path, n := range map[string]int{"a": 6, "b": 8} {
			if _, err := g.CreateArray(t.Context(), path, zarr.Spec{Shape: []int{n}, DType: dtype.Uint8, Dims: []string{"time"}}); err != nil {
				t.Fatal(err)
			}
		}
		consolidated(t, st)
		set(t, st, "b/zarr.json", "shape", "[9]")
		set(t, st, "zarr.json", "attributes", `{"zargo_claim":`+leftOverRows+`}`)
		before := contents(t, st)
		r := repaired(t, st, everything)
		if len(r.Steps) != 2 || r.Steps[0].State != validate.Left || r.Steps[1].State != validate.Left || !strings.Contains(r.Steps[0].Text, "complete the append") || !equal(contents(t, st), before) {
			t.Errorf("%+v", r.Steps)
		}
	})
}

// TestRepairKeepsOnlyCopies checks that a chunk of another layout is deleted only if the array has
// a chunk at the same position.
func TestRepairKeepsOnlyCopies(t *testing.T) {
	st := mem.New()
	put(t, st, ".zarray", arrayV2)
	for _, key := range []string{"0.0", "0/0", "1/1"} {
		put(t, st, key, "four")
	}
	r := repaired(t, st, everything)
	if len(r.Steps) != 1 || r.Steps[0].State != validate.Left || !strings.Contains(r.Steps[0].Text, "only copy") {
		t.Errorf("%+v", r.Steps)
	}
	if c := contents(t, st); len(c) != 3 || c["1/1"] != "four" || c["0.0"] != "four" {
		t.Errorf("%v", c)
	}
}

// TestRepairMeetsWriters checks that a document that another writer changes meanwhile is not
// overwritten.
func TestRepairMeetsWriters(t *testing.T) {
	st := mem.New()
	site(t, st, 3)
	set(t, st, "plain/zarr.json", "chunk_key_encoding", `{"name":"default","configuration":{"separator":"."}}`)
	gets := 0
	meddling := store.Observe(st, func(_ context.Context, e store.Event) {
		if e.Op == "get" && e.Key == "plain/zarr.json" {
			if gets++; gets == 2 { // the repair has read it
				set(t, st, "plain/zarr.json", "attributes", `{"of":"another"}`)
			}
		}
	})
	r := repaired(t, meddling, everything)
	if len(r.Steps) != 1 || r.Steps[0].State != validate.Left || !errors.Is(r.Steps[0].Err, fault.Conflict) {
		t.Errorf("%+v", r.Steps)
	}
	if doc := string(get(t, st, "plain/zarr.json")); !strings.Contains(doc, "another") {
		t.Errorf("lost: %s", doc)
	}
	if left := repaired(t, st, everything).Left; left.Counts[rule.Fault] > 0 {
		t.Errorf("the second time: %+v", left)
	}
}

// Some repairs need no other data: consolidated metadata is a copy, and chunks beyond the shape can
// be deleted if the options allow it.
func ExampleRepair() {
	ctx, st := context.Background(), mem.New()
	for key, value := range map[string]string{".zarray": arrayV2, "0.0": "four", "0.7": "four", "1.1": "torn?"} {
		_, _ = st.Put(ctx, key, []byte(value), store.PutOptions{})
	}
	o := validate.RepairOptions{Options: validate.Options{Data: true}, DeleteOrphans: true}
	r, err := validate.Repair(ctx, st, "", o, func(rule.Finding) {})
	for _, s := range r.Steps {
		fmt.Println(s.State, s.Rule, s.Key, s.Text)
	}
	line, _ := json.Marshal(r.Steps[0])
	fmt.Println(string(line))
	fmt.Println(r.Found.Counts[rule.Warning], r.Left.Counts[rule.Warning], r.Left.Counts[rule.Fault], err)
	// Output:
	// repaired beyond-shape 0.7 delete 1 orphan
	// left corrupt 1.1 values cannot be recovered: copy the objects from another copy of the data
	// {"state":"repaired","code":"beyond-shape","path":"","key":"0.7","findings":1,"message":"delete 1 orphan"}
	// 1 0 1 <nil>
}
