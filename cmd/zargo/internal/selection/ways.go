package selection

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/fault"
)

// LabelFlags determine how named items of --sel select labels.
type LabelFlags struct {
	Tolerance []string `help:"The maximum distance between a label with the method nearest, pad or backfill and its coordinate: a number, or a duration such as 90m for times. The flag may be repeated." placeholder:"NAME=DISTANCE"`
	Wrap      []string `help:"The period of a cyclic coordinate, such as lon=360: the label -90 then selects the longitude 270, and a range may cross the end of the period. The flag may be repeated." placeholder:"NAME=PERIOD"`
}

// ways are the distance and the period of one dimension.
type ways struct {
	within any // a float64 or a time.Duration; nil without --tolerance
	period float64
}

// query applies the ways to a query.
func (w ways) query(q dataset.Query) dataset.Query {
	if w.within != nil {
		q = q.Within(w.within)
	}
	if w.period != 0 {
		q = q.Wrap(w.period)
	}
	return q
}

// apply sets the ways of the items. Each flag must name the dimension of an item of --sel.
func (f LabelFlags) apply(items []Item) error {
	for _, flag := range []struct {
		name  string
		texts []string
		set   func(w *ways, text string) bool
	}{{"--tolerance", f.Tolerance, (*ways).setWithin}, {"--wrap", f.Wrap, (*ways).setPeriod}} {
		for _, text := range flag.texts {
			name, value, ok := strings.Cut(text, "=")
			found := false
			for i := range items {
				if items[i].label == "" || items[i].Name != strings.TrimSpace(name) {
					continue
				}
				found = true
				ok = ok && flag.set(&items[i].ways, strings.TrimSpace(value))
			}
			switch {
			case !ok:
				return exit.Usagef("%s must be the name of a dimension and a positive number, is %q", flag.name, text)
			case !found:
				return fault.Newf(fault.Selection, "%s names the dimension %q, for which --sel has no label", flag.name, strings.TrimSpace(name))
			}
		}
	}
	return nil
}

func (w *ways) setWithin(text string) bool {
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		w.within = f
		return f >= 0 && !math.IsInf(f, 0)
	}
	d, err := time.ParseDuration(text)
	w.within = d
	return err == nil && d >= 0
}

func (w *ways) setPeriod(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	w.period = f
	return err == nil && f > 0 && !math.IsInf(f, 0)
}
