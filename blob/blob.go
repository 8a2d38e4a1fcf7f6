package blob

import (
	"errors"
	"sync/atomic"

	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/zarr/store"
)

// Store is a store on a gocloud.dev bucket. Create it with [New].
type Store struct {
	bucket *gcblob.Bucket
	opt    options
	closed atomic.Bool
}

var (
	_ store.Store        = (*Store)(nil)
	_ store.Provider     = (*Store)(nil)
	_ store.PageLister   = (*Store)(nil)
	_ store.BatchDeleter = (*Store)(nil)
	_ store.PartPutter   = (*Store)(nil)
	_ store.Copier       = (*Store)(nil)
)

// New returns a store on b and takes ownership of b: Close closes it.
func New(b *gcblob.Bucket, opts ...Option) *Store {
	s := &Store{bucket: b, opt: options{name: "blob", keys: PortableKey, tuning: cloudTuning()}}
	for _, o := range opts {
		o.apply(&s.opt)
	}
	return s
}

// String returns the name set by [Name], "blob" by default.
func (s *Store) String() string { return s.opt.name }

// Provide sets target to the *gcblob.Bucket, the store.Tuning or the store.Conditions, depending on
// its type. For other types it calls Hooks.Provide and then the bucket's As, which can find an
// SDK's client.
func (s *Store) Provide(target any) bool {
	switch t := target.(type) {
	case **gcblob.Bucket:
		*t = s.bucket
		return true
	case *store.Tuning:
		*t = s.opt.tuning
		return true
	case *store.Conditions:
		*t = s.conditions()
		return true
	}
	if p := s.opt.hooks.Provide; p != nil && p(target) {
		return true
	}
	return s.bucket.As(target)
}

// conditions returns the supported conditions. A store with hooks for requests supports all of
// them. Other stores support only IfAbsent, if the driver implements it atomically.
func (s *Store) conditions() store.Conditions {
	whole := s.opt.hooks.Put != nil
	return store.Conditions{IfAbsent: whole || !s.opt.noIfAbsent, IfVersion: whole && s.opt.hooks.Get != nil}
}

// Close closes the bucket. Later calls return fault.Refused, which is not retried.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	err := s.bucket.Close()
	if h := s.opt.hooks.Close; h != nil {
		err = errors.Join(err, h())
	}
	if err != nil {
		return s.fail("close", "", err)
	}
	return nil
}

// cloudTuning returns the settings for a bucket of an unknown provider.
func cloudTuning() store.Tuning {
	return store.Tuning{
		Requests:    32,
		RangeGap:    1 << 20,
		RangeMax:    16 << 20,
		ListFanout:  16,
		ListPage:    1000,
		DeleteBatch: 1,
		Reason:      "a bucket of an unknown provider: far enough for ranges to be merged, few requests because its connection pool is unknown",
		Why: store.Reasons{
			Requests:    "its connection pool is unknown, and drivers' own keep few connections",
			RangeGap:    "30 ms to the first byte at 80 MB/s are 2.4 MB: reading a gap of half of that is cheaper than another request",
			RangeMax:    "as S3: short enough to repeat",
			SplitAbove:  "never: whether the driver has a second connection is unknown",
			PartAbove:   "never: a driver has no parts",
			ListFanout:  "half of the requests leaves the others for reads",
			ListPage:    "every gocloud driver's page",
			DeleteBatch: "the portable API has no batches",
		},
	}
}
