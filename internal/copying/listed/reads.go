package listed

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/zarr/store"
)

// reads decides when a listing saves requests during reads. A get of an absent object costs a
// request like any other. The array is listed once, if these conditions hold:
//
//   - The number of gets that found an absent object is at least the number of requests that the
//     listing is expected to take.
//   - The listing is expected to save more than twice as many requests as it takes.
//
// A listing is stopped when it has twice the expected number of keys, and is then repeated when the
// number of absent objects justifies more keys.
type reads struct {
	objects       int64 // number of objects that all processes read
	left          int64 // number of objects that this process will still request
	asked, absent int64 // number of requested objects, and number of absent objects among them
	off           bool  // a listing is in progress, or was the last one
	least         int64 // number of keys that the array has at least, from a listing that was stopped
}

const (
	// fewAbsent is the number of absent objects that must be requested before a listing is
	// considered. A smaller number of useless requests is cheap.
	fewAbsent = 16
	// maxKeys is the maximum number of keys of a listing during reads. 2^20 keys take about a
	// thousand requests.
	maxKeys = 1 << 20
	// firstKeys is the number of keys that the listing of a directory may have in addition, but at
	// most the number of remaining requests. The first objects that are requested may all be
	// absent.
	firstKeys = 1000
)

// ExpectReads sets the number of objects that all processes together will read. share is the
// fraction of these objects that this process will read. Without a call of ExpectReads, reads do
// not list the array.
func (s *Store) ExpectReads(objects int64, share float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads.objects, s.reads.left = objects, int64(float64(objects)*share)
}

// Read records that an object was requested, and whether it existed. [Store.Get] calls it. If a
// listing has become worthwhile, Read lists the array. Other gets continue during the listing.
func (s *Store) Read(ctx context.Context, key string, there bool) {
	if _, ok := s.position(key); !ok || !s.proves {
		return
	}
	s.mu.Lock()
	r := &s.reads
	r.asked++
	r.left--
	if !there {
		r.absent++
	}
	// Estimate the requests that a listing takes and saves, assuming that the same share of the
	// remaining objects is absent.
	share := float64(r.asked-r.absent) / float64(r.asked)
	expected := max(share*float64(r.objects), 2*float64(r.least))
	pages, saved := expected/float64(s.page)+1, (1-share)*float64(r.left)
	worth := !r.off && r.absent >= fewAbsent && float64(r.absent) >= pages && saved > 2*pages && expected < maxKeys/2
	if worth {
		r.off = true
	}
	left, limit := r.left, int64(2*expected)+s.page
	if !s.complete {
		limit += min(firstKeys, left)
	}
	s.mu.Unlock()
	if !worth {
		return
	}
	// If the listing fails or has too many keys, objects are still requested one by one.
	set, err := s.settled(ctx, left, func() (*keys.Set, error) {
		return s.load(store.Pages(ctx, s.Store, s.path, store.ListOptions{Complete: true}), limit)
	})
	switch {
	case err == nil:
		s.present.Store(set)
	case errors.Is(err, errMany):
		s.mu.Lock()
		r.off, r.least = false, limit
		s.mu.Unlock()
	}
}
