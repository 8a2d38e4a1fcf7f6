package upkeep

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// KeyLayout describes which chunk keys an array uses for reads and writes, and which layouts the
// chunk keys in the store have.
type KeyLayout struct {
	Separator string // between the indices in the chunk keys of reads and writes: "." or "/"
	Stated    bool   // the metadata declares Separator; otherwise it is the default or the option zarr.Separator
	Looked    bool   // whether the store was searched; false if only one layout is possible: v3, and v2 with fewer than two dimensions
	Flat      bool   // a chunk is stored under a key like 0.0
	Nested    bool   // a chunk is stored under a key like 0/0
}

// Other returns the separator in the keys of stored chunks that reads do not find, or "" if there
// are no such chunks. Unless Stated is set, these chunks can be read by opening the array with the
// option Separator(l.Other()).
func (l KeyLayout) Other() string {
	switch {
	case l.Separator == "." && l.Nested:
		return "/"
	case l.Separator == "/" && l.Flat:
		return "."
	}
	return ""
}

// Mixed reports whether chunks of both layouts are stored. Reads and writes use only one layout.
func (l KeyLayout) Mixed() bool { return l.Flat && l.Nested }

// String describes the layout in one line.
func (l KeyLayout) String() string {
	layouts := map[string]string{".": "flat (0.0)", "/": "nested (0/0)"}
	used, other := layouts[l.Separator], layouts[l.Other()]
	switch {
	case !l.Looked:
		return "chunk keys have one layout"
	case l.Mixed() && l.Stated:
		return fmt.Sprintf("chunks are both flat (0.0) and nested (0/0); %s ones are used, as the metadata declares", used)
	case l.Mixed():
		return fmt.Sprintf("chunks are both flat (0.0) and nested (0/0), and the metadata declares neither; %s ones are used", used)
	case other != "" && l.Stated:
		return fmt.Sprintf("chunks are %s, but the metadata declares %s", other, used)
	case other != "":
		return fmt.Sprintf("chunks are %s, but the metadata declares no layout; %s ones are used", other, used)
	case l.Flat || l.Nested:
		return fmt.Sprintf("chunks are %s, as reads expect", used)
	}
	return fmt.Sprintf("no chunks were found; %s ones are used", used)
}

// CheckKeys detects the key layouts of the stored chunks of a v2 array. Use it for an array whose
// chunks seem to be missing, for example when the [zarr.Report] of a read counts as many Missing as
// Chunks. Some old writers nested chunks although the metadata declares no nesting (see
// [zarr.Separator]). Others declared nesting but wrote flat keys. Reads never check the layout, and
// CheckKeys does not change how a is read.
//
// CheckKeys lists the array's directory and the first directory of chunks in it, each up to 1000
// entries. One key suffices to detect a layout, but keys after the first 1000 entries are not seen.
// If the store cannot list, CheckKeys requests the first chunk under both of its keys instead. An
// array of v3 or of fewer than two dimensions costs no request. Errors are those of the store.
func CheckKeys(ctx context.Context, a *zarr.Array) (KeyLayout, error) {
	of := node.Of(a)
	m := of.Model.(*meta.Array)
	l := KeyLayout{Separator: a.Metadata().Keys.Separator, Stated: !m.NoSeparator, Looked: m.Format == 2 && len(m.Shape) > 1}
	if !l.Looked {
		return l, nil
	}
	err := l.list(ctx, of, len(m.Shape))
	if errors.Is(err, errors.ErrUnsupported) {
		err = l.probe(ctx, of, len(m.Shape))
	}
	if err != nil {
		return KeyLayout{}, of.Errorf(err)
	}
	return l, nil
}

// list detects the key layouts by listing chunk keys.
func (l *KeyLayout) list(ctx context.Context, at *node.Node, rank int) error {
	folder, entries := "", 0
	isChunk := func(key, sep string, rank int) bool {
		_, ok := meta.KeyEncoding{Name: "v2", Separator: sep}.Parse(key, rank)
		return ok
	}
	err := at.First(ctx, "", store.ListOptions{Depth: store.OneLevel}, func(e store.Entry, name string) bool {
		entries++
		if !e.Dir {
			l.Flat = l.Flat || isChunk(name, ".", rank)
		} else if folder == "" && isChunk(name, "/", 1) {
			folder = name
		}
		return !l.Flat || folder == ""
	})
	if entries == node.PageSize && folder == "" {
		folder = "0" // the flat keys 0.0, 0.1, … sort before it and may have filled the page
	}
	if err != nil || folder == "" {
		return err
	}
	return at.First(ctx, folder, store.ListOptions{}, func(_ store.Entry, name string) bool {
		l.Nested = isChunk(name, "/", rank)
		return !l.Nested
	})
}

// probe detects the key layouts by requesting the first chunk under both of its keys.
func (l *KeyLayout) probe(ctx context.Context, at *node.Node, rank int) error {
	first := make([]int, rank)
	for sep, seen := range map[string]*bool{".": &l.Flat, "/": &l.Nested} {
		_, err := at.Probe(ctx, at.Key(meta.KeyEncoding{Name: "v2", Separator: sep}.Key(first)))
		if err != nil && !errors.Is(err, fault.NotFound) {
			return err
		}
		*seen = err == nil
	}
	return nil
}
