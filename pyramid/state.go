package pyramid

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// stateDir is the directory in the group that contains the states of unfinished pyramids. v3
// reserves names with the prefix "__", so listings of groups skip the directory.
const stateDir = "__zargo_pyramid"

// state describes an unfinished pyramid. Build stores it before the first chunk of a level, and
// removes it after the attributes of the group describe the levels. While it is stored, only builds
// with the same parameters write chunks of the levels.
type state struct {
	Version int    `json:"zargo_pyramid"`
	Source  string `json:"source"`
	Factor  []int  `json:"factor"`
	Method  string `json:"method"`
	Levels  int    `json:"levels"`
	Sum     string `json:"sha256"` // hash of the documents of all levels
}

func (b *builder) stateKey() string {
	return join(join(b.layout.group, stateDir), strings.ReplaceAll(b.source.Path(), "/", ".")+".json")
}

// enter stores the state. If no build with the same parameters has stored it, enter calls free
// first, which checks that no objects are stored below the levels. After enter, all chunks of the
// levels are from builds with the same parameters.
func (b *builder) enter(ctx context.Context, free func() error) error {
	doc, err := json.Marshal(b.state)
	if err != nil {
		return err
	}
	found, err := b.entered(ctx, doc)
	if err != nil || found {
		return err
	}
	if err := free(); err != nil {
		// The objects may be from a build that started after entered has read the state. If that
		// build is complete, it has removed its state.
		if found, again := b.entered(ctx, doc); again != nil || found {
			return again
		}
		if err := free(); err != nil {
			return err
		}
	}
	stored, err := putAbsent(ctx, b.st, b.stateKey(), doc)
	if err == nil && string(stored) != string(doc) {
		err = b.otherState()
	}
	return err
}

// entered reports whether the state is stored. It returns fault.Conflict if a state with other
// parameters is stored.
func (b *builder) entered(ctx context.Context, doc []byte) (bool, error) {
	v, err := b.st.Get(ctx, b.stateKey(), store.GetOptions{Max: maxDocument}, nil)
	switch {
	case errors.Is(err, fault.NotFound):
		return false, nil
	case err == nil && string(v.Bytes) != string(doc):
		return false, b.otherState()
	}
	return err == nil, err
}

func (b *builder) otherState() error {
	return fault.Newf(fault.Conflict, "an unfinished pyramid of the array has other parameters: build it with the same ones, or remove its levels and the object %q", b.stateKey())
}

// leave removes the state.
func (b *builder) leave(ctx context.Context) error {
	err := b.st.Delete(ctx, b.stateKey(), store.DeleteOptions{})
	if err != nil && !errors.Is(err, fault.NotFound) {
		return err
	}
	_ = store.RemoveFolders(ctx, b.st, join(b.layout.group, stateDir)) // not empty if other pyramids are unfinished
	return nil
}
