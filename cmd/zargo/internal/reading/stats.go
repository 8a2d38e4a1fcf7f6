package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/coding"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Stats is the command stats.
type Stats struct {
	URL string `arg:"" name:"url" help:"The array, or a group: one line for each array in it."`
	valueFlags
	JSON bool `name:"json" help:"Print one JSON object, or a list for a group."`
}

// valueFlags are the flags that select and decode the elements for stats and hist.
type valueFlags struct {
	selection.Flags
	coding.DecodeFlags
	All bool `help:"Read more than 200 million elements or 200,000 chunks even if fewer than 1 in 100 chunks are stored. By default that is an error."`
	session.SeparatorFlag
}

// statsInfo is the JSON object that stats prints, documented in docs/reference/cli.md. Members may
// be added but must never be removed or change their meaning.
type statsInfo struct {
	URL      string   `json:"url"`
	Units    string   `json:"units,omitempty"`
	Decoded  bool     `json:"decoded"`
	Elements int64    `json:"elements"`
	Missing  int64    `json:"missing"`
	NaN      int64    `json:"nan"`
	Infinite int64    `json:"infinite"`
	Count    int64    `json:"count"`
	Min      any      `json:"min"` // null if count is 0
	Max      any      `json:"max"`
	Mean     *float64 `json:"mean"`
	Std      *float64 `json:"std"`
}

// Run prints statistics of an array.
func (c *Stats) Run(ctx context.Context, s *session.Session) error {
	items, err := c.checked()
	if err != nil {
		return err
	}
	p, a, err := s.OpenArray(ctx, c.URL, c.Options()...)
	if errors.Is(err, fault.NotFound) {
		q, n, grouped := s.OpenStored(ctx, c.URL, c.Options()...)
		if grouped == nil {
			defer q.Release()
		}
		if g, ok := n.(*zarr.Group); ok {
			return c.group(ctx, s, q, g, items)
		}
	}
	if err != nil {
		return err
	}
	defer p.Release()
	v, err := c.values(ctx, s, p, a, items)
	if err != nil {
		return p.Fail(err)
	}
	info, err := v.stats(ctx, s)
	if err != nil {
		return v.Fail(err)
	}
	if c.JSON {
		return v.Fail(render.JSON(s.Out, info))
	}
	return v.Fail(info.print(s.Out))
}

// values is the selected part of an array with its coding.
type values struct {
	*session.Place
	a      *zarr.Array
	r      selection.Region
	coding *cf.Coding // nil to summarize the stored elements
	units  string
}

// checked returns the items of the selection, and an error for flags that contradict each other.
func (f *valueFlags) checked() ([]selection.Item, error) {
	items, err := f.Items()
	if err == nil {
		err = f.Check()
	}
	return items, err
}

// values returns the selected part of an array.
func (f *valueFlags) values(ctx context.Context, s *session.Session, p *session.Place, a *zarr.Array, items []selection.Item) (_ *values, err error) {
	v := &values{Place: p, a: session.Local(a)}
	if v.r, err = selection.Chosen(ctx, s, p, a, items); err == nil && !f.All {
		err = selection.Dense(ctx, a, len(a.Shape()), v.r)
	}
	if err == nil && !f.Raw && a.DType() != dtype.Bool {
		err = v.decode(ctx, s)
	}
	return v, err
}

// decode sets v.coding and v.units. The attribute units applies to decoded values.
func (v *values) decode(ctx context.Context, s *session.Session) error {
	attrs, err := selection.AttrsOf(ctx, s, v.Place, v.a)
	if err != nil {
		return err
	}
	v.coding, err = coding.Of(v.a, cmp.Or(v.a.Name(), session.LastSegment(v.Where)), attrs)
	if errors.Is(err, fault.Type) {
		err = fault.Newf(fault.Type, "the elements must be numbers, the data type is %v", v.a.DType())
	}
	v.units, _ = attrs["units"].(string)
	return err
}

// source returns the selected elements, and shows the progress of reading them.
func (v *values) source(s *session.Session) (compute.Source, error) {
	of, err := selection.Source(v.a, v.r, v.coding)
	if err != nil {
		return of, err
	}
	selection.ShowReading(s.Far, v.a, v.r, &s.Report)
	of.Done = func(b walk.Box) { s.Far.Add(b.Bytes(int64(v.a.DType().Size()))) }
	return of, nil
}

// summary returns the summary of the selected elements.
func (v *values) summary(ctx context.Context, s *session.Session) (compute.Summary, error) {
	of, err := v.source(s)
	if err != nil {
		return compute.Summary{}, err
	}
	return compute.Summarize(ctx, of)
}

// stats returns the statistics of the selected elements.
func (v *values) stats(ctx context.Context, s *session.Session) (statsInfo, error) {
	r, err := v.summary(ctx, s)
	if err != nil {
		return statsInfo{}, err
	}
	s.WarnOfMissing(ctx, v.Place, v.a)
	return statsInfo{v.Where, v.units, v.coding != nil, r.Elements, r.Missing, r.NaN, r.Infinite, r.Count, r.Min, r.Max, numberOrNil(r.Mean), numberOrNil(r.Std)}, nil
}

// numberOrNil returns nil for NaN and infinities, which JSON cannot represent.
func numberOrNil(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

func (i *statsInfo) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, text string) { fmt.Fprintf(w, "%s\t%s\n", name, render.OneLine(text)) }
	row("array", i.URL)
	if i.Units != "" {
		row("units", i.Units)
	}
	row("elements", strconv.FormatInt(i.Elements, 10))
	missing := strconv.FormatInt(i.Missing, 10)
	if i.NaN > 0 {
		missing += fmt.Sprintf(", of which %d are stored as NaN", i.NaN)
	}
	row("missing", missing)
	if i.Infinite > 0 {
		row("infinite", strconv.FormatInt(i.Infinite, 10))
	}
	row("count", strconv.FormatInt(i.Count, 10))
	if i.Count > 0 {
		row("min", fmt.Sprint(i.Min))
		row("max", fmt.Sprint(i.Max))
		row("mean", orUnknown(i.Mean))
		row("std", orUnknown(i.Std))
	}
	return w.Flush()
}

// orUnknown formats a number. It returns "overflow" for nil.
func orUnknown(f *float64) string {
	if f == nil {
		return "overflow"
	}
	return fmt.Sprint(*f)
}

// group prints statistics of each array of numbers in a group and in the groups below it, sorted by
// path. An item of the selection applies to the arrays that have its dimension. A warning names the
// arrays whose elements are not numbers.
func (c *Stats) group(ctx context.Context, s *session.Session, p *session.Place, g *zarr.Group, items []selection.Item) error {
	for _, it := range items {
		if it.Name == "" {
			return exit.Usagef("%s: a selection in a group needs the names of dimensions, such as time=2020-01", it.Flag)
		}
	}
	var arrays []*zarr.Array
	used := map[string]bool{}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return p.Fail(err)
		}
		if a, ok := n.(*zarr.Array); ok {
			arrays = append(arrays, a)
			for _, name := range a.Dims() {
				used[name] = true
			}
		}
	}
	for _, it := range items {
		if !used[it.Name] {
			return p.Fail(fault.Newf(fault.Selection, "%s names the dimension %q, which no array of the group has", it.Flag, it.Name))
		}
	}
	slices.SortFunc(arrays, func(a, b *zarr.Array) int { return strings.Compare(a.Path(), b.Path()) })
	infos := []statsInfo{}
	for _, a := range arrays {
		info, err := c.member(ctx, s, p, g, a, items)
		switch {
		case errors.Is(err, fault.Type):
			s.Warn("%s is left out: %v", info.URL, err)
		case err != nil:
			return p.Fail(fmt.Errorf("%s: %w", info.URL, err))
		default:
			infos = append(infos, info)
		}
	}
	if c.JSON {
		return p.Fail(render.JSON(s.Out, infos))
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "array\telements\tmissing\tmin\tmax\tmean\tstd\tunits")
	for _, i := range infos {
		low, high, mean, std := "-", "-", "-", "-"
		if i.Count > 0 {
			low, high, mean, std = fmt.Sprint(i.Min), fmt.Sprint(i.Max), orUnknown(i.Mean), orUnknown(i.Std)
		}
		line := []string{i.URL, strconv.FormatInt(i.Elements, 10), strconv.FormatInt(i.Missing, 10), low, high, mean, std, i.Units}
		for k := range line {
			line[k] = render.OneLine(line[k])
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(line, "\t"), "\t"))
	}
	return p.Fail(w.Flush())
}

// member returns the statistics of an array. Their URL is the path of the array below the group.
func (c *Stats) member(ctx context.Context, s *session.Session, p *session.Place, g *zarr.Group, a *zarr.Array, items []selection.Item) (statsInfo, error) {
	path := strings.TrimPrefix(strings.TrimPrefix(a.Path(), g.Path()), "/")
	own := slices.DeleteFunc(slices.Clone(items), func(it selection.Item) bool { return !slices.Contains(a.Dims(), it.Name) })
	at := &session.Place{Store: p.Store, Path: a.Path(), Root: p.Root, Where: p.Where}
	v, err := c.values(ctx, s, at, a, own)
	if err != nil {
		return statsInfo{URL: path}, err
	}
	info, err := v.stats(ctx, s)
	info.URL = path
	return info, err
}
