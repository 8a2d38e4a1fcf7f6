package copying

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/internal/copying/copyspec"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// copyFlags holds the flags for properties that a copy may change.
type copyFlags struct {
	Chunks      string   `help:"Elements of a chunk: 8760,10,10 for arrays with as many axes, or time=8760,lat=10 for arrays with axes of these names. Other arrays keep their chunk shape, and so do index coordinates (such as time of the dimension time), unless an item names the path: time/time=8760." placeholder:"N,…"`
	Shards      string   `help:"Elements of a shard, in the same form. none stores each chunk as an object." placeholder:"N,…"`
	Codec       []string `sep:"none" help:"Codecs of all arrays, as for create. By default each array keeps its codecs." placeholder:"CODEC"`
	ZFormat     string   `name:"format" help:"Zarr format of the copy, 2 or 3. The default is the format of the source." enum:",2,3" default:""`
	Sel         string   `help:"Copy only a part: ranges as for cat, such as 0:10,5:9 for an array, or time=2020-01 for all arrays with a dimension of this name, by the labels of its coordinate." placeholder:"SELECTION"`
	Isel        string   `name:"isel" help:"The same as --sel, but always by position: time=0:8760." placeholder:"SELECTION"`
	MaxMem      string   `name:"max-mem" help:"Maximum memory of one process, such as 512MiB. The default is 1GiB, at most half of the available memory." placeholder:"BYTES"`
	Root        string   `help:"URL of the outermost group to create above the copy; see docs/reference/cli.md." placeholder:"URL"`
	Consolidate bool     `help:"Write consolidated metadata for the copy, and update that of groups above it. By default the copy has consolidated metadata if the source has it."`
	selection.LabelFlags
	session.SeparatorFlag
	session.FillAttributeFlag
}

// options converts the flags to options of package transfer. The caller must complete them with
// applied.from, and release the result at the end.
func (f *copyFlags) options() (o transfer.Options, to *applied, err error) {
	if o.Memory, err = argument.SizeOr("--max-mem", f.MaxMem, 0); err != nil {
		return o, nil, err
	}
	if f.ZFormat != "" {
		o.Format, _ = strconv.Atoi(f.ZFormat)
	}
	o.Consolidate, o.NoFillAttribute = f.Consolidate, f.NoFillAttribute
	if f.Codec != nil {
		if o.Codecs, err = argument.Codecs(f.Codec, false); err != nil {
			return o, nil, err
		}
	}
	chunks, err := parseLengths("--chunks", f.Chunks)
	if err != nil {
		return o, nil, err
	}
	shards := &lengths{flag: "--shards", Lengths: copyspec.Lengths{None: f.Shards == "none"}}
	if !shards.None {
		if shards, err = parseLengths("--shards", f.Shards); err != nil {
			return o, nil, err
		}
	}
	items, err := selection.Flags{Sel: f.Sel, Isel: f.Isel, LabelFlags: f.LabelFlags}.Items()
	if err != nil {
		return o, nil, err
	}
	to = &applied{chunks: chunks, shards: shards, parts: &parts{items: items, used: make([]bool, len(items))}}
	if chunks != nil || f.Shards != "" {
		o.Grid = to.grid
	}
	return o, to, nil
}

// applied holds the flags that apply to some of the copied arrays.
type applied struct {
	chunks, shards *lengths
	parts          *parts
	top            string // path of the copied node
}

// from completes the flags and options for the copied node at the path top. p is the place of the
// source.
func (f *applied) from(ctx context.Context, s *session.Session, p *session.Place, top string, o *transfer.Options) {
	f.top = top
	if f.parts.items == nil {
		return
	}
	f.parts.coordinates = selection.NewCoordinates(s, p)
	o.Ranges = func(a *zarr.Array) ([][2]int, error) { return f.parts.of(ctx, a) }
}

// check returns an error if a name in a flag matches no array. It must be called after all arrays
// are planned.
func (f *applied) check() error {
	for _, l := range []*lengths{f.chunks, f.shards} {
		if l != nil && !l.None && !l.Used {
			return fault.Newf(fault.Selection, "%s %q does not apply to any array of the source", l.flag, l.text)
		}
	}
	if i := slices.Index(f.parts.used, false); i >= 0 && f.parts.items[i].Name != "" {
		return fault.Newf(fault.Selection, "%s: no array has the dimension %q", f.parts.items[i].Flag, f.parts.items[i].Name)
	}
	return nil
}

// release closes the stores of coordinates.
func (f *applied) release() {
	if f.parts.coordinates != nil {
		f.parts.coordinates.Release()
	}
}

// lengths is the value of --chunks or --shards. It has a number of elements for each axis, in order
// or by axis name, which may follow the path of an array below the copied node.
type lengths struct {
	flag, text string
	copyspec.Lengths
}

func parseLengths(flag, text string) (*lengths, error) {
	if text == "" {
		return nil, nil
	}
	l := &lengths{flag: flag, text: text}
	if !strings.Contains(text, "=") {
		var err error
		if l.Each, err = argument.Integers(flag, text); err == nil && slices.Contains(l.Each, 0) {
			err = exit.Usagef("%s %q: a chunk must have at least 1 element", flag, text)
		}
		return l, err
	}
	l.Named = map[string]int{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if _, twice := l.Named[name]; err != nil || n < 1 || name == "" || twice {
			return nil, exit.Usagef("%s %q: each item must be DIMENSION=ELEMENTS or PATH/DIMENSION=ELEMENTS, not %q", flag, text, part)
		}
		l.Named[name] = n
	}
	return l, nil
}

// lengths returns the lengths for package copyspec. They are nil without the flag.
func (l *lengths) lengths() *copyspec.Lengths {
	if l == nil {
		return nil
	}
	return &l.Lengths
}

// grid returns the shapes of chunks and shards in the copy of an array.
func (f *applied) grid(a *zarr.Array) ([]int, []int, error) {
	path := strings.TrimPrefix(strings.TrimPrefix(a.Path(), f.top), "/")
	return copyspec.Grid(a, path, f.chunks.lengths(), f.shards.lengths())
}

// parts applies --sel and --isel to several arrays.
type parts struct {
	items       []selection.Item
	used        []bool
	coordinates *selection.Coordinates // of the source
}

// of returns the selected part of one array, or nil for the whole array.
func (p *parts) of(ctx context.Context, a *zarr.Array) ([][2]int, error) {
	var of []selection.Item
	for i, it := range p.items {
		if it.Name != "" && !slices.Contains(a.Dims(), it.Name) {
			continue
		}
		p.used[i] = true
		of = append(of, it)
	}
	if of == nil {
		return nil, nil
	}
	of, err := p.coordinates.Find(ctx, a, of)
	if err != nil {
		return nil, err
	}
	r, err := selection.Resolve(of, a.Shape(), a.Dims())
	if err != nil {
		return nil, err
	}
	ranges := make([][2]int, len(r))
	for d, x := range r {
		if x.Drop || x.List != nil || x.Step != 1 {
			return nil, exit.Usagef("the selection of a copy must consist of ranges without steps, such as 2:3 or 2020-01:2020-03")
		}
		ranges[d] = [2]int{x.Start, x.Start + x.Count}
	}
	return ranges, nil
}
