package transfer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestSavedInClaim saves a small plan and a large one, and runs them from what Saved returns. The
// small plan is in the claim. The large one, and one whose claim was put before by a run, are
// objects.
func TestSavedInClaim(t *testing.T) {
	for name, c := range map[string]struct {
		attr      int
		run, kept bool
	}{"small": {10, false, true}, "large": {100 << 10, false, false}, "claimed before": {10, true, false}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, mem.New(), mem.New())
			a := must(forest(t, w.src, 3).OpenArray(t.Context(), "time"))
			must(a.SetAttrs(t.Context(), map[string]any{"<note>": strings.Repeat("<", c.attr)}))
			a = must(zarr.OpenArray(t.Context(), w.src, a.Path()))
			p := w.plan(a, transfer.Options{Target: transfer.Place{Path: "out"}})
			if c.run {
				check(t, transfer.RunTask(t.Context(), p, 0, w.open))
			}
			check(t, transfer.Save(t.Context(), w.dst, p))
			_, err := w.dst.Get(t.Context(), p.Dir()+"/plan.json", store.GetOptions{}, nil)
			if c.kept != errors.Is(err, fault.NotFound) {
				t.Errorf("the object of the plan: %v", err)
			}
			saved := must(transfer.Saved(t.Context(), w.dst, "out"))
			if saved.ID() != p.ID() {
				t.Error("another plan was saved")
			}
			w.run(saved)
			equal(t, a, must(zarr.OpenArray(t.Context(), w.dst, "out")))
			if again, err := transfer.Saved(t.Context(), w.dst, "out"); err != nil || again.ID() != p.ID() {
				t.Error("the plan of the published copy:", err)
			}
			check(t, transfer.Clean(t.Context(), saved, w.open))
			for e, err := range store.ListAll(t.Context(), w.dst, "out/__zargo_transfer", store.ListOptions{}) {
				t.Error(e.Key, "remains", err)
			}
		})
	}
}

// TestClaimOfEarlierVersion continues a plan with a claim and a saved plan as earlier versions
// stored them, and refuses the claim of a later version.
func TestClaimOfEarlierVersion(t *testing.T) {
	for version, refused := range map[int]bool{1: false, 2: false, 3: true} {
		for _, state := range []string{"taken", "copying", "publishing"} {
			w := newWorld(t, mem.New(), mem.New())
			a := must(forest(t, w.src, 3).OpenArray(t.Context(), "time"))
			p := w.plan(a, transfer.Options{Target: transfer.Place{Path: "out"}})
			if state == "publishing" {
				for i := range p.Tasks() - 1 {
					check(t, transfer.RunTask(t.Context(), p, i, w.open))
				}
			}
			claim := fmt.Sprintf(`{"zargo_transfer_claim":%d,"plan":%q,"run":"0123456789abcdef","state":%q}`, version, p.ID(), state)
			must(w.dst.Put(t.Context(), "out/__zargo_transfer/claim", []byte(claim), store.PutOptions{}))
			must(w.dst.Put(t.Context(), p.Dir()+"/plan.json", p.Encode(), store.PutOptions{}))
			if refused {
				if err := transfer.Run(t.Context(), p, w.open, transfer.RunOptions{}); !errors.Is(err, fault.Exists) {
					t.Errorf("version %d: %v", version, err)
				}
				continue
			}
			saved := must(transfer.Saved(t.Context(), w.dst, "out"))
			w.run(saved)
			equal(t, a, must(zarr.OpenArray(t.Context(), w.dst, "out")))
			check(t, transfer.Clean(t.Context(), saved, w.open))
			for e, err := range store.ListAll(t.Context(), w.dst, "out/__zargo_transfer", store.ListOptions{}) {
				t.Error(e.Key, "remains", err)
			}
		}
	}
}
