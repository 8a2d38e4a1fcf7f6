package peers

import (
	"context"
	"path"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// TestCopiedToV3 copies a hierarchy of v2 arrays with blosc, written by zarr-python 2, to v3 shards
// with zstd, and checks that the peers read them.
func TestCopiedToV3(t *testing.T) {
	t.Parallel()
	needPython(t)
	from, to := t.TempDir(), t.TempDir()
	var rows []Row
	for _, r := range Matrix() {
		if r.Format == 2 && strings.Contains(r.Name, "/blosc") && r.Fill != nil && refusalOf(job{Do: "write", Peer: "zarr-python-2", Row: &r}) == nil {
			rows = append(rows, r)
		}
	}
	if len(rows) < 60 { // the matrix is chosen with a fixed seed
		t.Fatalf("%d rows", len(rows))
	}
	src := dir.New(from)
	for _, r := range rows {
		_, err := zarr.CreateGroup(t.Context(), src, path.Dir(r.Name), zarr.Spec{Format: 2})
		if err != nil && !strings.Contains(err.Error(), "exists") {
			t.Fatal(err)
		}
	}
	var jobs []job
	for _, r := range rows {
		jobs = append(jobs, job{Do: "write", Peer: "zarr-python-2", Place: from, Path: r.Name, Row: &r})
	}
	for i, s := range ask(t, jobs) {
		if !s.done() {
			t.Fatalf("%s: %s%s", rows[i].Name, s.Error, s.Differs)
		}
	}

	g, err := zarr.OpenGroup(t.Context(), src, "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := transfer.NewPlan(t.Context(), g, dir.New(to), transfer.Options{
		Source: transfer.Place{Store: from}, Target: transfer.Place{Store: to}, Format: 3, Codecs: []codec.Spec{codec.Zstd(3)},
		NoFillAttribute: true, // attributes are compared here; TestMasked tests this option
		Grid: func(a *zarr.Array) (chunks, shards []int, err error) {
			for _, n := range a.Chunks() {
				shards = append(shards, 2*n)
			}
			return a.Chunks(), shards, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	open := func(_ context.Context, name string) (store.Store, error) { return dir.New(name), nil }
	succeed(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{}))
	succeed(t, transfer.Clean(t.Context(), p, open))

	jobs = jobs[:0]
	for _, peer := range []string{"zarr-python/local", "tensorstore", "zarrs", "zarr-python-3.4/local"} {
		for _, r := range rows {
			r.Format = 3
			jobs = append(jobs, job{Do: "read", Peer: peer, Place: to, Path: r.Name, Row: &r})
		}
	}
	for i, s := range ask(t, jobs) {
		r := jobs[i].Row
		if !s.done() {
			t.Errorf("%s reads %s: %s%s", jobs[i].Peer, r.Name, s.Error, s.Differs)
		} else if s.SHA256 != digest(r.Expected()) {
			t.Errorf("%s read %s and has other bytes than we expect", jobs[i].Peer, r.Name)
		}
	}
}
