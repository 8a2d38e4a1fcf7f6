package upkeep

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// KeyLayout says under which keys reads and writes look for an array's chunks, and under which ones
// there are chunks.
type KeyLayout struct {
	Separator string // between the numbers of the chunk keys that reads and writes use: "." or "/"
	Stated    bool   // the metadata says it; else it is the specification's default or the option Separator
	Looked    bool   // false where there is only one layout: v3, and v2 with fewer than two axes
	Flat      bool   // there are chunks under keys like 0.0
	Nested    bool   // there are chunks under keys like 0/0
}

// Other is the separator of chunks that are there and that reads do not look for; "" when none was
// seen. Unless Stated, an array opened with Separator(l.Other()) reads them.
func (l KeyLayout) Other() string {
	switch {
	case l.Separator == "." && l.Nested:
		return "/"
	case l.Separator == "/" && l.Flat:
		return "."
	}
	return ""
}

// Mixed reports that there are chunks of both layouts. Reads and writes use those of one.
func (l KeyLayout) Mixed() bool { return l.Flat && l.Nested }

// String says it in one line, for people.
func (l KeyLayout) String() string {
	layouts := map[string]string{".": "flat (0.0)", "/": "nested (0/0)"}
	used, other := layouts[l.Separator], layouts[l.Other()]
	switch {
	case !l.Looked:
		return "chunk keys have one layout"
	case l.Mixed() && l.Stated:
		return fmt.Sprintf("chunks are both flat (0.0) and nested (0/0); %s ones are used, as the metadata says", used)
	case l.Mixed():
		return fmt.Sprintf("chunks are both flat (0.0) and nested (0/0), and the metadata does not say which; %s ones are used", used)
	case other != "" && l.Stated:
		return fmt.Sprintf("chunks are %s, but the metadata says %s", other, used)
	case other != "":
		return fmt.Sprintf("chunks are %s, which the metadata does not say; %s ones are looked for", other, used)
	case l.Flat || l.Nested:
		return fmt.Sprintf("chunks are %s, as they are looked for", used)
	}
	return fmt.Sprintf("no chunks were seen; %s ones are looked for", used)
}

// CheckKeys looks in the store under which keys a v2 array has its chunks. It is for arrays whose
// chunks seem to be missing, say when a read's [zarr.Report] counts as many Missing as Chunks: old
// writers nested them without saying so (see [zarr.Separator]), others said so without nesting
// them. Reads never look by themselves, and what is found is never applied.
//
// It costs a listing of one level, and one of the first folder of chunks, of each the first 1000
// entries: one key of a layout proves it, and what comes later is not seen. A store that cannot
// list is asked for the first chunk under both of its keys. An array of v3 or of fewer than two
// dimensions costs nothing. Errors are the store's.
func CheckKeys(ctx context.Context, a *zarr.Array) (KeyLayout, error) {
	of := hierarchy.SourceOf(a)
	m := of.Model.(*meta.Array)
	l := KeyLayout{Separator: a.Metadata().Keys.Separator, Stated: !m.NoSeparator, Looked: m.Format == 2 && len(m.Shape) > 1}
	if !l.Looked {
		return l, nil
	}
	err := l.list(ctx, of.At, len(m.Shape))
	if errors.Is(err, errors.ErrUnsupported) {
		err = l.probe(ctx, of.At, len(m.Shape))
	}
	if err != nil {
		return KeyLayout{}, errorf(of.At, err)
	}
	return l, nil
}

// list looks for chunk keys in listings.
func (l *KeyLayout) list(ctx context.Context, at *document.Node, rank int) error {
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
	if entries == document.PageSize && folder == "" {
		folder = "0" // its flat neighbours 0.0, 0.1, … come before it and may have filled the listing
	}
	if err != nil || folder == "" {
		return err
	}
	return at.First(ctx, folder, store.ListOptions{}, func(_ store.Entry, name string) bool {
		l.Nested = isChunk(name, "/", rank)
		return !l.Nested
	})
}

// probe asks for the first chunk under both of its keys.
func (l *KeyLayout) probe(ctx context.Context, at *document.Node, rank int) error {
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
