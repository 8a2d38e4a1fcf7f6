package render

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/bucketcheck"
)

// CheckTable prints the findings of a bucket check. It prints the line of each check as soon as the
// check is complete.
type CheckTable struct {
	out  io.Writer
	o    bucketcheck.Options
	name int // width of the longest name
	err  error
}

// NewCheckTable returns a table of the checks that o selects.
func NewCheckTable(out io.Writer, o bucketcheck.Options) *CheckTable {
	t := &CheckTable{out: out, o: o}
	for _, c := range bucketcheck.Checks() {
		t.name = max(t.name, len(c.Name))
	}
	return t
}

// flusher is a buffering writer. CheckTable flushes it after each line, so that lines appear while
// checks run.
type flusher interface{ Flush() error }

func (t *CheckTable) printf(format string, args ...any) {
	if t.err != nil {
		return
	}
	if _, t.err = fmt.Fprintf(t.out, format, args...); t.err != nil {
		return
	}
	if f, ok := t.out.(flusher); ok {
		t.err = f.Flush()
	}
}

// Begin prints the location and the maximum cost of the checks.
func (t *CheckTable) Begin(url string) error {
	if t.o.Key != "" {
		t.printf("reads %s below %s and writes nothing: %s\n\n", OneLine(t.o.Key), OneLine(url), t.o.Plan())
	} else {
		t.printf("writes objects below %s/%s and deletes them: %s\n\n", strings.TrimSuffix(OneLine(url), "/"), t.o.Place, t.o.Plan())
	}
	return t.err
}

// verdictWidth is the length of the longest verdict.
const verdictWidth = len(bucketcheck.Unknown)

// Found prints the finding of one check.
func (t *CheckTable) Found(f bucketcheck.Finding) {
	t.printf("%-*s  %-*s  %s\n", t.name, f.Name, verdictWidth, f.Verdict, OneLine(f.Seen))
	if f.Consequence != "" {
		t.printf("%-*s  %s\n", t.name, "", f.Consequence)
	}
}

// End prints the measured times, the recommended settings, and the number of requests of the check.
func (t *CheckTable) End(r *bucketcheck.Report) error {
	if s := r.Speed; s != nil {
		t.speed(s)
	}
	if len(r.Tuning) > 0 {
		t.printf("\nrecommended settings, instead of the initial ones\n")
		t.rows(func(w io.Writer) {
			for _, a := range r.Tuning {
				now := ""
				if a.Now > 0 {
					now = fmt.Sprintf("now %d", a.Now)
				}
				fmt.Fprintf(w, "%s\t%d %s\t%s\t%s\n", strings.ReplaceAll(a.Name, "_", " "), a.Value, a.Unit, now, a.Why)
			}
		})
	}
	t.printf("\n%s, %s sent, %s received, %s\n", Plural(int(r.Cost.Requests), "request"), Bytes(r.Cost.Sent), Bytes(r.Cost.Received), t.deleted(r))
	return t.err
}

func (t *CheckTable) deleted(r *bucketcheck.Report) string {
	switch {
	case t.o.Key != "":
		return "nothing written"
	case len(r.Left) > 0:
		return fmt.Sprintf("%s left below %s", Plural(len(r.Left), "object"), r.Place)
	}
	return Plural(r.Objects, "key") + " written and deleted"
}

func (t *CheckTable) rows(print func(io.Writer)) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	print(w)
	_ = w.Flush() // writes to memory, cannot fail
	t.printf("%s", b.String())
}

func (t *CheckTable) speed(s *bucketcheck.Speed) {
	t.printf("\nspeed\n")
	t.rows(func(w io.Writer) {
		for _, l := range []struct {
			what string
			*bucketcheck.Latency
		}{{"get", s.Get}, {"put", s.Put}} {
			if l.Latency == nil {
				continue
			}
			fmt.Fprintf(w, "%s of %d bytes\tp50 %s\tp95 %s", l.what, l.Bytes, took(l.P50), took(l.P95))
			if l.FirstByte > 0 {
				fmt.Fprintf(w, "\tfirst byte p50 %s\tp95 %s", took(l.FirstByte), took(l.Tail))
			}
			fmt.Fprintln(w)
		}
		if b := s.Bandwidth; b != nil {
			fmt.Fprintf(w, "one connection\t%.1f MB/s\tin reads of %d bytes\n", b.PerSecond/1e6, b.Bytes)
		}
		for _, side := range []struct {
			what   string
			levels []bucketcheck.Level
		}{{"reads", s.Reads}, {"writes", s.Writes}} {
			for _, l := range side.levels {
				fmt.Fprintf(w, "%d %s in flight\t%.0f/s\t%.1f MB/s\tp50 %s\tp95 %s", l.InFlight, side.what, l.PerSecond, float64(l.Bytes)/l.Took.Seconds()/1e6, took(l.P50), took(l.P95))
				if l.Repeats > 0 {
					fmt.Fprintf(w, "\t%s", Plural(int(l.Repeats), "repeat"))
				}
				fmt.Fprintln(w)
			}
		}
	})
	if s.Note != "" {
		t.printf("%s\n", OneLine(s.Note))
	}
}

// took formats a duration with about three digits.
func took(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}
