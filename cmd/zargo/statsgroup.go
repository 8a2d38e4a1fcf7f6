package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// group prints statistics of each array of numbers in a group and in the groups below it, sorted by
// path. An item of the selection applies to the arrays that have its dimension. A warning names the
// arrays whose elements are not numbers.
func (c *statsCmd) group(ctx context.Context, s *session, p *place, g *zarr.Group, items []item) error {
	for _, it := range items {
		if it.name == "" {
			return usagef("%s: a selection in a group needs the names of dimensions, such as time=2020-01", it.flag)
		}
	}
	var arrays []*zarr.Array
	used := map[string]bool{}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return p.fail(err)
		}
		if a, ok := n.(*zarr.Array); ok {
			arrays = append(arrays, a)
			for _, name := range a.Dims() {
				used[name] = true
			}
		}
	}
	for _, it := range items {
		if !used[it.name] {
			return p.fail(fault.Newf(fault.Selection, "%s names the dimension %q, which no array of the group has", it.flag, it.name))
		}
	}
	slices.SortFunc(arrays, func(a, b *zarr.Array) int { return strings.Compare(a.Path(), b.Path()) })
	infos := []statsInfo{}
	for _, a := range arrays {
		info, err := c.member(ctx, s, p, g, a, items)
		switch {
		case errors.Is(err, fault.Type):
			s.warn("%s is left out: %v", info.URL, err)
		case err != nil:
			return p.fail(fmt.Errorf("%s: %w", info.URL, err))
		default:
			infos = append(infos, info)
		}
	}
	if c.JSON {
		return p.fail(render.JSON(s.out, infos))
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
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
	return p.fail(w.Flush())
}

// member returns the statistics of an array. Their URL is the path of the array below the group.
func (c *statsCmd) member(ctx context.Context, s *session, p *place, g *zarr.Group, a *zarr.Array, items []item) (statsInfo, error) {
	path := strings.TrimPrefix(strings.TrimPrefix(a.Path(), g.Path()), "/")
	var own []item
	for _, it := range items {
		if slices.Contains(a.Dims(), it.name) {
			own = append(own, it)
		}
	}
	at := &place{Store: p.Store, path: a.Path(), root: p.root, where: p.where}
	v, err := c.values(ctx, s, at, a, own)
	if err != nil {
		return statsInfo{URL: path}, err
	}
	info, err := v.stats(ctx, s)
	info.URL = path
	return info, err
}
