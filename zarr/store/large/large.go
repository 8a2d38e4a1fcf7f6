package large

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options configures a Store. The zero value uses the store's Tuning.
type Options struct {
	SplitAbove int64 // longer values are read as ranges; 0 means as in the Tuning, negative never
	PartAbove  int64 // values this long are written as parts; 0 means as in the Tuning, negative never

	// Piece is the length of a range or part in bytes. 0 means 16 MiB. Parts are longer if the
	// store's limits on their length or number require it.
	Piece    int64
	InFlight int // concurrent requests for one value; 0 means 16
}

const (
	// defaultPiece is the default length of a range or part. 16 MiB take 0.2 s on one connection.
	// That is six times the latency of the first byte, and is short enough to send again after a
	// failure.
	defaultPiece = 16 << 20
	// defaultInFlight is the default number of concurrent requests for one value. 16 connections of
	// 85 MB/s are 1.4 GB/s, more than most machines' networks.
	defaultInFlight = 16
)

func (o Options) withDefaults(s store.Store) Options {
	t := store.TuningOf(s)
	if o.SplitAbove == 0 {
		o.SplitAbove = t.SplitAbove
	}
	if o.PartAbove == 0 {
		o.PartAbove = t.PartAbove
	}
	return o.withPieces()
}

func (o Options) withPieces() Options {
	if o.Piece <= 0 {
		o.Piece = defaultPiece
	}
	if o.InFlight <= 0 {
		o.InFlight = defaultInFlight
	}
	return o
}

// Store transfers large values in ranges and parts. Use [New] to make one.
type Store struct {
	store.Forward
	o     Options
	whole atomic.Bool // set if the store cannot pin a version
}

// New returns a Store that transfers large values of s in ranges and parts. It returns s itself if
// the options disable both. Close closes s.
func New(s store.Store, o Options) store.Store {
	o = o.withDefaults(s)
	if o.SplitAbove <= 0 && o.PartAbove <= 0 {
		return s
	}
	return &Store{Forward: store.Forward{Store: s}, o: o}
}

// failed returns the error of one of several requests as a *fault.KeyError. It prefers the error of
// ctx. It hides the bytes of a TruncatedError, because they are not the beginning of the value.
func (s *Store) failed(ctx context.Context, op, key string, err error) error {
	var cut *store.TruncatedError
	switch {
	case ctx.Err() != nil && !errors.Is(err, ctx.Err()):
		err = ctx.Err()
	case errors.As(err, &cut):
		return &fault.KeyError{Op: op, Store: s.String(), Key: key, Err: fault.Newf(fault.Unavailable, "range of the value: %v", err)}
	}
	if errors.As(err, new(*fault.KeyError)) {
		return err
	}
	return &fault.KeyError{Op: op, Store: s.String(), Key: key, Err: err}
}
