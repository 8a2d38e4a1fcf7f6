package pyramid

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/multiscale"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// state describes a pyramid. Build stores it before the first chunk of a level. Until the
// attributes of the group describe the levels, only builds with the same parameters write chunks of
// the levels. Build then stores it again with Complete set.
//
// Versions identifies the elements of the source and of the variables that its attributes refer to:
// it is a hash of the keys, sizes and versions of all their objects. A listing reports them, so a
// comparison does not read chunks. Versions depend on the store, and the state is not a node, so
// copies of the group do not contain it.
type state struct {
	Version  int      `json:"zargo_pyramid"`
	Source   string   `json:"source"`
	Factor   []int    `json:"factor"`
	Method   string   `json:"method"`
	Levels   int      `json:"levels"`
	Sum      string   `json:"sha256"` // hash of the documents of all levels
	Paths    []string `json:"paths"`  // of the arrays in Versions: the source, and the variables of the levels
	Versions string   `json:"versions,omitempty"`
	Complete bool     `json:"complete,omitempty"`

	// Results are the hashes of the versions of the objects of each level. They are known if
	// Complete is set, and for the first Keep levels. A request of an interrupted build may arrive
	// late and replace an object of a level.
	Results []string `json:"results,omitempty"`

	// Shapes are the shapes of the levels. A build of an earlier version of the source may store a
	// document late.
	Shapes [][]int `json:"shapes,omitempty"`

	// Over means that objects of levels after the first Keep ones may be from an earlier version of
	// the source, so a build skips none of them.
	Over bool `json:"over,omitempty"`
	Keep int  `json:"keep,omitempty"`
}

// stateDir is the directory in the group that contains the states of pyramids. v3 reserves names
// with the prefix "__", so listings of groups skip the directory.
const stateDir = "__zargo_pyramid"

// same reports whether two builds have the same parameters.
func (s state) same(t state) bool {
	return s.Source == t.Source && slices.Equal(s.Factor, t.Factor) && s.Method == t.Method && s.Levels == t.Levels && s.Sum == t.Sum
}

// differs reports whether two states are known to have sources with other elements.
func (s state) differs(t state) bool {
	return s.Versions != "" && t.Versions != "" && s.Versions != t.Versions
}

// stateRecord returns the record of the state of the pyramid of an array.
func (l layout) stateRecord(st store.Store, source string) claimed.Record {
	key := join(join(l.group, stateDir), strings.ReplaceAll(source, "/", ".")+".json")
	return claimed.Record{Store: st, Key: key, Max: maxDocument, Turns: attempts}
}

func (b *builder) stateRecord() claimed.Record { return b.layout.stateRecord(b.st, b.source.Path()) }

// errMoved reports that the metadata of the source changed after the builder had read it.
var errMoved = fault.Newf(fault.Conflict, "the array was changed during the build: build the pyramid again")

// versionsRead is like versions for the arrays that the builder has opened. It returns errMoved if
// the listing has other documents than those that the builder has read.
func (b *builder) versionsRead(ctx context.Context) (string, error) {
	list, err := claimed.Listed(ctx, b.st, b.state.Paths, 0, nil)
	if err != nil || list == nil {
		return "", err
	}
	is := map[string]store.Version{}
	for _, e := range list {
		if isDocument(e.Key) {
			is[e.Key] = e.Version
		}
	}
	for _, v := range b.related.vars {
		s := node.Of(v.array)
		for _, d := range []node.Stored{s.Doc, s.AttrsDoc} {
			if is[d.Key] != d.Version {
				return "", errMoved
			}
		}
	}
	return claimed.Hash(list), nil
}

// readState reads the stored state. It returns a nil state if there is none.
func readState(ctx context.Context, r claimed.Record) (*state, store.Version, error) {
	s := &state{}
	version, found, err := r.Read(ctx, s)
	if err != nil || !found {
		return nil, "", err
	}
	return s, version, nil
}

// put replaces the state old by that of the builder. old is nil if none is stored. In a store
// without versions, the replacement is unconditional.
func (b *builder) put(ctx context.Context, old *state, version store.Version) error {
	_, err := b.stateRecord().Put(ctx, b.state, store.PutOptions{IfVersion: version, IfAbsent: old == nil})
	if errors.Is(err, errors.ErrUnsupported) {
		_, err = b.stateRecord().Put(ctx, b.state, store.PutOptions{})
	}
	return err
}

// enter decides which levels the build keeps, and stores the state. done reports that all levels
// are current.
func (b *builder) enter(ctx context.Context) (done bool, err error) {
	err = b.stateRecord().Retry(func() (err error) {
		done, err = b.once(ctx)
		return err
	})
	return done, err
}

func (b *builder) once(ctx context.Context) (done bool, err error) {
	s := &b.state
	if s.Versions, err = b.versionsRead(ctx); err != nil {
		return false, err
	}
	old, version, err := readState(ctx, b.stateRecord())
	if err != nil {
		return false, err
	}
	unfinished := old != nil && !old.Complete
	stale := old != nil && old.differs(*s)
	switch {
	case unfinished && !old.same(*s) && !(stale && old.Method == s.Method && slices.Equal(old.Factor, s.Factor)):
		return false, b.otherState()
	case unfinished && !stale:
		s.Versions, s.Over, s.Keep, s.Results = old.Versions, old.Over, old.Keep, old.Results
		return false, nil // continue the build
	case stale && old.Levels > len(b.levels):
		return false, fault.Newf(fault.Selection, "the array has changed since its %d levels were made: create at least %d levels", old.Levels, old.Levels)
	}
	// Requests of an earlier build may arrive late, so only objects of the first one are skipped.
	s.Complete, s.Over, s.Keep, s.Results = false, old != nil, 0, nil
	b.first = old == nil
	if !unfinished {
		if err := b.inspect(ctx, stale, old); err != nil {
			// The objects may be from a build that began after once has read the state.
			if now, v, again := readState(ctx, b.stateRecord()); again == nil && now != nil && v != version {
				return false, claimed.ErrChanged
			}
			return false, err
		}
		if s.Keep == len(b.levels) {
			return true, nil
		}
	}
	return false, b.put(ctx, old, version)
}

// inspect sets Keep and Over of the state from the stored levels. stale means that the source has
// changed since they were made. The levels after one that is missing, or whose objects were
// changed, are not current either. inspect returns fault.Exists if objects that no build made are
// in the place of a level.
func (b *builder) inspect(ctx context.Context, stale bool, old *state) error {
	var top *zarr.Group
	for i, u := range b.levels {
		var proven, is, ours bool // proven: a listing has proven that no object is stored
		var objects, err error
		if old == nil {
			proven, objects = b.empty(ctx, u.array.Path())
		}
		if !proven {
			is, err = u.stored(ctx, b.st, b.opts)
		}
		if is || errors.Is(err, fault.Exists) {
			if top == nil { // not as first opened: a concurrent build may have described the level since
				var failed error
				if top, failed = b.top(ctx); failed != nil {
					return failed
				}
			}
			ours = multiscale.HasLevel(top.Attrs(), b.described, i+1)
		}
		switch {
		case errors.Is(err, fault.Exists) && ours && stale: // the attributes of the source have changed too
		case err != nil:
			return err
		case is && !ours:
			return fault.Newf(fault.Exists, "the array %q is stored, but the group does not describe it as a level with the method %v: remove it first", u.array.Path(), b.o.Method)
		case is && !stale && b.state.Keep == i:
			keep := true
			if old != nil {
				if keep, err = intact(ctx, b.st, b.layout, *old, i+1, 0); err != nil {
					return err
				}
			}
			if !keep {
				b.state.Over = true
				continue
			}
			b.state.Keep++
			if old != nil && i < len(old.Results) {
				b.state.Results = old.Results[:i+1]
			}
		case is:
			b.state.Over = true
		case stale:
		case old == nil:
			if objects != nil {
				return objects
			}
		default:
			if _, err := b.empty(ctx, u.array.Path()); err != nil {
				return err
			}
		}
	}
	return nil
}

// over reports whether the objects of a level may be from an earlier version of the source.
func (b *builder) over(level int) bool { return b.state.Over && level > b.state.Keep }

// hide removes the documents of a node whose elements are replaced, so that no reader finds it
// until it is complete.
func (b *builder) hide(ctx context.Context, path string) error {
	for _, name := range []string{"zarr.json", ".zarray", ".zattrs"} {
		err := b.st.Delete(ctx, join(path, name), store.DeleteOptions{})
		if err != nil && !errors.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

// begin reports whether the documents of a node are stored. In a level whose objects may be from an
// earlier version of the source, it hides the node instead.
func (b *builder) begin(ctx context.Context, level int, u unpublished) (stored bool, err error) {
	b.made[u.array.Path()] = u.array
	if b.over(level) {
		return false, b.hide(ctx, u.array.Path())
	}
	if b.first && level > b.state.Keep && u.array == b.levels[level-1].array {
		// inspect found no node before the state was stored. Builds store only this document since.
		if _, err := b.st.Get(ctx, u.docs.Last(), store.GetOptions{Max: maxDocument}, nil); errors.Is(err, fault.NotFound) {
			return false, nil
		}
	}
	if stored, err = u.stored(ctx, b.st, b.opts); stored && level > b.state.Keep {
		b.record.documents(u.docs.Texts)
	}
	return stored, err
}

// publish stores the documents of an array, and records them.
func (b *builder) publish(ctx context.Context, u unpublished) error {
	for _, key := range u.docs.Ordered() {
		if err := u.docs.Put(ctx, key); err != nil {
			return err
		}
	}
	b.record.documents(u.docs.Texts)
	return nil
}

// forget stores that no build must skip objects of the levels, because some were replaced, and
// returns the reason.
func (b *builder) forget(ctx context.Context, reason error) error {
	old, version, err := readState(ctx, b.stateRecord())
	if err != nil || old == nil || old.Complete || !old.same(b.state) || old.differs(b.state) {
		return cmp.Or(err, reason) // of another build, or the hashes in it find replaced objects
	}
	b.state.Over, b.state.Keep, b.state.Results = true, 0, nil
	return cmp.Or(b.put(ctx, old, version), reason)
}

func (b *builder) otherState() error {
	return fault.Newf(fault.Conflict, "an unfinished pyramid of the array has other parameters: build it with the same ones, or remove its levels and the object %q", b.stateRecord().Key)
}

// finish checks that the levels are those of the source, and stores that the pyramid is complete.
func (b *builder) finish(ctx context.Context) error {
	return b.stateRecord().Retry(func() error {
		b.state.Complete = false // a concurrent build may have changed the state
		old, version, err := b.unchanged(ctx)
		if err == nil {
			err = b.announce(ctx)
		}
		if err != nil || old.Complete && slices.Equal(old.Results, b.state.Results) {
			return err // or complete by a concurrent build with the same parameters
		}
		b.state.Complete = true
		return b.put(ctx, old, version)
	})
}

// unchanged checks that the source and the state are those of the beginning of the build, and that
// the levels have the objects of this build. Otherwise the levels may contain elements of several
// versions of the source. It returns the stored state and its version.
func (b *builder) unchanged(ctx context.Context) (*state, store.Version, error) {
	replaced := b.results(ctx)
	if replaced != nil && !errors.Is(replaced, errReplaced) {
		return nil, "", replaced
	}
	now, err := claimed.Versions(ctx, b.st, b.state.Paths, 0)
	if err != nil {
		return nil, "", err
	}
	old, version, err := readState(ctx, b.stateRecord())
	switch {
	case err != nil:
		return nil, "", err
	case old == nil || !old.same(b.state) || old.differs(b.state):
		return nil, "", fault.Newf(fault.Conflict, "another build of the pyramid began after a change of the array")
	case b.state.differs(state{Versions: now}):
		return nil, "", errMoved
	case old.Over && (!b.state.Over || old.Keep < b.state.Keep):
		return nil, "", errReplaced // another build found it, in levels that this one may have skipped
	case replaced != nil:
		// The next build must not skip the objects.
		b.state.Over, b.state.Keep, b.state.Results = true, 0, nil
		return nil, "", cmp.Or(b.put(ctx, old, version), replaced)
	}
	return old, version, nil
}
