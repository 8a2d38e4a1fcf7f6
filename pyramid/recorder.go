package pyramid

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// recorder is a store that records the objects that a build stores and deletes. Another build, or a
// late request of an interrupted one, may replace them with elements of an earlier version of the
// source; see [builder.result].
//
// It also checks what a build reads of the previous level: another process may remove or replace
// objects of that level while the build computes the next one from it.
type recorder struct {
	store.Forward
	mu     sync.Mutex
	puts   map[string]recorded // by key
	level  checked             // the level that the build reads
	values map[string][]byte   // values of objects that this build has put, by key
	room   int64               // bytes that values may still grow
	bad    error               // the first error of a check
}

// recorded is the last change of an object by a build.
type recorded struct {
	version store.Version
	sum     [sha256.Size]byte // of the value
	parts   bool              // the value was put in parts, so its sum is unknown
	gone    bool              // the object was deleted
	skipped bool              // another build had stored the object, with any version
}

func (r *recorder) note(key string, n recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.puts[key] = n
	r.drop(key)
}

// drop removes a kept value. The caller holds r.mu.
func (r *recorder) drop(key string) {
	r.room += int64(len(r.values[key]))
	delete(r.values, key)
}

// keep keeps the value of an object that the build will read to compute the next level. At the end
// of the build, [builder.result] compares the stored objects with the ones that were put.
func (r *recorder) keep(key string, value []byte, version store.Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := int64(len(value)); version == r.puts[key].version && n <= r.room && !isDocument(key) {
		r.values[key] = bytes.Clone(value)
		r.room -= n
	}
}

// reread returns the part of a kept value that a get requests.
func (r *recorder) reread(key string, o store.GetOptions, buf []byte) (v store.Value, ok bool) {
	r.mu.Lock()
	value, ok := r.values[key]
	v.Version, v.Size = r.puts[key].version, int64(len(value))
	r.mu.Unlock()
	off, n, err := o.Range.Resolve(v.Size)
	if !ok || err != nil || o.Max > 0 && n > o.Max || o.IfNotVersion != "" || o.IfVersion != "" && o.IfVersion != v.Version {
		return v, false
	}
	v.Bytes = append(buf, value[off:off+n]...)
	return v, true
}

// skip records that the build does not store an object, because another one has stored it.
func (r *recorder) skip(key string) { r.note(key, recorded{skipped: true}) }

// Put implements [store.Store].
func (r *recorder) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	v, err := r.Forward.Put(ctx, key, value, o)
	if err == nil {
		r.note(key, recorded{version: v, sum: sha256.Sum256(value)})
		r.keep(key, value, v)
	}
	return v, err
}

// Delete implements [store.Store].
func (r *recorder) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	err := r.Forward.Delete(ctx, key, o)
	if err == nil {
		r.note(key, recorded{gone: true})
	}
	return err
}

// PutParts implements [store.PartPutter].
func (r *recorder) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p, err := r.Forward.PutParts(ctx, key, o)
	if err != nil {
		return nil, err
	}
	return &recordedParts{p, r, key}, nil
}

type recordedParts struct {
	store.Parts
	r   *recorder
	key string
}

// Commit implements [store.Parts].
func (p *recordedParts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	v, err := p.Parts.Commit(ctx, o)
	if err == nil {
		p.r.note(p.key, recorded{version: v, parts: true})
	}
	return v, err
}

// checked is a level whose objects are checked when they are read.
type checked struct {
	next   string // the prefix of the keys of the level that the build computes
	prefix string // of the keys of the checked level; "" checks nothing
	// kept contains the versions of the objects if an earlier build made the level, by key.
	kept map[string]store.Version
	over bool // the build has stored each object of the level; see [state.Over]
}

// errRemoved reports that objects of a level are missing.
var errRemoved = fault.Newf(fault.Conflict, "another process removed objects of the levels during the build: build the pyramid again")

// documents records that documents are stored, unless this build has put them.
func (r *recorder) documents(texts map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, doc := range texts {
		if sum := sha256.Sum256([]byte(doc)); r.puts[key].sum != sum {
			r.puts[key] = recorded{sum: sum}
		}
	}
}

// found records that another build has stored an object, unless this one has changed it.
func (r *recorder) found(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.puts[key]; !ok {
		r.puts[key] = recorded{skipped: true}
	}
}

// check has all following reads of objects of a level checked. It drops the values of other levels.
func (r *recorder) check(level checked) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.level = level
	for key := range r.values {
		if !strings.HasPrefix(key, level.prefix) {
			r.drop(key)
		}
	}
}

// Get implements [store.Store]. For an object of the checked level, it returns errRemoved or
// errReplaced if the object is not the one that the build has stored or found, or one with an equal
// value.
func (r *recorder) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	r.mu.Lock()
	level, bad := r.level, r.bad
	r.mu.Unlock()
	if level.prefix == "" || !strings.HasPrefix(key, level.prefix) || isDocument(key) {
		v, err := r.Forward.Get(ctx, key, o, buf)
		if err == nil && level.next != "" && strings.HasPrefix(key, level.next) && !isDocument(key) {
			r.found(key)
		}
		return v, err
	}
	if bad != nil {
		return store.Value{}, bad // the reader of a shard repeats reads that conflict
	}
	if v, ok := r.reread(key, o, buf); ok {
		return v, nil
	}
	for attempt := 1; ; attempt++ {
		v, err := r.Forward.Get(ctx, key, o, buf)
		if err != nil && !errors.Is(err, fault.NotFound) {
			return v, err
		}
		again, bad := r.compare(ctx, level, key, o, v, len(buf), err != nil)
		switch {
		case bad == nil && !again:
			return v, err
		case bad == nil && attempt < attempts:
			continue
		case bad == nil:
			bad = errReplaced
		}
		if errors.Is(bad, fault.Conflict) {
			r.mu.Lock()
			r.bad = bad
			r.mu.Unlock()
		}
		return store.Value{}, bad
	}
}

// compare compares an object that was read with the recorded one. The read bytes begin at index
// before of v.Bytes. missing means that there is no object. again means that another build
// replaced the object by an equal one, and that the part v must be read again.
func (r *recorder) compare(ctx context.Context, level checked, key string, o store.GetOptions, v store.Value, before int, missing bool) (again bool, err error) {
	r.mu.Lock()
	is, ok := r.puts[key]
	r.mu.Unlock()
	kept, listed := level.kept[key]
	switch {
	case missing && (listed || ok && !is.gone):
		return false, errRemoved
	case missing, v.Version == "":
		return false, nil
	case ok && v.Version == is.version, listed && v.Version == kept:
		return false, nil
	case level.kept != nil, level.over && !ok, is.gone, is.parts:
		return false, errReplaced
	case !ok, is.skipped:
		return false, nil // the builds with these parameters store equal objects
	}
	whole := store.Value{Version: v.Version}
	if o.Range.IsWhole() {
		whole.Bytes = v.Bytes[before:]
	} else {
		whole, err = r.Forward.Get(ctx, key, store.GetOptions{}, nil)
		if errors.Is(err, fault.NotFound) {
			err = errRemoved
		}
		if err != nil {
			return false, err
		}
	}
	if sha256.Sum256(whole.Bytes) != is.sum {
		return false, errReplaced
	}
	r.note(key, recorded{version: whole.Version, sum: is.sum})
	return whole.Version != v.Version, nil
}
