package listed

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

const (
	// fewAbsent is how many absent objects are asked for before a listing is thought of. 16: fewer
	// cost little.
	fewAbsent = 16
	// maxKeys is how many keys a listing beside reads has at most: a thousand pages.
	maxKeys = 1 << 20
)

// reads is what is known of the objects that are read. An object that is not there costs a request,
// as much as one that is. When as many requests have been for nothing as a listing of the array
// takes, and more would follow, the array is listed once: so only where the share of absent objects
// makes that worth it. A listing that turns out longer is given up at twice its length.
type reads struct {
	objects       int64 // of all that is read of the array, by any process
	left          int64 // of those that this process is still going to ask for
	asked, absent int64
	off           bool // it is listed, or is not going to be
}

// ExpectReads says how many objects are read by all processes, and the share of them that this one
// is going to read. Before, no listing is thought of.
func (s *Store) ExpectReads(objects int64, share float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads.objects, s.reads.left = objects, int64(float64(objects)*share)
}

// Read counts an object that was there or not, which [Store.Get] does, and lists the array when
// that has become worth it. Others go on asking meanwhile.
func (s *Store) Read(ctx context.Context, key string, there bool) {
	if _, ok := s.position(key); !ok || !s.complete {
		return
	}
	s.mu.Lock()
	r := &s.reads
	r.asked++
	r.left--
	if !there {
		r.absent++
	}
	// What a listing takes and what it saves, if what is left is as what was asked for.
	share := float64(r.asked-r.absent) / float64(r.asked)
	keys := share * float64(r.objects)
	pages, saved := keys/float64(s.page)+1, (1-share)*float64(r.left)
	worth := !r.off && r.absent >= fewAbsent && float64(r.absent) >= pages && saved > 2*pages && keys < maxKeys/2
	if worth {
		r.off = true
	}
	s.mu.Unlock()
	if !worth {
		return
	}
	// One that fails or has more is given up, and objects are asked for one by one as before.
	if set, err := s.load(store.Pages(ctx, s.Store, s.path, store.ListOptions{}), int64(2*keys)+s.page); err == nil {
		s.present.Store(set)
	}
}
