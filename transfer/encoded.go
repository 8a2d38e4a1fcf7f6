package transfer

import (
	"context"
	"errors"
	"math"
	"path"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/copying/listed"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/large"
)

// encoded copies the objects of a task without decoding them.
func (w *Worker) encoded(ctx context.Context, t Task) error {
	from, to, err := w.arrays.both(ctx, t.Step)
	if err != nil {
		return err
	}
	if err := w.moving.Acquire(ctx); err != nil {
		return err
	}
	defer w.moving.Release()
	src := w.arrays.store(t.Step.From)
	guess := needOf(t.Step, from, to).work
	return w.objects(ctx, t, from, to, func(ctx context.Context, from, to string) error { return w.move(ctx, src, from, to, guess) })
}

// objects calls f concurrently for each object of a task, with its keys in the source and in the
// target.
func (w *Worker) objects(ctx context.Context, t Task, from, to *zarr.Array, f func(ctx context.Context, from, to string) error) error {
	ahead := offset(t.Step.Start, from)
	return concurrency.EachN(ctx, store.TuningOf(w.dst).Requests, t.Objects(), func(ctx context.Context, i int) error {
		coord := make([]int, len(t.Lo))
		for d := len(coord) - 1; d >= 0; d-- {
			n := t.Hi[d] - t.Lo[d]
			coord[d] = t.Lo[d] + i%n
			i /= n
		}
		key := to.ChunkKey(coord...)
		for d := range coord {
			coord[d] += ahead[d]
		}
		return f(ctx, from.ChunkKey(coord...), w.keyOf(t.Step.To, key))
	})
}

// keyOf converts the key of an object of array a to its key below the root of the target's store.
func (w *Worker) keyOf(a *Array, key string) string {
	if a.In == Temporary {
		return node.Join(node.Join(w.claim.Dir(), "tmp"), key)
	}
	return key
}

// move copies one object: within the store if possible, otherwise through memory, in parts if the
// object is long. It skips an object only if the object is proven absent. guess is the expected
// maximum length.
func (w *Worker) move(ctx context.Context, src *listed.Store, from, to string, guess int64) error {
	if src.Absent(from) {
		return nil
	}
	if w.one && !w.noCopy.Load() {
		_, err := store.Copy(ctx, w.out, from, to, store.CopyOptions{})
		if err == nil || errors.Is(err, fault.NotFound) {
			src.Read(ctx, from, err == nil)
			return nil
		}
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			w.noCopy.Store(true)
		case !errors.Is(err, fault.Limit): // Limit: too long for one copy request
			return err
		}
	}
	most, version := guess, store.Version("")
	for {
		long, err := w.through(ctx, src, from, to, most, version)
		if long == nil || long.Announced <= most {
			return err
		}
		most, version = long.Announced, long.Version
		if most > streamAbove && version != "" {
			if done, err := w.stream(ctx, src, from, to, most, version); done || err != nil {
				return err
			}
		}
	}
}

// through copies an object through memory. limit is the maximum length of the object in bytes. If
// the object is proven absent, through does nothing. If the object is longer than limit, through
// returns an error and the length of the object.
func (w *Worker) through(ctx context.Context, src store.Store, from, to string, limit int64, version store.Version) (long *store.TooLong, err error) {
	if limit > min(max(w.p.Budget(), streamAbove), math.MaxInt) {
		return nil, fault.Newf(fault.Limit, "object of %d bytes at %q does not fit in the plan's memory, and the store does not support parts", limit, from)
	}
	hold, err := w.limits.Bytes.Acquire(ctx, concurrency.Task, concurrency.Need(int(limit)))
	if err != nil {
		return nil, err
	}
	defer hold.Release()
	v, err := src.Get(ctx, from, store.GetOptions{Max: limit, IfVersion: version}, hold.Buffer(int(limit)))
	switch {
	case errors.Is(err, fault.NotFound):
		return nil, nil
	case err != nil:
		errors.As(err, &long)
		return long, err
	}
	_, err = w.out.Put(ctx, to, v.Bytes, store.PutOptions{})
	return nil, err
}

// stream copies an object in parts. done is false if the target does not support parts.
func (w *Worker) stream(ctx context.Context, src store.Store, from, to string, size int64, version store.Version) (done bool, err error) {
	at := readerAt(func(b []byte, off int64) (int, error) {
		v, err := src.Get(ctx, from, store.GetOptions{Range: store.Within(off, int64(len(b))), IfVersion: version}, b[:0])
		if err != nil {
			return 0, err
		}
		return copy(b, v.Bytes), nil
	})
	_, err = large.Upload(ctx, w.out, to, at, size, large.UploadOptions{Piece: piece, Memory: w.limits.Bytes})
	if errors.Is(err, errors.ErrUnsupported) {
		return false, nil
	}
	return err == nil, err
}

// readerAt adapts a function to io.ReaderAt.
type readerAt func(b []byte, off int64) (int, error)

func (f readerAt) ReadAt(b []byte, off int64) (int, error) { return f(b, off) }

// below calls f concurrently for each object of a step of kind Objects: its key and its size in the
// source, or -1, and its key in the target. It leaves out documents.
func (w *Worker) below(ctx context.Context, s *Step, f func(ctx context.Context, from, to string, size int64) error) error {
	type object struct {
		from, to string
		size     int64
	}
	var failed error
	objects := func(yield func(object) bool) {
		for e, err := range store.ListAll(ctx, w.src, s.From.Path, store.ListOptions{}) {
			if err != nil {
				failed = err
				return
			}
			name := strings.TrimPrefix(strings.TrimPrefix(e.Key, s.From.Path), "/")
			if node.IsDocument(path.Base(name)) {
				continue
			}
			if !yield(object{e.Key, node.Join(s.To.Path, name), e.Size}) {
				return
			}
		}
	}
	err := concurrency.Each(ctx, store.TuningOf(w.dst).Requests, objects, func(ctx context.Context, o object) error {
		return f(ctx, o.from, o.to, o.size)
	})
	if err == nil {
		err = failed
	}
	return err
}

// listedObjects copies the objects of a step of kind Objects.
func (w *Worker) listedObjects(ctx context.Context, s *Step) error {
	if err := w.watch.sameDocuments(ctx, s.From.Path); err != nil {
		return err
	}
	if err := w.moving.Acquire(ctx); err != nil {
		return err
	}
	defer w.moving.Release()
	src := listed.New(w.src, s.From.Path) // not the one of w.arrays, which hides documents
	return w.below(ctx, s, func(ctx context.Context, from, to string, size int64) error {
		if size < 0 {
			size = 1 << 20
		}
		return w.move(ctx, src, from, to, min(size, streamAbove))
	})
}
