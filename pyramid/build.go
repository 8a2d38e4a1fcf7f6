package pyramid

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/multiscale"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options configures Build. With the zero value, each level has half the length of the previous one
// along the horizontal dimensions, elements are means, and the horizontal dimensions of the last
// level fit into one chunk.
type Options struct {
	// Dims contains the names of the dimensions to downsample. The default is the two dimensions
	// that have horizontal names, such as y and x or lat and lon. If there are not exactly two of
	// them, the default is the last two dimensions.
	Dims []string
	// Factor is the length of a window along each of Dims, from 2 to 64. Each window becomes one
	// element of the next level. The default is 2.
	Factor int
	// Levels is the number of levels to create. The default is the number after which Dims fit into
	// one chunk.
	Levels int
	Method Method

	// Memory is the maximum number of bytes of elements and objects in memory. Build processes a
	// chunk that needs more memory alone. The default is 96 MiB.
	Memory int64
	// Limits bounds the resources that the build shares with other work of the process. The fields
	// CPU and Bytes are required. Build reserves its memory in a child of Bytes. The default is
	// concurrency.Default.
	Limits *concurrency.Limits
	// Build calls Progress, if not nil, after it has written a chunk or shard, and after it has
	// skipped stored ones. Calls are not concurrent.
	Progress func(Progress)
	// Build calls Dropped, if not nil, with the path of each variable whose levels lack one of its
	// attributes, and a description: attributes of statistics, and names of variables that the
	// levels do not have.
	Dropped func(path, what string)
	// Plan, if not nil, is called for each level with the bounds of the requests that read the
	// previous level and write the chunks. Build then does not send them, but sends all other
	// requests. Use it with a store that keeps changes in memory. The bounds do not include
	// repeated requests.
	Plan func(least, most store.Amount)
	// Zarr contains options for opening and creating nodes, for example zarr.Extensions.
	Zarr []zarr.Option
}

// Progress is the progress of a build. Objects are chunks, or the shards of a sharded array.
type Progress struct {
	Level, Levels int // Level counts from 1
	Done, Objects int // completed and total objects of all levels
	Skipped       int // objects in Done that an earlier build wrote
	Took          time.Duration
}

// Level is one level of a pyramid. Path is the path of its array in the store.
type Level struct {
	Path  string
	Shape []int
}

// defaultMemory is the default of Options.Memory. With it, zargo pyramid needs less than 200 MiB
// for an array of 10,000 × 10,000 elements of 4 bytes.
const defaultMemory = 96 << 20

// keptShare is the share of the memory for objects of the previous level that are not read again:
// 1/32, which is 3 MiB by default. Such objects of a small array save as many requests.
const keptShare = 32

// maxObjects is the maximum number of chunks or shards of all levels. It equals the maximum number
// of tasks of a transfer.
const maxObjects = 1 << 30

// Build creates the levels of a pyramid of the array at path, and describes them in the attributes
// of the group that contains them. It returns all levels. Level 0 is the array itself. The package
// comment describes the layout of the levels.
//
// After an interrupted build, the next call with the same options continues it and skips complete
// levels and, if it was the first build of the array, stored chunks. If all levels are current,
// Build does nothing. If the array has changed since they were computed, it computes all of them
// again. If a level is missing, it computes that level and the following ones again. [StatusOf]
// reports whether levels are current.
//
// Build returns fault.Exists if other nodes or objects are stored at the paths of the levels,
// fault.Conflict if an unfinished build had other options, or if the array or a level was changed
// during the build (the next build then starts over), fault.Selection if the options do not
// fit the array, and fault.Type if the method does not accept the data type. It returns fault.Limit
// if a chunk is too large for the memory of the process, an index coordinate exceeds 32 MiB, or the
// levels have more than 2^30 chunks. It returns errors.ErrUnsupported if the chunks of the array
// differ in shape. Other errors are those of package zarr.
func Build(ctx context.Context, st store.Store, path string, o Options) ([]Level, error) {
	var b *builder
	for attempt := 1; ; attempt++ {
		var err error
		if b, err = newBuilder(ctx, st, path, o); err == nil {
			err = b.build(node.Expecting(ctx, b.source.Format()))
		}
		if errors.Is(err, errMoved) && !b.began && attempt < maxMoves {
			continue // the array changed while the builder read its metadata
		}
		if err != nil {
			return nil, fmt.Errorf("pyramid of %q: %w", path, err)
		}
		break
	}
	levels := make([]Level, 0, len(b.levels)+1)
	for _, a := range append([]*zarr.Array{b.source}, b.arrays()...) {
		levels = append(levels, Level{a.Path(), a.Shape()})
	}
	return levels, nil
}

// builder is the state of one build.
type builder struct {
	st         store.Store // record
	record     *recorder
	began      bool // the build has stored its state
	o          Options
	opts       []zarr.Option
	source     *zarr.Array
	layout     layout
	factor     []int
	state      state
	described  []multiscale.Level // level 0, which is the source, and levels 1, 2, …
	levels     []unpublished      // levels 1, 2, …
	related    related
	group0     *zarr.Group                 // the group of all levels as first opened; nil if relatives has opened another
	first      bool                        // no build of the array has stored a state before this one
	attributes []map[string]map[string]any // of levels 1, 2, … by the names of nodes
	made       map[string]*zarr.Array      // arrays of the levels and of their variables, by path
	reducer    reducer                     // nil for Nearest
	memory     *concurrency.Budget
	cpu        *concurrency.CPU
	counter    counter
}

func newBuilder(ctx context.Context, st store.Store, path string, o Options) (*builder, error) {
	if o.Factor == 0 {
		o.Factor = 2
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if o.Limits == nil {
		o.Limits = concurrency.Default()
	}
	switch {
	case o.Factor < 2 || o.Factor > maxFactor:
		return nil, fault.Newf(fault.Selection, "the factor must be 2 to %d, is %d", maxFactor, o.Factor)
	case o.Levels < 0:
		return nil, fault.Newf(fault.Selection, "the number of levels must not be negative, is %d", o.Levels)
	case int(o.Method) >= len(methods):
		return nil, fault.Newf(fault.Selection, "the method %d is not defined", o.Method)
	case o.Memory < 0:
		return nil, fault.Newf(fault.Selection, "the memory must not be negative, is %d", o.Memory)
	case o.Limits.CPU == nil || o.Limits.Bytes == nil:
		return nil, fault.Newf(fault.Selection, "Limits must have CPU and Bytes")
	}
	record := &recorder{Forward: store.Forward{Store: account.CountedBy(st, o.Zarr)}, puts: map[string]recorded{}, values: map[string][]byte{}}
	b := &builder{st: record, record: record, made: map[string]*zarr.Array{}, o: o, memory: o.Limits.Bytes.Child(o.Memory - o.Memory/keptShare), cpu: o.Limits.CPU}
	b.opts = append(slices.Clone(o.Zarr), zarr.Limit(zarr.Limits{Shared: &concurrency.Limits{CPU: o.Limits.CPU, Requests: o.Limits.Requests, Bytes: b.memory}}))
	var err error
	if b.layout, err = layoutOf(path); err != nil {
		return nil, err
	}
	if b.source, err = zarr.OpenArray(ctx, b.st, path, b.opts...); err != nil {
		return nil, err
	}
	if b.factor, err = factors(b.source, o.Dims, o.Factor); err != nil {
		return nil, err
	}
	if o.Method != Nearest {
		b.reducer, err = reducerOf(b.source, o.Method, true)
	} else if b.source.DType().Size() == 0 {
		err = fault.Newf(fault.Type, "the method %v does not accept the data type %v, whose elements vary in length", o.Method, b.source.DType())
	}
	if err != nil {
		return nil, err
	}
	return b, b.plan(node.Expecting(ctx, b.source.Format()))
}

// plan sets b.levels, b.assets, b.state and b.counter.
func (b *builder) plan(ctx context.Context) error {
	shape, n := b.source.Shape(), b.o.Levels
	if slices.Contains(shape, 0) {
		return fault.Newf(fault.Selection, "the array has no elements: its shape is %v", shape)
	}
	if n == 0 && b.source.Chunks() != nil {
		if n = count(shape, b.source.Chunks(), b.factor); n == 0 {
			return fault.Newf(fault.Selection, "the array of shape %v fits into one chunk: set the number of levels", shape)
		}
	}
	var err error
	if b.related, err = b.relatives(ctx); err != nil {
		return err
	}
	_, name := split(b.source.Path())
	sum := sha256.New()
	b.described = []multiscale.Level{b.describe(0)}
	for level := 1; level <= max(n, 1); level++ {
		next := smaller(shape, b.factor)
		if slices.Equal(next, shape) {
			return fault.Newf(fault.Selection, "level %d would have the same shape as level %d, %v: at most %d levels are possible", level, level-1, shape, level-1)
		}
		shape = next
		spec, err := resized(b.source, shape)
		if err != nil {
			return err
		}
		b.attributes = append(b.attributes, b.attrsOf(level))
		if attrs := b.attributes[level-1][name]; len(attrs)+len(spec.Attrs) > 0 {
			spec.Attrs = attrs
		}
		u, err := prepare(ctx, b.st, b.layout.path(level), spec, b.opts)
		if err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(u.docs.Texts)) {
			_, _ = fmt.Fprintf(sum, "%s %d\n%s", key, len(u.docs.Texts[key]), u.docs.Texts[key])
		}
		b.levels = append(b.levels, u)
		b.described = append(b.described, b.describe(level))
	}
	b.state = state{Version: 2, Source: b.source.Path(), Factor: b.factor, Method: b.o.Method.String(), Levels: len(b.levels), Sum: hex.EncodeToString(sum.Sum(nil))}
	for _, a := range b.arrays() {
		b.state.Shapes = append(b.state.Shapes, a.Shape())
	}
	dir, _ := split(b.source.Path())
	for name := range b.related.vars {
		b.state.Paths = append(b.state.Paths, join(dir, name))
	}
	slices.Sort(b.state.Paths)
	b.counter = counter{f: b.o.Progress, begun: time.Now(), now: Progress{Levels: len(b.levels)}}
	for _, a := range b.arrays() {
		n := objects(a)
		if n > maxObjects-b.counter.now.Objects {
			return fault.Newf(fault.Limit, "the levels have more than %d chunks or shards", maxObjects)
		}
		b.counter.now.Objects += n
	}
	return nil
}

func (b *builder) arrays() (list []*zarr.Array) {
	for _, u := range b.levels {
		list = append(list, u.array)
	}
	return list
}

// build creates the missing levels.
func (b *builder) build(ctx context.Context) error {
	g := b.group0
	if g == nil {
		var err error
		if g, err = b.top(ctx); err != nil {
			return err
		}
	}
	if _, err := multiscale.AddLevels(g.Attrs(), b.described); err != nil {
		return err
	}
	if done, err := b.enter(ctx); err != nil || done {
		return err
	}
	b.began = true
	if b.state.Versions != "" { // without versions, replaced objects are not found
		b.record.room = b.o.Memory / keptShare
	}
	if err := b.compute(ctx); err != nil {
		if errors.Is(err, errReplaced) {
			return b.forget(ctx, err)
		}
		return err
	}
	return b.finish(ctx)
}

// compute computes the levels and their variables.
func (b *builder) compute(ctx context.Context) error {
	from := b.source
	for i, u := range b.levels {
		if i+1 > b.state.Keep {
			if err := b.check(ctx, i); err != nil {
				return err
			}
		}
		if err := b.group(ctx, u.array.Path(), groupAttrs(b.attributes[i][""])); err != nil {
			return err
		}
		if err := b.level(ctx, i+1, from, u); err != nil {
			return err
		}
		if err := b.variables(ctx, i+1); err != nil {
			return err
		}
		from = u.array
	}
	return nil
}

// empty checks that no object is stored below a path. proven is false if the store cannot list the
// objects, or omits some.
func (b *builder) empty(ctx context.Context, path string) (proven bool, err error) {
	for e, err := range store.Pages(ctx, b.st, path, store.ListOptions{Depth: store.OneLevel}) {
		switch {
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
			return false, nil
		case err != nil:
			return false, err
		}
		return false, fault.Newf(fault.Exists, "objects are stored where level %q would be, such as %q: remove them first", path, e.Key)
	}
	return store.ListingsOf(b.st).Complete, nil
}

// group creates the group of a level, unless it exists or is the group of all levels.
func (b *builder) group(ctx context.Context, array string, attrs map[string]any) error {
	dir, _ := split(array)
	if dir == b.layout.group {
		return nil
	}
	open := func() error {
		_, err := zarr.OpenGroup(ctx, b.st, dir, append(slices.Clone(b.o.Zarr), zarr.IgnoreConsolidated())...)
		return err
	}
	if !b.first {
		if err := open(); !errors.Is(err, fault.NotFound) {
			return err
		}
	}
	// The put of the attributes of the group of all levels proves that this group remains; see
	// announce.
	within := node.Within(ctx, b.layout.group)
	_, err := zarr.CreateGroup(within, b.st, dir, zarr.Spec{Format: b.levels[0].array.Format(), Attrs: attrs}, b.o.Zarr...)
	switch {
	case !errors.Is(err, fault.Exists):
		return err
	case b.first: // another node, or a group that a concurrent build or a user has created
		if open() != nil {
			return err
		}
	}
	return nil // a concurrent build created it
}

// top opens the group of all levels.
func (b *builder) top(ctx context.Context) (*zarr.Group, error) {
	return zarr.OpenGroup(ctx, b.st, b.layout.group, append(slices.Clone(b.o.Zarr), zarr.IgnoreConsolidated())...)
}

// maxMoves is the maximum number of attempts to read the metadata of an array that other processes
// change.
const maxMoves = 10

// attempts is the maximum number of attempts to change the attributes of a group. An attempt fails
// if another writer changes the attributes at the same time, for example a build of another array.
const attempts = 100

// announce adds the levels to the attributes of the group. It first uses the group as the build has
// opened it, because the put is conditional on the version of its document.
func (b *builder) announce(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		g, err := b.group0, error(nil)
		if g == nil || attempt > 1 || b.announced(g) {
			if g, err = b.top(ctx); err != nil {
				return err
			}
			if b.announced(g) {
				return nil
			}
		}
		attrs, err := multiscale.AddLevels(b.shaped(g.Attrs()), b.described)
		if err != nil {
			return err
		}
		if _, err = g.SetAttrs(ctx, attrs); err == nil || attempt == attempts || !errors.Is(err, fault.Conflict) {
			return err
		}
	}
}

// announced reports whether the attributes of the group describe all levels.
func (b *builder) announced(g *zarr.Group) bool {
	for i := range b.levels {
		if !multiscale.HasLevel(g.Attrs(), b.described, i+1) {
			return false
		}
	}
	return true
}

// describe returns the description of a level, after those of the previous levels. Indexes are the
// centers of elements.
func (b *builder) describe(level int) multiscale.Level {
	l := multiscale.Level{Path: b.layout.assets(level), Scale: make([]float64, len(b.factor)), Translation: make([]float64, len(b.factor))}
	if level == 0 {
		for d := range l.Scale {
			l.Scale[d] = 1
		}
		return l
	}
	above := b.described[level-1]
	l.DerivedFrom, l.Method = above.Path, map[Method]string{Mean: "average", Nearest: "nearest", Mode: "mode"}[b.o.Method]
	for d, f := range b.factor {
		l.Scale[d] = above.Scale[d] * float64(f)
		l.Translation[d] = above.Translation[d] + above.Scale[d]*float64(f-1)/2
	}
	return l
}

// shaped adds spatial:shape to attributes of a group with spatial:transform that describes the
// source. Readers use it to distinguish the arrays that the transformation describes from levels.
func (b *builder) shaped(attrs map[string]any) map[string]any {
	dims, _ := attrs["spatial:dimensions"].([]any)
	dir, _ := split(b.source.Path())
	if attrs["spatial:transform"] == nil || attrs["spatial:shape"] != nil || attrs[string(multiscale.Convention)] != nil || len(dims) != 2 || dir != b.layout.group {
		return attrs
	}
	var shape []any
	for _, dim := range dims {
		name, _ := dim.(string)
		d := slices.Index(b.source.Dims(), name)
		if d < 0 {
			return attrs
		}
		shape = append(shape, b.source.Shape()[d])
	}
	attrs = maps.Clone(attrs)
	attrs["spatial:shape"] = shape
	return attrs
}
