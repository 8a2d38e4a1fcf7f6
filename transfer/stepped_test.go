package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// stepped is the target of one process. It counts requests from 1 and interrupts the request with
// number at.
type stepped struct {
	store.Store
	at   int
	dies int // if > 0, this and all later requests fail and are not sent
	what happens
	stop chan struct{} // closed when the request is suspended
	free chan struct{} // closed to continue it

	mu sync.Mutex
	n  int
}

type happens int

const (
	held   happens = iota // the request is sent when free is closed
	killed                // this and all later requests fail and are not sent
	lost                  // the request is performed, and its response is lost
)

func newStepped(st store.Store, at int, what happens) *stepped {
	return &stepped{Store: st, at: at, what: what, stop: make(chan struct{}), free: make(chan struct{})}
}

// step counts a request and must be called before it. It returns a function that must be called
// with the error of the request. change reports whether the request is a write.
func (s *stepped) step(change bool) (after func(error) error, err error) {
	s.mu.Lock()
	s.n++
	n := s.n
	s.mu.Unlock()
	after = func(err error) error { return err }
	switch {
	case s.what == killed && n >= s.at && s.at > 0, s.dies > 0 && n >= s.dies:
		return nil, fmt.Errorf("killed: %w", fault.Unavailable)
	case s.what == held && n == s.at:
		close(s.stop)
		<-s.free
	case s.what == lost && n == s.at && change:
		after = func(error) error { return fmt.Errorf("lost: %w", fault.Unavailable) }
	}
	return after, nil
}

// reached reports whether the process has sent the request with number at.
func (s *stepped) reached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n >= s.at
}

func (s *stepped) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	after, err := s.step(false)
	if err != nil {
		return store.Value{}, err
	}
	v, err := s.Store.Get(ctx, key, o, buf)
	return v, after(err)
}

func (s *stepped) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	after, err := s.step(true)
	if err != nil {
		return "", err
	}
	v, err := s.Store.Put(ctx, key, value, o)
	return v, after(err)
}

func (s *stepped) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	after, err := s.step(true)
	if err != nil {
		return err
	}
	return after(s.Store.Delete(ctx, key, o))
}

// DeleteAll deletes half of the keys if it is killed.
func (s *stepped) DeleteAll(ctx context.Context, keys []string) error {
	after, err := s.step(true)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.n == s.at {
			keys = keys[:len(keys)/2]
			return errors.Join(err, store.DeleteAll(ctx, s.Store, keys))
		}
		return err
	}
	return after(store.DeleteAll(ctx, s.Store, keys))
}

func (s *stepped) Copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	after, err := s.step(true)
	if err != nil {
		return "", err
	}
	v, err := store.Copy(ctx, s.Store, from, to, o)
	return v, after(err)
}

func (s *stepped) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if _, err := s.step(false); err != nil {
			yield(store.Entry{}, err)
			return
		}
		s.Store.List(ctx, prefix, o)(yield)
	}
}

func (s *stepped) Close() error { return nil }

// kind is a kind of copy.
type kind struct {
	name   string
	format int
	group  bool
	coded  bool // decoded and encoded
	within bool // source and target are one store
}

func kinds() (all []kind) {
	for _, format := range []int{2, 3} {
		for _, group := range []bool{false, true} {
			for _, coded := range []bool{false, true} {
				all = append(all, kind{fmt.Sprintf("v%d group %v coded %v", format, group, coded), format, group, coded, false})
			}
		}
	}
	return append(all, kind{"within a store", 3, true, false, true})
}

// tree creates an array of three chunks, or a group with two such arrays. The second chunk contains
// only the fill value. All other values are v.
func (k kind) tree(t *testing.T, st store.Store, path string, v uint8) zarr.Node {
	t.Helper()
	ctx := t.Context()
	spec := zarr.Spec{Format: k.format, Shape: []int{6}, Chunks: []int{2}, DType: dtype.Uint8, Fill: uint8(9)}
	paths := []string{path}
	if k.group {
		must(zarr.CreateGroup(ctx, st, path, zarr.Spec{Format: k.format}))
		paths = []string{path + "/x", path + "/y"}
	}
	for _, at := range paths {
		a := must(zarr.Create(ctx, st, at, spec))
		check(t, zarr.Write(ctx, a, []uint8{v, v}, zarr.Range(0, 2)))
		check(t, zarr.Write(ctx, a, []uint8{v, v}, zarr.Range(4, 6)))
	}
	return must(zarr.Open(ctx, st, path))
}

// plan returns a plan to copy n, with one object for each task.
func (k kind) plan(t *testing.T, n zarr.Node, src, dst store.Store) *transfer.Plan {
	t.Helper()
	o := transfer.Options{Source: transfer.Place{Store: "src" + n.Path()}, Target: transfer.Place{Store: "dst", Path: "t"}}
	if k.coded {
		o.Codecs = []codec.Spec{codec.Zstd(1)}
	}
	if k.within {
		o.Source.Store = "dst"
	}
	p := must(transfer.NewPlan(t.Context(), n, dst, o))
	for i := range p.Stages[0].Steps {
		p.Stages[0].Steps[i].Block = []int{1}
	}
	return p
}

// pair is two plans with different sources and the same target.
type pair struct {
	t      *testing.T
	k      kind
	src    store.Store
	dst    store.Store
	plans  [2]*transfer.Plan
	values [2]uint8
}

func newPair(t *testing.T, k kind, src, dst store.Store) *pair {
	t.Helper()
	if k.within {
		src = dst
	}
	p := &pair{t: t, k: k, src: src, dst: dst, values: [2]uint8{1, 2}}
	for i := range p.plans {
		n := k.tree(t, src, fmt.Sprint("s", i), p.values[i])
		p.plans[i] = k.plan(t, n, src, dst)
	}
	return p
}

// open returns the Opener of a process with dst as its target.
func (p *pair) open(dst store.Store) transfer.Opener {
	return func(_ context.Context, name string) (store.Store, error) {
		if name == "dst" {
			return kept{dst}, nil
		}
		return kept{p.src}, nil
	}
}

// run runs plan i in a process with dst as its target.
func (p *pair) run(i int, dst store.Store) error {
	return transfer.Run(p.t.Context(), p.plans[i], p.open(dst), transfer.RunOptions{Parallel: 1})
}

// holds fails the test unless the target contains the values of plan i.
func (p *pair) holds(i int, say string) {
	p.t.Helper()
	paths := []string{"t"}
	if p.k.group {
		paths = []string{"t/x", "t/y"}
	}
	v := p.values[i]
	want := []uint8{v, v, 9, 9, v, v}
	for _, at := range paths {
		a, err := zarr.OpenArray(p.t.Context(), p.dst, at)
		if err != nil {
			p.t.Fatalf("%s: %s: %v", p.k.name, say, err)
		}
		if got := must(zarr.Read[uint8](p.t.Context(), a)); string(got) != string(want) {
			p.t.Fatalf("%s: %s: %s holds %v, not %v", p.k.name, say, at, got, want)
		}
	}
}

// left fails the test if the target contains markers or other objects beside the copy.
func (p *pair) left(say string) {
	p.t.Helper()
	for key := range all(p.t, p.dst, "t/__zargo_transfer") {
		p.t.Fatalf("%s: %s: %s is left", p.k.name, say, key)
	}
}
