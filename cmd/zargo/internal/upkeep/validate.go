package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/reading"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/validate"
)

// Validate is the command validate.
type Validate struct {
	URL       string         `arg:"" name:"url" optional:"" help:"The array or the group."`
	Data      bool           `help:"Decode every chunk."`
	Strict    bool           `help:"Treat warnings as errors."`
	JSON      bool           `name:"json" help:"Print a JSON object."`
	Repair    bool           `help:"Repair violations that can be repaired without inventing data, and print the repairs and the remaining violations."`
	DryRun    bool           `name:"dry-run" help:"With --repair: print the repairs without making them."`
	Orphans   bool           `name:"delete-orphans" help:"With --repair: delete chunks that no read uses, because they are beyond the shape or under keys of another layout."`
	Claims    *time.Duration `name:"drop-claims" help:"With --repair: remove records of appends and resizes that are at least this old." placeholder:"AGE"`
	From      string         `name:"restore-from" help:"With --repair: restore damaged objects from this other copy of the hierarchy." placeholder:"URL"`
	Keep      string         `name:"keep-damaged" help:"With --restore-from: first copy the objects that will be replaced to this location." placeholder:"URL"`
	ArrayPath string         `name:"array_path" help:"Print all values of this array instead, one per line in C order, as the Zarr conformance tests require." placeholder:"URL"`
	session.SeparatorFlag
	cost.PlanFlags
}

// Run reports every violation of a rule and makes the requested repairs. The returned error is the
// worst remaining finding.
func (c *Validate) Run(ctx context.Context, s *session.Session) error {
	switch {
	case c.Plan && (c.Repair || c.ArrayPath != ""):
		return exit.Usagef("--plan cannot be combined with --repair or --array_path")
	case !c.Repair && (c.DryRun || c.Orphans || c.Claims != nil):
		return exit.Usagef("--dry-run, --delete-orphans and --drop-claims require --repair")
	case !c.Repair && c.From != "":
		return exit.Usagef("--restore-from requires --repair")
	case c.From == "" && c.Keep != "":
		return exit.Usagef("--keep-damaged requires --restore-from")
	case c.Repair && c.ArrayPath != "":
		return exit.Usagef("--repair requires the URL")
	case c.ArrayPath != "" && c.URL != "":
		return exit.Usagef("--array_path and the URL cannot be combined")
	case c.ArrayPath != "":
		return reading.PrintValues(ctx, s, c.ArrayPath)
	case c.URL == "":
		return exit.Usagef("expected \"<url>\"")
	}
	if err := c.CheckPlan(); err != nil {
		return err
	}
	p, err := s.Locate(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.Release()
	var data cost.Reads
	var found []rule.Finding
	tell := func(f rule.Finding) { found = append(found, s.Far.Noted(f)) }
	s.Far.Begin(progress.Work{Unit: "chunks", Verb: "read", AtMost: true, Moved: s.Report.BytesRead.Load})
	o := validate.Options{Data: c.Data, Open: s.Options(c.Options()...), Progress: s.Far.At}
	if c.Plan {
		o.Plan = data.Add
		if _, err := validate.Run(ctx, p.Store, p.Path, o, func(rule.Finding) {}); err != nil {
			return p.Fail(err)
		}
		return c.PrintPlan(s.Out, s.Report.Amount(), &data, c.JSON)
	}
	var done *validate.Repairs
	if c.Repair {
		ro := validate.RepairOptions{Options: o, DryRun: c.DryRun, DeleteOrphans: c.Orphans, DropClaims: c.Claims != nil}
		if c.Claims != nil {
			ro.ClaimAge = *c.Claims
		}
		if c.From != "" {
			from, err := s.Locate(ctx, c.From)
			if err != nil {
				return err
			}
			defer from.Release()
			ro.From = &validate.Copy{Store: from.Store, Path: from.Path, Open: s.Options()}
		}
		if c.Keep != "" {
			keep, err := s.Locate(ctx, c.Keep)
			if err != nil {
				return err
			}
			defer keep.Release()
			ro.Keep = keep.Store
		}
		done, err = validate.Repair(ctx, p.Store, p.Path, ro, tell)
	} else {
		done = &validate.Repairs{}
		done.Found, err = validate.Run(ctx, p.Store, p.Path, o, tell)
		done.Left = done.Found
	}
	slices.SortFunc(found, func(a, b rule.Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	if e := c.print(s, done, found, err == nil); e != nil && err == nil {
		err = e
	}
	if err != nil {
		return p.Fail(err)
	}
	least := rule.Fault
	if c.Strict {
		least = rule.Warning
	}
	if worst, broken := done.Left.Worst(least); broken {
		err := error(&invalid{worst, done.Left})
		if hint := session.ZipHint(p.Where); worst.Rule == rule.NotThere && hint != "" {
			err = exit.Reword(err.Error()+hint, err)
		} else if worst.Rule == rule.NotThere && worst.Path == p.Path {
			err = s.NotZarr(ctx, p.Root, err)
		}
		return exit.At(p.Where, err)
	}
	return nil
}

// invalid is the error of a hierarchy that violates rules.
type invalid struct {
	worst  rule.Finding
	result *validate.Result
}

func (i *invalid) Error() string {
	text := fmt.Sprintf("%s, %s", render.Plural(i.result.Counts[rule.Fault], "error"), render.Plural(i.result.Counts[rule.Warning], "warning"))
	at := cmp.Or(i.worst.Key, i.worst.Path)
	if i.worst.Pointer != "" {
		at += " at " + i.worst.Pointer
	}
	if at != "" {
		at += ": "
	}
	return text + ", the worst: " + at + i.worst.Message()
}

// Unwrap returns the kind of the worst finding, or the store's error.
func (i *invalid) Unwrap() error { return cmp.Or(i.worst.Rule.Kind(), i.worst.Err) }

// validateInfo is the JSON output.
type validateInfo struct {
	Nodes    int            `json:"nodes"`
	Arrays   int            `json:"arrays"`
	Chunks   int64          `json:"chunks"`
	Data     bool           `json:"data"`
	Complete bool           `json:"complete"` // false if an interrupt, a timeout or the store ended the run
	Errors   int            `json:"errors"`
	Warnings int            `json:"warnings"`
	Notes    int            `json:"notes"`
	Findings []rule.Finding `json:"findings"`

	Repairs []validate.Step `json:"repairs,omitempty"` // with --repair: the steps of the repair
}

// maxAligned is the maximum width of a key for alignment. Longer keys, which may have up to 2000
// characters, do not widen the other lines.
const maxAligned = 72

// printFindings prints one line for each finding: severity, code, key with pointer, and message.
func printFindings(out io.Writer, found []rule.Finding) error {
	rows := make([][]string, len(found))
	for i, f := range found {
		rows[i] = []string{f.Severity().String(), string(f.Rule), render.OneLine(cmp.Or(f.Key, f.Path, ".") + f.Pointer), render.Message(f.Message())}
	}
	return printAligned(out, rows)
}

// printAligned prints rows of four cells, the first three in aligned columns.
func printAligned(out io.Writer, rows [][]string) error {
	var wide [3]int
	for _, row := range rows {
		for i := range wide {
			if n := utf8.RuneCountInString(row[i]); n <= maxAligned {
				wide[i] = max(wide[i], n)
			}
		}
	}
	for _, row := range rows {
		if _, err := fmt.Fprintf(out, "%-*s  %-*s  %-*s  %s\n", wide[0], row[0], wide[1], row[1], wide[2], row[2], row[3]); err != nil {
			return err
		}
	}
	return nil
}

// print prints the findings and the repairs. complete is true if the run checked everything.
func (c *Validate) print(s *session.Session, done *validate.Repairs, found []rule.Finding, complete bool) error {
	r := done.Found
	if c.JSON {
		info := validateInfo{r.Nodes, r.Arrays, r.Chunks, c.Data, complete, r.Counts[rule.Fault], r.Counts[rule.Warning], r.Counts[rule.Note], append([]rule.Finding{}, found...), done.Steps}
		return render.JSON(s.Out, info)
	}
	if err := printFindings(s.Out, found); err != nil {
		return err
	}
	how := "seen"
	if c.Data {
		how = "decoded"
	}
	far := ""
	if !complete {
		far = "not everything was checked: "
	}
	_, err := fmt.Fprintf(s.Out, "%s%s, %s, %s %s: %s, %s, %s\n", far, render.Plural(r.Nodes, "node"), render.Plural(r.Arrays, "array"), render.Plural(int(r.Chunks), "chunk"), how,
		render.Plural(r.Counts[rule.Fault], "error"), render.Plural(r.Counts[rule.Warning], "warning"), render.Plural(r.Counts[rule.Note], "note"))
	if err != nil || !c.Repair {
		return err
	}
	return printSteps(s.Out, done.Steps)
}

// printSteps prints one line for each step of a repair, with its state, its code, its key or node,
// and its text. It prints the counts last.
func printSteps(out io.Writer, steps []validate.Step) error {
	counts := map[validate.State]int{}
	rows := make([][]string, 0, len(steps))
	for _, s := range steps {
		counts[s.State]++
		where := cmp.Or(s.Key, s.Path, ".")
		if s.Findings > 1 {
			where += fmt.Sprintf(" and %d more", s.Findings-1)
		}
		text := s.Text
		if s.Unseen != "" {
			text += "; " + s.Unseen
		}
		rows = append(rows, []string{string(s.State), string(s.Rule), render.OneLine(where), render.OneLine(text)})
	}
	if err := printAligned(out, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d repaired, %d planned, %d left\n", counts[validate.Repaired], counts[validate.Planned], counts[validate.Left])
	return err
}
