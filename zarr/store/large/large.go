package large

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	// defaultPiece is how long a range or a part is. 16 MiB take 0.2 s on one connection, six times
	// the wait for the first byte; what breaks is worth repeating.
	defaultPiece = 16 << 20
	// defaultInFlight is how many requests are made for one value at once: 16 connections of 85
	// MB/s are 1.4 GB/s, more than most machines' network.
	defaultInFlight = 16
)

// Options are the numbers. The zero value takes those of the store.
type Options struct {
	SplitAbove int64 // bytes above which a value is read as ranges; 0 is store.Tuning's, negative never
	PartAbove  int64 // bytes from which on a value is written as parts; 0 is store.Tuning's, negative never
	Piece      int64 // bytes of a range or part; 0 is 16 MiB. Parts are longer where the store takes no such short or no more of them
	InFlight   int   // requests for one value at once; 0 is 16
}

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

// Store moves large values in parts. Make it with [New].
type Store struct {
	store.Forward
	o     Options
	whole atomic.Bool // the store cannot pin a read to a version
}

// New makes large values of s move in parts. Where the numbers say never, for reads and writes, it
// is s itself. Close closes s.
func New(s store.Store, o Options) store.Store {
	o = o.withDefaults(s)
	if o.SplitAbove <= 0 && o.PartAbove <= 0 {
		return s
	}
	return &Store{Forward: store.Forward{Store: s}, o: o}
}

// failed gives an error of several requests its place. A context that ended is what it is, and a
// part of the value that a broken request brought is none of the value.
func (s *Store) failed(ctx context.Context, op, key string, err error) error {
	var cut *store.TruncatedError
	switch {
	case ctx.Err() != nil && !errors.Is(err, ctx.Err()):
		err = ctx.Err()
	case errors.As(err, &cut):
		return &fault.KeyError{Op: op, Store: s.String(), Key: key, Err: fault.Newf(fault.Unavailable, "a range of it: %v", err)}
	}
	if errors.As(err, new(*fault.KeyError)) {
		return err
	}
	return &fault.KeyError{Op: op, Store: s.String(), Key: key, Err: err}
}
