package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// copyFlags holds the properties in which a copy differs from its source.
type copyFlags struct {
	Chunks      string   `help:"Elements of a chunk: 8760,10,10 of the arrays that have so many axes, or by names of axes of those that have them: time=8760,lat=10. Other arrays keep theirs." placeholder:"N,…"`
	Shards      string   `help:"Elements of a shard, likewise; none stores each chunk as an object." placeholder:"N,…"`
	Codec       []string `sep:"none" help:"Codecs of all arrays in place of those they have, as for create." placeholder:"CODEC"`
	ZFormat     string   `name:"format" help:"Zarr format of the copy, 2 or 3. That of the source without it." enum:",2,3" default:""`
	Sel         string   `help:"Copy a part: ranges as for cat, 0:10,5:9 of an array, or of every array that has an axis of the name: time=0:8760." placeholder:"SELECTION"`
	MaxMem      string   `name:"max-mem" help:"Most memory of one process: 512MiB. 1GiB, or half of what there is, without it." placeholder:"BYTES"`
	Root        string   `help:"Where groups above the copy begin; see docs/reference/cli.md." placeholder:"URL"`
	Consolidate bool     `help:"Give the copy consolidated metadata, which it has without this flag where the source has it, and bring that of groups above up to date."`
	separatorFlag
	fillAttributeFlag
}

// options converts the flags to options of package transfer. The caller calls check after all
// arrays are planned, to detect names in flags that match no array.
func (f *copyFlags) options() (o transfer.Options, check func() error, err error) {
	if f.MaxMem != "" {
		n, err := parseSize("--max-mem", f.MaxMem)
		if err != nil {
			return o, nil, err
		}
		o.Memory = int64(n)
	}
	if f.ZFormat != "" {
		o.Format, _ = strconv.Atoi(f.ZFormat)
	}
	o.Consolidate, o.NoFillAttribute = f.Consolidate, f.NoFillAttribute
	if f.Codec != nil {
		if o.Codecs, err = (&specFlags{Codec: f.Codec}).codecs(false); err != nil {
			return o, nil, err
		}
	}
	chunks, err := parseLengths("--chunks", f.Chunks)
	if err != nil {
		return o, nil, err
	}
	shards := &lengths{flag: "--shards", none: f.Shards == "none"}
	if !shards.none {
		if shards, err = parseLengths("--shards", f.Shards); err != nil {
			return o, nil, err
		}
	}
	if chunks != nil || f.Shards != "" {
		o.Grid = func(a *zarr.Array) ([]int, []int, error) { return newGrid(a, chunks, shards) }
	}
	items, err := parseSel(f.Sel)
	if err != nil {
		return o, nil, err
	}
	s := &parts{items: items, used: make([]bool, len(items))}
	if items != nil {
		o.Ranges = s.of
	}
	return o, func() error {
		for _, l := range []*lengths{chunks, shards} {
			if l != nil && !l.none && !l.used {
				return fault.Newf(fault.Selection, "%s %q: the source has no such array", l.flag, l.text)
			}
		}
		if i := slices.Index(s.used, false); i >= 0 && items[i].name != "" {
			return fault.Newf(fault.Selection, "--sel: no array has a dimension %q", items[i].name)
		}
		return nil
	}, nil
}

// lengths is the value of --chunks or --shards: numbers of elements along each axis, or by axis
// name.
type lengths struct {
	flag, text string
	none, used bool
	each       []int
	named      map[string]int
}

func parseLengths(flag, text string) (*lengths, error) {
	if text == "" {
		return nil, nil
	}
	l := &lengths{flag: flag, text: text}
	if !strings.Contains(text, "=") {
		var err error
		if l.each, err = parseInts(flag, text); err == nil && slices.Contains(l.each, 0) {
			err = usagef("%s %q: a chunk must have at least 1 element", flag, text)
		}
		return l, err
	}
	l.named = map[string]int{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if _, twice := l.named[name]; err != nil || n < 1 || name == "" || twice {
			return nil, usagef("%s %q: each item must be DIMENSION=ELEMENTS, not %q", flag, text, part)
		}
		l.named[name] = n
	}
	return l, nil
}

// of returns the new shape of an array's chunks or shards, or nil if the flag does not apply to the
// array. was is the existing shape.
func (l *lengths) of(a *zarr.Array, was []int) []int {
	if l == nil || l.none {
		return nil
	}
	if l.named == nil {
		if len(l.each) != len(a.Shape()) || len(l.each) == 0 {
			return nil
		}
		l.used = true
		return slices.Clone(l.each)
	}
	shape, found := slices.Clone(was), false
	for d, name := range a.Dims() {
		if n, ok := l.named[name]; ok && d < len(shape) {
			shape[d], found, l.used = n, true, true
		}
	}
	if !found {
		return nil
	}
	return shape
}

// newGrid returns the shapes of chunks and shards in the copy of an array.
func newGrid(a *zarr.Array, chunks, shards *lengths) ([]int, []int, error) {
	was := a.Chunks()
	if was == nil && (chunks != nil && chunks.named != nil || shards != nil && shards.named != nil) {
		return nil, nil, fault.Newf(fault.Selection, "%q: its chunks differ in shape, so the chunks of the copy must be set along each axis", a.Path())
	}
	newChunks := chunks.of(a, was)
	inner := newChunks
	if inner == nil {
		inner = was
	}
	if shards != nil && shards.none {
		if a.Shards() == nil {
			return newChunks, nil, nil
		}
		return newChunks, []int{}, nil
	}
	whole := a.Shards()
	if whole == nil {
		whole = inner
	}
	return newChunks, shards.of(a, whole), nil
}

// parts is --sel applied to several arrays.
type parts struct {
	items []item
	used  []bool
}

// of returns the selected part of one array, or nil for all of it.
func (p *parts) of(a *zarr.Array) ([][2]int, error) {
	var of []item
	for i, it := range p.items {
		if it.name != "" && !slices.Contains(a.Dims(), it.name) {
			continue
		}
		p.used[i] = true
		of = append(of, it)
	}
	if of == nil {
		return nil, nil
	}
	r, err := resolve(of, a.Shape(), a.Dims())
	if err != nil {
		return nil, err
	}
	ranges := make([][2]int, len(r))
	for d, x := range r {
		if x.drop || x.list != nil || x.step != 1 {
			return nil, usagef("--sel of a copy takes only ranges without steps, such as 2:3")
		}
		ranges[d] = [2]int{x.start, x.start + x.count}
	}
	return ranges, nil
}
