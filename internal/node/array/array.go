package array

import (
	"context"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/account"
	chunkcache "github.com/zargo-io/zargo/internal/chunk/cache"
	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Array is an opened array, or a view of one.
type Array struct {
	At     *node.Node
	Cfg    Options
	Meta   *meta.Array
	Pipe   *pipeline.Pipeline // codecs of one stored object: a chunk or a shard
	Engine *engine.Array
	Shared *Shared
	Shards func(coord []int) *engine.ShardWriter // open shards to write to; nil: write to the store
}

// Shared is the state that all views of one opened array share.
type Shared struct {
	engine engine.State
	copies node.Copies
}

// Options are the options of an array.
type Options struct {
	node.Options
	Limits      *concurrency.Limits
	InFlight    int
	MaxRequests int
	MaxBytes    int64
	Guard       engine.Guard // checks the claim before writes; nil: no claim
	Cache       *cache.Cache // of decoded chunks; nil: no cache
	Own         *codec.Table // a table of the caller, with whose chunks only the caller shares a cache
}

// New returns the array of an opened node, with the node.Options of the node.
func New(at *node.Node, o Options) *Array { return View(at, o, &Shared{}) }

// View is like New, for another view of an opened array.
func View(at *node.Node, o Options, s *Shared) *Array {
	o.Options = at.Cfg
	return makeArray(at, o, at.Keyed, at.Pipe, s, nil)
}

// Field returns a view of the field at a path of the data type. m describes the view, and pipe
// decodes it.
func (a *Array) Field(m *meta.Array, pipe *pipeline.Pipeline, path []string) *Array {
	return makeArray(a.At, a.Cfg, m, pipe, a.Shared, path)
}

func makeArray(at *node.Node, o Options, m *meta.Array, pipe *pipeline.Pipeline, s *Shared, field []string) *Array {
	prefix := node.Join(at.Path, "")
	if prefix != "" {
		prefix += "/"
	}
	key := func(coord []int) string {
		var buf [64]byte
		return string(m.Keys.AppendKey(append(buf[:0], prefix...), pipe.Stored(coord)))
	}
	e := o.engine()
	e.Cache = o.cached(at, pipe, s, field)
	if at.Copied() {
		e.Current = func(ctx context.Context, missing int, err error) error { return s.copies.Read(ctx, at, missing, err) }
	}
	return &Array{At: at, Cfg: o, Meta: m, Pipe: pipe, Shared: s, Engine: &engine.Array{
		Store:   at.Store,
		Path:    at.Path,
		Layout:  plan.Layout{Shape: m.Shape, Axes: pipe.Axes(), Key: key, Pipe: pipe},
		Options: e,
		State:   &s.engine,
	}}
}

func (o *Options) engine() engine.Options {
	return engine.Options{
		Limits: o.Limits, InFlight: o.InFlight, ChunkLimit: o.Chunks.ChunkLimit, SingleWriter: o.SingleWriter,
		Account: account.Options{Report: o.Report, MaxRequests: o.MaxRequests, MaxBytes: o.MaxBytes}, Guard: o.Guard,
	}
}

// cached returns the array's reader of its cache, if any.
func (o *Options) cached(at *node.Node, pipe *pipeline.Pipeline, s *Shared, field []string) *chunkcache.Reader {
	if o.Cache == nil {
		return nil
	}
	var by any
	switch {
	case at.Judge() != nil:
		by = s // findings of the decoder must be reported for this array only
	case o.Own != nil:
		by = o.Own
	}
	return o.Cache.Of(at.Store.Store, by, strings.Join(append(field[:len(field):len(field)], pipe.Form()), "\x00"))
}

// Changed returns a copy of the array with the node at and other metadata, which must describe the
// same chunks.
func (a *Array) Changed(at *node.Node, m *meta.Array) *Array {
	b := *a
	b.At, b.Meta = at, m
	b.Cfg.Options = at.Cfg
	return &b
}

// Numbered returns a view of the array whose elements are uint64 numbers of elements in items.
func (a *Array) Numbered(items *pipeline.Items) *Array {
	m, e, b := *a.Meta, *a.Engine, *a
	m.DType = dtype.Uint64
	e.Layout.Pipe = items.Numbers
	b.Meta, b.Pipe, b.Engine = &m, items.Numbers, &e
	return &b
}

// Errorf wraps err with the path and the store of the array.
func (a *Array) Errorf(err error) error { return a.At.Errorf(err) }

// Position returns the position in the grid of the object at a key relative to the array.
func (a *Array) Position(key string) (coord []int, ok bool) {
	return a.Meta.Keys.Parse(key, len(a.Meta.Shape))
}
