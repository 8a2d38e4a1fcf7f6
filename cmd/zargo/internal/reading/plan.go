package reading

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Plan is the command plan.
type Plan struct {
	URL     string `arg:"" name:"url" help:"The array."`
	Write   bool   `help:"Plan a write of the selection instead of a read."`
	Resolve bool   `help:"Read the indexes of shards, so that the ranges read from them are exact."`
	Total   bool   `help:"Print only the sums."`
	All     bool   `help:"List more than a million requests, or resolve more than 200,000 shards. By default that is an error."`
	JSON    bool   `name:"json" help:"Print a JSON object."`
	selection.Flags
	cost.Prices
	session.SeparatorFlag
	session.FieldFlag
}

// requestInfo is the JSON form of a request.
type requestInfo struct {
	Op    string  `json:"op"`
	Key   string  `json:"key"`
	Range *string `json:"range"` // null means the whole value
	Bytes int64   `json:"bytes"`
	Exact bool    `json:"exact"`
	Role  string  `json:"role"`
}

// Run prints each request as soon as it is planned, because there may be millions of requests.
func (c *Plan) Run(ctx context.Context, s *session.Session) error {
	if c.Write && c.Resolve {
		return exit.Usagef("--resolve cannot be combined with --write, because a write reads whole shards")
	}
	if err := c.Check(); err != nil {
		return err
	}
	items, err := c.Items()
	if err != nil {
		return err
	}
	open := s.OpenField
	if c.Write {
		open = s.OpenToWrite
	}
	p, a, err := open(ctx, c.URL, c.SeparatorFlag, c.FieldFlag)
	if err != nil {
		return err
	}
	defer p.Release()
	in := selection.NewCoordinates(s, p)
	defer in.Release()
	r, err := in.Chosen(ctx, a, items)
	if err != nil {
		return p.Fail(err)
	}
	// The command sends the same requests as this plan until it reads or writes the first chunk.
	found := cost.Fixed(s.Report.Amount())
	if c.Field == "" { // --raw reads no attributes of other arrays
		if _, err := in.AttrsOf(ctx, a); err != nil {
			return p.Fail(err)
		}
		found.Most = s.Report.Amount()
	}
	plan := a.Plan
	if c.Write {
		plan = a.PlanWrite
	}
	todo, err := plan(r.Selections()...)
	if err != nil {
		return p.Fail(err)
	}
	least, most := todo.Bounds()
	requests := todo.Requests()
	resolved := c.Resolve && a.Sharded() // otherwise every request is known exactly
	if err := c.fits(least, most, resolved); err != nil {
		return p.Fail(err)
	}
	switch {
	case resolved:
		least, most = store.Amount{}, store.Amount{}
		requests = added(todo.Resolve(ctx), &least, &most, &err)
	case c.Total:
		requests = func(func(zarr.Request) bool) {} // the sums are already known
	}
	sums := func() cost.Planned { return cost.Planned{Found: found, Data: cost.Bounds{Least: least, Most: most}} }
	if e := c.print(ctx, s.Out, requests, sums); e != nil {
		return e
	}
	return p.Fail(err)
}

const (
	// maxListed is the maximum number of requests listed. A million lines take some seconds.
	maxListed = 1_000_000
	// maxResolved is the maximum number of shards resolved. Each shard requires a read of its
	// index.
	maxResolved = 200_000
)

// fits returns fault.Limit if a selection has too many requests to list, or too many shards to
// resolve.
func (c *Plan) fits(least, most store.Amount, resolved bool) error {
	n := store.Amount{Gets: least.Gets, Puts: most.Puts}.Requests()
	switch {
	case c.All:
	case resolved && n > maxResolved:
		return fault.Newf(fault.Limit, "--resolve reads at most %d shard indexes, but the selection has %d: select less, omit --resolve, or pass --all", maxResolved, n)
	case !c.Total && n > maxListed:
		return fault.Newf(fault.Limit, "at most %d requests are listed, but the selection needs %d: pass --total to print only sums, or --all", maxListed, n)
	}
	return nil
}

// added yields requests and adds them to the sums least and most. An error is stored in failed and
// ends the sequence.
func added(all iter.Seq2[zarr.Request, error], least, most *store.Amount, failed *error) iter.Seq[zarr.Request] {
	return func(yield func(zarr.Request) bool) {
		for r, err := range all {
			if err != nil {
				*failed = err
				return
			}
			get := store.Amount{Gets: 1, BytesRead: r.Bytes}
			*most = most.Add(get)
			if !r.Known() {
				get.BytesRead = 0
			}
			*least = least.Add(get)
			if !yield(r) {
				return
			}
		}
	}
}

// print prints the requests and then the sums. The sums may be unknown until all requests are
// printed.
func (c *Plan) print(ctx context.Context, w io.Writer, requests iter.Seq[zarr.Request], sums func() cost.Planned) error {
	out := bufio.NewWriter(render.Interruptible(ctx, w))
	if c.JSON {
		if err := c.printJSON(out, requests, sums); err != nil {
			return err
		}
		return out.Flush()
	}
	for r := range requests {
		if c.Total {
			continue
		}
		if _, err := fmt.Fprintln(out, render.OneLine(r.String())); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return sums().Print(w, c.Prices)
}

// printJSON is print for --json.
func (c *Plan) printJSON(w io.Writer, requests iter.Seq[zarr.Request], sums func() cost.Planned) error {
	if _, err := io.WriteString(w, "{\n  \"requests\": ["); err != nil {
		return err
	}
	comma := ""
	for r := range requests {
		if c.Total {
			continue
		}
		info := requestInfo{Op: r.Op, Key: r.Key, Bytes: r.Bytes, Exact: r.Exact, Role: r.Role}
		if !r.Range.IsWhole() {
			text := r.Range.String()
			info.Range = &text
		}
		b, err := json.Marshal(info)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n    %s", comma, b); err != nil {
			return err
		}
		comma = ","
	}
	end := "\n  ]"
	if comma == "" {
		end = "]"
	}
	info := sums().Info(c.Prices)
	for _, m := range []struct {
		name string
		of   any
	}{{"to_find_out", info.Found}, {"data", info.Data}, {"least", info.Least}, {"most", info.Most}} {
		b, err := json.Marshal(m.of)
		if err != nil {
			return err
		}
		end += fmt.Sprintf(",\n  %q: %s", m.name, b)
	}
	_, err := io.WriteString(w, end+"\n}\n")
	return err
}
