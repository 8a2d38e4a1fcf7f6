package validate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/copying/alike"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Copy is another copy of a node. A repair restores damaged objects from it.
type Copy struct {
	Store store.Store
	Path  string        // path in Store of the node that is repaired
	Open  []zarr.Option // options to open its nodes
}

// restoring is the number of objects that are restored concurrently. Each of them takes several
// requests in sequence, and memory of a few times maxHeld.
const restoring = 8

// pair is an array and its counterpart in the copy.
type pair struct {
	mine, theirs *pinned
	ours, other  *zarr.Array
	same         bool // both arrays encode alike, so stored objects can be copied
	err          error
}

// restorer holds the state shared by the restores of objects.
type restorer struct {
	mu    sync.Mutex
	pairs map[string]func() *pair // by path
	long  concurrency.KeyedMutex  // held while a large object is restored
}

// other returns the path in the copy of the node at path.
func (p *repair) other(path string) string {
	return join(p.opts.From.Path, name(p.root, path))
}

// pair returns the array at path and its counterpart in the copy. It opens both on the first call.
func (p *repair) pair(ctx context.Context, path string) *pair {
	p.restorer.mu.Lock()
	f := p.restorer.pairs[path]
	if f == nil {
		f = sync.OnceValue(func() *pair { return p.newPair(ctx, path) })
		p.restorer.pairs[path] = f
	}
	p.restorer.mu.Unlock()
	return f()
}

func (p *repair) newPair(ctx context.Context, path string) *pair {
	x := &pair{mine: newPinned(p.st), theirs: newPinned(p.opts.From.Store)}
	if x.ours, x.err = openQuietly(ctx, x.mine, path, p.opts.Open); x.err != nil {
		return x
	}
	if x.other, x.err = openQuietly(ctx, x.theirs, p.other(path), p.opts.From.Open); x.err != nil {
		x.err = fmt.Errorf("reading the copy: %w", x.err)
		return x
	}
	a, b := x.ours, x.other
	switch x.same = alike.Encoding(b, a); {
	case x.same:
	case !slices.Equal(a.Shape(), b.Shape()):
		x.err = errLeft(fmt.Sprintf("the copy has shape %v and this array has shape %v, and they encode chunks differently", b.Shape(), a.Shape()))
	case !alike.Type(a.DType(), b.DType()):
		x.err = errLeft(fmt.Sprintf("the copy has data type %v, but this array has data type %v", b.DType(), a.DType()))
	case (a.Fill() == nil) != (b.Fill() == nil) || !bytes.Equal(a.Fill(), b.Fill()):
		x.err = errLeft("the copy has a different fill value")
	}
	return x
}

// openQuietly opens an array from its documents and discards the findings.
func openQuietly(ctx context.Context, st store.Store, path string, opts []zarr.Option) (*zarr.Array, error) {
	return zarr.OpenArray(ctx, st, path, slices.Concat(opts, []zarr.Option{zarr.IgnoreConsolidated(), zarr.OnFinding(func(rule.Finding) {})})...)
}

// restore replaces a damaged object by an object from the copy and returns a description of the
// repair. In a dry run it replaces nothing.
func (p *repair) restore(ctx context.Context, d damaged) (string, error) {
	x := p.pair(ctx, d.path)
	if x.err != nil {
		return "", x.err
	}
	whole := layoutOf(x.ours).box(d.coord)
	if bytesOf(x.ours, whole) > maxHeld {
		lock, err := p.restorer.long.Lock(ctx, "")
		if err != nil {
			return "", err
		}
		defer lock.Unlock()
	}
	hold, err := p.opts.Limits.Bytes.Acquire(ctx, concurrency.Block, x.need(whole))
	if err != nil {
		return "", err
	}
	defer hold.Release()
	was, err := x.mine.look(ctx, d.key)
	if err != nil {
		return "", err
	}
	defer x.mine.forget(d.key)
	good, err := x.damage(ctx, d, was, whole)
	if err != nil {
		return "", err
	}
	from, with, what, err := x.find(ctx, d, whole)
	if err != nil {
		return "", err
	}
	if x.same {
		defer x.theirs.forget(with.key)
	}
	if err := x.compare(ctx, good); err != nil {
		return "", err
	}
	if p.opts.DryRun {
		_, err = was.condition()
	} else {
		err = p.replace(ctx, was, from, with)
	}
	return what, err
}

// need returns the memory required to restore an object. It consists of twice maxHeld for each of
// the two objects, and the elements of two parts that are compared. If the object is encoded again,
// its elements are needed three times instead.
func (x *pair) need(whole walk.Box) int64 {
	elements, most, times := bytesOf(x.ours, whole), int64(maxWhole), int64(2)
	if !x.same {
		most, times = concurrency.Memory()/4, 3
	}
	return 4*maxHeld + times*min(elements, most)
}

// damage decodes an object to check that it is still damaged, and returns the parts of a damaged
// shard that are readable. If the object is not damaged, damage returns an error.
func (x *pair) damage(ctx context.Context, d damaged, was snapshot, whole walk.Box) (good []walk.Box, err error) {
	if !was.there {
		if d.rule == rule.MissingChunk {
			return nil, nil
		}
		return nil, errLeft("the object no longer exists")
	}
	var broken error
	for part := range partsOf(x.ours, whole) {
		err := decodes(ctx, x.ours, part)
		switch {
		case err == nil:
			good = append(good, part)
			continue
		case !errors.Is(err, fault.Corrupt) || fatal(ctx, err):
			return nil, err
		}
		broken = err
		if !x.ours.Sharded() {
			break
		}
		if _, _, bad := x.ours.CountStored(ctx, d.coord...); bad != nil {
			if fatal(ctx, bad) {
				return nil, bad
			}
			break // the index is bad
		}
		for inner := range part.Parts(x.ours.Chunks()) {
			err := decodes(ctx, x.ours, inner)
			if err == nil {
				good = append(good, inner)
			} else if fatal(ctx, err) {
				return nil, err
			}
		}
	}
	if broken == nil {
		return nil, errLeft("the object can be decoded now")
	}
	return good, nil
}

// partsOf yields the parts of an object that are decoded one after another.
func partsOf(a *zarr.Array, whole walk.Box) iter.Seq[walk.Box] {
	if a.Sharded() {
		return whole.Parts(partOf(a, whole))
	}
	return func(yield func(walk.Box) bool) { yield(whole) }
}

// find returns the replacement for a damaged object and a description of the repair. If both arrays
// encode alike, the replacement is the copy's stored object. Otherwise it is encoded from the
// copy's values. In both cases find first decodes everything that the copy stores for the object.
func (x *pair) find(ctx context.Context, d damaged, whole walk.Box) (from store.Store, with snapshot, what string, err error) {
	if !x.same {
		with, err = x.encode(ctx, d, whole)
		return nil, with, fmt.Sprintf("restore: encode %d elements of %q in %s as %d bytes", whole.Len(), x.other.Path(), x.theirs, with.size), err
	}
	for i, n := range x.other.GridShape() {
		if d.coord[i] >= n {
			return nil, snapshot{}, "", errLeft("the copy is smaller and does not have this chunk")
		}
	}
	if layoutOf(x.other).box(d.coord).String() != whole.String() {
		return nil, snapshot{}, "", errLeft("the copy has another shape and stores another part of the chunk")
	}
	key := x.other.ChunkKey(d.coord...)
	with, err = x.theirs.look(ctx, key)
	switch {
	case err != nil:
		return nil, snapshot{}, "", fmt.Errorf("reading the copy: %w", err)
	case !with.there:
		return nil, snapshot{}, "", errLeft(fmt.Sprintf("the copy has no %q either", key))
	}
	if err := x.verify(ctx, whole); err != nil {
		x.theirs.forget(key)
		return nil, snapshot{}, "", err
	}
	return x.theirs.Store, with, fmt.Sprintf("restore: %d bytes of %q in %s", with.size, key, x.theirs), nil
}

// verify decodes everything that the copy stores for an object.
func (x *pair) verify(ctx context.Context, whole walk.Box) error {
	for part := range partsOf(x.other, whole) {
		if err := decodes(ctx, x.other, part); err != nil {
			return fmt.Errorf("reading the copy: %w", err)
		}
	}
	return nil
}

// encode encodes the replacement for an object from the copy's values, which the copy stores in
// other chunks or with other codecs.
func (x *pair) encode(ctx context.Context, d damaged, whole walk.Box) (snapshot, error) {
	if most := min(concurrency.Memory()/4, x.ours.ChunkLimit()); bytesOf(x.ours, whole) > most {
		return snapshot{}, fault.Newf(fault.Limit, "the copy has other codecs, and the object has %d bytes of elements, more than the %d that can be encoded again", bytesOf(x.ours, whole), most)
	}
	if err := x.stored(ctx, whole); err != nil {
		return snapshot{}, err
	}
	st := mem.New()
	for _, doc := range node.Of(x.ours).StoredDocuments() {
		if _, err := st.Put(ctx, doc.Key, doc.Bytes, store.PutOptions{}); err != nil {
			return snapshot{}, err
		}
	}
	a, err := openQuietly(ctx, st, x.ours.Path(), append(x.ours.Options(), zarr.StoreFill()))
	if err != nil {
		return snapshot{}, err
	}
	if err := x.verify(ctx, whole); err != nil { // a read may skip stored bytes that it does not need
		return snapshot{}, err
	}
	v, err := read(ctx, x.other, whole)
	if err != nil {
		return snapshot{}, fmt.Errorf("reading the copy: %w", err)
	}
	if v.items != nil {
		err = a.WriteItems(ctx, v.items, selections(whole)...)
	} else {
		err = a.WriteBytes(ctx, v.bytes, selections(whole)...)
	}
	if err != nil {
		return snapshot{}, err
	}
	made, err := st.Get(ctx, d.key, store.GetOptions{}, []byte{})
	return snapshot{key: d.key, there: true, size: made.Size, bytes: made.Bytes}, err
}

// stored checks that the copy stores the chunks that an object is encoded from. It requires all of
// them if the fill value is null, and otherwise at least one. If the copy stores none, it may be
// incomplete.
func (x *pair) stored(ctx context.Context, whole walk.Box) error {
	found := false
	for at := range walk.Overlapping(x.other, whole).Positions() {
		key := x.other.ChunkKey(at...)
		_, err := x.theirs.Get(ctx, key, store.GetOptions{Range: store.Within(0, 1)}, nil)
		switch {
		case err == nil:
			found = true
		case !errors.Is(err, fault.NotFound):
			return fmt.Errorf("reading the copy: %w", err)
		case x.other.Fill() == nil:
			return errLeft(fmt.Sprintf("the copy has no %q either", key))
		}
		if found && x.other.Fill() != nil {
			break
		}
	}
	if !found {
		return errLeft("the copy does not store its elements either")
	}
	return nil
}

// compare checks that the readable parts of a damaged shard have the same values in the copy. If
// they differ, the copy is of other data, and replacing the shard would lose its readable values.
func (x *pair) compare(ctx context.Context, good []walk.Box) error {
	for _, b := range good {
		v, err := read(ctx, x.ours, b)
		if err != nil {
			return err
		}
		w, err := read(ctx, x.other, b)
		if err != nil {
			return fmt.Errorf("reading the copy: %w", err)
		}
		if !bytes.Equal(v.bytes, w.bytes) || !slices.EqualFunc(v.items, w.items, bytes.Equal) {
			return errLeft(fmt.Sprintf("the readable elements %v differ in the copy, so it is not a copy of this data", b))
		}
	}
	return nil
}

// elements holds the elements of a region, in bytes, or in items if their length varies.
type elements struct {
	bytes []byte
	items [][]byte
}

func read(ctx context.Context, a *zarr.Array, b walk.Box) (v elements, err error) {
	if size := a.DType().Size(); size > 0 {
		v.bytes = make([]byte, b.Len()*size)
		return v, a.ReadBytes(ctx, v.bytes, selections(b)...)
	}
	v.items, err = a.ReadItems(ctx, selections(b)...)
	return v, err
}

// bytesOf returns the memory that the elements of a box take. Elements of varying length count as 64
// bytes each, since their lengths are unknown.
func bytesOf(a *zarr.Array, b walk.Box) int64 {
	size := int64(a.DType().Size())
	if size == 0 {
		size = 64
	}
	return min(b.Bytes(size), 1<<62)
}
