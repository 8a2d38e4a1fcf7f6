package transfer

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	// fewAbsent is how many absent objects are asked for before a listing is thought of. 16: fewer cost little.
	fewAbsent = 16
	// maxListed is how many keys are held of an array, 8 bytes each: 8 MiB.
	maxListed = 1 << 20
)

// sparse is the store of the chunks of one array of the source. A chunk that is not there costs a request, as much as one that is. When as many requests have been for
// nothing as a listing of the array's keys takes, and more would follow, the array is listed once: what is not in the listing is not asked for. So a source is listed
// only where the share of absent chunks makes that worth it. A listing that turns out longer is given up at twice its length.
//
// Absence is only proven by a listing that is complete (store.Listings), and that ended without an error.
type sparse struct {
	*overlay
	path string
	page int64

	listed atomic.Pointer[[]uint64] // sorted hashes of keys: two with the same hash cost a request and no chunk

	mu            sync.Mutex
	objects       int64 // of all that is copied of the array, by any process
	left          int64 // of those that this process is still going to ask for
	asked, absent int64
	off           bool // it is listed, or is not going to be
}

func newSparse(o *overlay, path string) *sparse {
	page := int64(store.TuningOf(o.Store).ListPage)
	return &sparse{overlay: o, path: path, page: max(page, 1), off: !store.ListingsOf(o.Store).Complete}
}

// expect says how many objects are copied, and the share of them that this process is going to read.
func (s *sparse) expect(objects int64, share float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects, s.left = objects, int64(float64(objects)*share)
}

// Get implements [store.Store].
func (s *sparse) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if _, ok := s.docs[key]; ok || isDocument(key) {
		return s.overlay.Get(ctx, key, o, buf)
	}
	if o.IfVersion == "" && s.isAbsent(key) {
		return store.Value{}, &fault.KeyError{Op: "get", Store: s.String(), Key: key, Kind: fault.NotFound}
	}
	v, err := s.Store.Get(ctx, key, o, buf)
	if err == nil || errors.Is(err, fault.NotFound) {
		s.saw(ctx, err != nil)
	}
	return v, err
}

// isAbsent reports whether a key is known to be absent.
func (s *sparse) isAbsent(key string) bool {
	keys := s.listed.Load()
	if keys == nil {
		return false
	}
	_, found := slices.BinarySearch(*keys, hashOf(key))
	return !found
}

// saw counts an object that was there or not, and lists the array when that has become worth it. Others go on asking meanwhile.
func (s *sparse) saw(ctx context.Context, absent bool) {
	s.mu.Lock()
	s.asked++
	s.left--
	if absent {
		s.absent++
	}
	// What a listing takes and what it saves, if what is left is as what was asked for.
	there := float64(s.asked-s.absent) / float64(s.asked)
	keys := there * float64(s.objects)
	pages, saved := keys/float64(s.page)+1, (1-there)*float64(s.left)
	worth := !s.off && s.absent >= fewAbsent && float64(s.absent) >= pages && saved > 2*pages && keys < maxListed/2
	if worth {
		s.off = true
	}
	s.mu.Unlock()
	if worth {
		s.list(ctx, int64(2*keys)+s.page)
	}
}

// list reads the keys of the array, at most so many. A listing that fails or has more is given up, and chunks are asked for one by one as before.
func (s *sparse) list(ctx context.Context, most int64) {
	var keys []uint64
	for e, err := range store.Pages(ctx, s.Store, s.path, store.ListOptions{}) {
		if err != nil || int64(len(keys)) >= most {
			return
		}
		keys = append(keys, hashOf(e.Key))
	}
	slices.Sort(keys)
	s.listed.Store(&keys)
}

func hashOf(key string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // it never fails
	return h.Sum64()
}

// expect says which arrays a share of the tasks of a stage is going to read.
func (w *Worker) expect(ctx context.Context, stage int, share float64) error {
	for i := range w.p.Stages[stage].Steps {
		s := &w.p.Stages[stage].Steps[i]
		if s.From == nil || s.From.In != Source {
			continue
		}
		from, to, err := w.arrays.both(ctx, s)
		if err != nil {
			return err
		}
		n, shape := int64(1), to.Shape()
		for d, each := range objectShape(from) {
			n = times(n, int64((s.start(d)+shape[d]-1)/each-s.start(d)/each+1))
		}
		w.arrays.source(s.From.Path).expect(n, share)
	}
	return nil
}
