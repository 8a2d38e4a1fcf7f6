package upkeep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/diff"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
)

// Diff is the command diff.
type Diff struct {
	A        string   `arg:"" name:"a" help:"An array or a group."`
	B        string   `arg:"" name:"b" help:"The array or group to compare it with."`
	Metadata bool     `help:"Compare only metadata."`
	Values   bool     `help:"Compare only values."`
	RTol     *float64 `name:"rtol" help:"Relative tolerance for numbers, also integers, times, complex numbers and the fields of structures: a and b are equal if |a - b| is at most atol + rtol * |b|, or both are NaN. Without a tolerance, values are compared bit by bit." placeholder:"X"`
	ATol     *float64 `name:"atol" help:"Absolute tolerance for numbers. Times have the unit of the array." placeholder:"X"`
	Decode   bool     `help:"Compare numbers as CF decodes them: packed values are scaled, and all missing values are equal. The data types may differ."`
	First    int      `default:"10" help:"Maximum number of different elements to print for each array." placeholder:"N"`
	All      bool     `help:"Compare more than 200 million elements or 200,000 chunks even if fewer than 1 in 100 chunks are stored. By default that is an error."`
	JSON     bool     `name:"json" help:"Print a JSON object."`
	cost.PlanFlags
}

// Run prints the differences. If the nodes differ, it returns ErrDiffers, which has its own exit
// code.
func (c *Diff) Run(ctx context.Context, s *session.Session) error {
	if err := c.CheckPlan(); err != nil {
		return err
	}
	if c.First < 0 {
		return exit.Usagef("--first must be at least 0, is %d", c.First)
	}
	tolerance, err := c.tolerance()
	if err != nil {
		return err
	}
	if tolerance != nil && c.Metadata && !c.Values {
		return exit.Usagef("--rtol and --atol have no effect with --metadata")
	}
	p, a, err := openTop(ctx, s, c.A)
	if err != nil {
		return err
	}
	defer p.Release()
	q, b, err := openTop(ctx, s, c.B)
	if err != nil {
		return err
	}
	defer q.Release()
	s.Far.Begin(progress.Work{Unit: "elements", Verb: "read", Moved: s.Report.BytesRead.Load})
	o := diff.Options{SkipMetadata: c.Values && !c.Metadata, SkipValues: c.Metadata && !c.Values, First: c.First, Tolerance: tolerance, Decode: c.Decode, All: c.All, Progress: s.Far.At}
	if c.First == 0 {
		o.First = -1
	}
	var data cost.Reads
	if c.Plan {
		o.Plan = data.Add
	}
	r, err := diff.RunTops(ctx, a, b, o)
	if err != nil {
		return oneOf(err, p, q)
	}
	if c.Plan {
		return c.PrintPlan(s.Out, s.Report.Amount(), &data, c.JSON)
	}
	for _, k := range r.Skipped {
		s.Warn("%s: not compared: %s", exit.At(map[string]string{"a": p.Where, "b": q.Where}[k.Side], errors.New(k.Key)), k.Why)
	}
	err = render.Print(s.Out, c.JSON, r, printDiff)
	if err == nil && !r.Equal() {
		err = exit.At(p.Where, fmt.Errorf("%w from %s in %s", exit.ErrDiffers, q.Where, render.Plural(len(r.Nodes), "node")))
	}
	return err
}

// openTop opens a node to compare. The caller closes the place.
func openTop(ctx context.Context, s *session.Session, url string) (*session.Place, diff.Top, error) {
	p, n, unsupported, err := s.OpenAny(ctx, url)
	if err != nil || unsupported == nil {
		return p, diff.Top{Node: n}, err
	}
	top, err := diff.Unread(ctx, p.Store, unsupported)
	if err != nil {
		p.Release()
	}
	return p, top, err
}

// tolerance returns the tolerance that --rtol and --atol set, or nil if neither is set. The default
// of either flag is 0.
func (c *Diff) tolerance() (*diff.Tolerance, error) {
	if c.RTol == nil && c.ATol == nil {
		return nil, nil
	}
	t := &diff.Tolerance{}
	for _, f := range []struct {
		name string
		from *float64
		to   *float64
	}{{"--rtol", c.RTol, &t.Rel}, {"--atol", c.ATol, &t.Abs}} {
		if f.from == nil {
			continue
		}
		if *f.to = *f.from; !(*f.to >= 0) || math.IsInf(*f.to, 1) {
			return nil, exit.Usagef("%s must be a finite number of at least 0, is %v", f.name, *f.to)
		}
	}
	return t, nil
}

// oneOf adds the URL of q to an error that names the store of q, and the URL of p to any other
// error.
func oneOf(err error, p, q *session.Place) error {
	if name := session.StoreName(err); name != "" && name == q.Root.String() {
		return q.Fail(err)
	}
	return p.Fail(err)
}

// printDiff prints one line for each difference, and then the amount of compared data.
func printDiff(out io.Writer, r *diff.Result) error {
	for _, n := range r.Nodes {
		path := render.OneLine(cmp.Or(n.Path, "."))
		if n.Only != "" {
			fmt.Fprintf(out, "%s: only in %s\n", path, map[string]string{"a": "the first", "b": "the second"}[n.Only])
		}
		for _, m := range n.Members {
			fmt.Fprintf(out, "%s: %s: %s, %s\n", path, render.OneLine(m.Name), orNone(m.A), orNone(m.B))
		}
		v := n.Values
		if v == nil {
			continue
		}
		if v.Not != "" {
			fmt.Fprintf(out, "%s: values not compared: %s\n", path, v.Not)
			continue
		}
		for _, e := range v.First {
			fmt.Fprintf(out, "%s: %v: %s, %s\n", path, e.At, render.OneLine(string(e.A)), render.OneLine(string(e.B)))
		}
		more := ""
		if v.Largest != nil {
			more = fmt.Sprintf(" by more than the tolerance, at most by %v", *v.Largest)
		}
		fmt.Fprintf(out, "%s: %d of %s differ%s\n", path, v.Different, render.Plural(int(v.Of), "element"), more)
	}
	_, err := fmt.Fprintf(out, "compared %s, %s: %s\n", render.Plural(r.Compared, "node"), render.Plural(int(r.Elements), "element"),
		map[bool]string{true: "equal", false: render.Plural(len(r.Nodes), "node") + " not equal"}[r.Equal()])
	return err
}

func orNone(b json.RawMessage) string {
	if b == nil {
		return "none"
	}
	return render.OneLine(string(b))
}
