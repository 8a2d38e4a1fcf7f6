package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr/store"
)

// tuning prints the settings of the store at the URL. The URL need not contain a node. For an
// archive, tuning prints the settings of the store that contains the archive, without opening the
// archive.
func (c *infoCmd) tuning(ctx context.Context, s *session) error {
	l, err := s.parseURL(c.URL)
	if err != nil {
		return err
	}
	outer := l
	outer.Inside = nil
	p, err := s.open(ctx, outer)
	if err != nil {
		return err
	}
	t := store.TuningOf(p.Store)
	if err := p.Close(); err != nil {
		return p.fail(err)
	}
	info := tuningInfo{URL: l.String(), Reason: t.Reason}
	for _, n := range t.Settings() {
		info.Numbers = append(info.Numbers, numberInfo{strings.ReplaceAll(n.Name, " ", "_"), n.Value, n.Unit, n.Reason})
	}
	if c.JSON {
		return render.JSON(s.out, info)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "store\t%s\n", render.OneLine(info.URL))
	for _, n := range t.Settings() {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", n.Name, n.Value, n.Unit, n.Reason)
	}
	fmt.Fprintf(w, "all\t%s\n", t.Reason)
	return w.Flush()
}

type numberInfo struct {
	Name   string `json:"name"`
	Value  int64  `json:"value"`
	Unit   string `json:"unit"`
	Reason string `json:"reason"`
}

// tuningInfo is the JSON form of a store's settings.
type tuningInfo struct {
	URL     string       `json:"url"`
	Reason  string       `json:"reason"`
	Numbers []numberInfo `json:"numbers"`
}
