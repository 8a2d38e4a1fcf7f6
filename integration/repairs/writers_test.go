package repairs

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

var shape = regexp.MustCompile(`"shape":\s*\[\s*8\s*\]`)

// TestOthersWriteMeanwhile checks that if another writer stores an object just before a repair
// replaces it, the object of the other writer remains, on each provider and for each kind of
// repair. A second, undisturbed repair must succeed.
func TestOthersWriteMeanwhile(t *testing.T) {
	spaced := func(was string) string { return was + " " }
	longer := func(was string) string { return shape.ReplaceAllString(was, `"shape":[10]`) } // as if the append continued
	titled := func(was string) string { return strings.Replace(was, `"node_type"`, `"title":"theirs","node_type"`, 1) }
	tests := []struct {
		name   string
		make   func(t *testing.T, st store.Store)
		damage func(t *testing.T, st store.Store)
		rule   rule.Rule
		key    string // the object of the repair, which another writer changes just before the repair does
		op     store.Op
		kind   error // nil if the repair reads the object again and keeps the other writer's change
		theirs func(string) string
	}{
		{"chunk", site, func(t *testing.T, st store.Store) { flip(t, st, "sums/c/1", 1) }, rule.Corrupt, "sums/c/1", store.OpPut, fault.Conflict, spaced},
		{"long shard", site, func(t *testing.T, st store.Store) { flip(t, st, "long/c/0", 3<<20) }, rule.Corrupt, "long/c/0", store.OpCommit, fault.Conflict, spaced},
		{"missing chunk", undefined, func(t *testing.T, st store.Store) { remove(t, st, "1") }, rule.MissingChunk, "1", store.OpPut, fault.Exists, spaced},
		{"document", site, func(t *testing.T, st store.Store) { put(t, st, "keys/zarr.json", []byte("{")) }, rule.Metadata, "keys/zarr.json", store.OpPut, fault.Conflict, spaced},
		{"missing document", site, func(t *testing.T, st store.Store) { remove(t, st, "keys/zarr.json") }, rule.NoNode, "keys/zarr.json", store.OpPut, fault.Exists, spaced},
		{"consolidated metadata", site, func(t *testing.T, st store.Store) { set(t, st, "sums/zarr.json", "attributes", `{"units":"K"}`) }, rule.Stale, "zarr.json", store.OpPut, nil, titled},
		{"separator", site, func(t *testing.T, st store.Store) {
			set(t, st, "keys/zarr.json", "chunk_key_encoding", `{"name":"v2"}`)
		}, rule.WrongSeparator, "keys/zarr.json", store.OpPut, fault.Conflict, spaced},
		{"claim", site, func(t *testing.T, st store.Store) { set(t, st, "keys/zarr.json", "attributes", claim) }, rule.LeftOverClaim, "keys/zarr.json", store.OpPut, nil, longer},
		{"orphan", site, func(t *testing.T, st store.Store) { put(t, st, "keys/c/9", []byte("ab")) }, rule.BeyondShape, "keys/zarr.json", store.OpPut, fault.Conflict, longer},
	}
	for _, p := range providers() {
		t.Run(p.Name, func(t *testing.T) {
			for _, tt := range tests {
				t.Run(tt.name, func(t *testing.T) {
					st, spare := bucket.Open(t, p.URL(t)), mem.New()
					tt.make(t, st)
					for key, value := range contents(t, st) {
						put(t, spare, key, []byte(value))
					}
					tt.damage(t, st)
					damaged := contents(t, st)

					var met atomic.Int32
					theirs := ""
					meddling := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
						if c.Op == tt.op && c.Key == tt.key && met.Add(1) == 1 {
							theirs = tt.theirs(damaged[tt.key])
							put(t, st, tt.key, []byte(theirs))
						}
						return ctx, nil
					}})
					o := validate.RepairOptions{Options: validate.Options{Data: true}, DeleteOrphans: true, DropClaims: true, From: &validate.Copy{Store: spare}}
					step := stepOf(t, meddling, o, tt.rule)
					if met.Load() == 0 {
						t.Fatal("the repair did not put it")
					}
					if theirs == damaged[tt.key] {
						t.Fatal("the other writer changed nothing")
					}
					got := string(get(t, st, tt.key))
					switch {
					case tt.kind == nil:
						if step.State != validate.Repaired {
							t.Errorf("%+v", step)
						}
						if a, b := others(t, got), others(t, theirs); !reflect.DeepEqual(a, b) {
							t.Errorf("lost: there is %v, the other writer stored %v", a, b)
						}
					case step.State != validate.Left || !errors.Is(step.Err, tt.kind):
						t.Errorf("%+v", step)
					case got != theirs:
						t.Errorf("lost: there is %.80q", got)
					}
					if tt.rule == rule.BeyondShape && string(get(t, st, "keys/c/9")) != "ab" {
						t.Error("deleted")
					}

					put(t, st, tt.key, []byte(damaged[tt.key]))
					if damaged[tt.key] == "" {
						remove(t, st, tt.key)
					}
					if step := stepOf(t, st, o, tt.rule); step.State != validate.Repaired {
						t.Errorf("undisturbed: %+v", step)
					}
					r, err := validate.Run(t.Context(), st, "", o.Options, func(f rule.Finding) { t.Errorf("left: %+v", f) })
					if err != nil || r.Chunks == 0 {
						t.Error(r, err)
					}
				})
			}
		})
	}
}

// stepOf runs the repair and returns its only step for a rule.
func stepOf(t *testing.T, st store.Store, o validate.RepairOptions, of rule.Rule) validate.Step {
	t.Helper()
	r, err := validate.Repair(t.Context(), st, "", o, func(rule.Finding) {})
	if err != nil {
		t.Fatal(err)
	}
	var found []validate.Step
	for _, s := range r.Steps {
		if s.Rule == of {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%+v", r.Steps)
	}
	return found[0]
}

// others returns the members of a document that repairs of consolidated metadata and of a claim
// must not change.
func others(t *testing.T, doc string) map[string]any {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(doc), &all); err != nil {
		t.Fatal(err)
	}
	delete(all, "consolidated_metadata")
	if attrs, ok := all["attributes"].(map[string]any); ok {
		delete(attrs, "zargo_claim")
		delete(attrs, "zargo_record")
	}
	return all
}
