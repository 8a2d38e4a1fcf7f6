package writing

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Resize is the command resize.
type Resize struct {
	URL          string         `arg:"" name:"url" help:"The array."`
	Shape        string         `help:"The new lengths of all axes." placeholder:"N,…"`
	Dim          []string       `help:"The new length of one axis: its name, or its number, and the length. The flag may be repeated." placeholder:"NAME=N"`
	Clear        bool           `help:"Set elements outside the new shape to the fill value, in chunks that are partly outside. Otherwise they reappear if the array grows again."`
	MetadataOnly bool           `name:"metadata-only" help:"Keep all chunks, so that all values reappear if the array grows again."`
	Wait         time.Duration  `help:"Wait this long for another append or resize to end." placeholder:"TIME"`
	TakeOver     *time.Duration `help:"Take over an append or a resize whose process has not renewed its claim for this long. A process that lives renews it every 30 s." placeholder:"TIME"`
	session.ConsolidateFlag
}

// Run changes the shape of an array.
func (c *Resize) Run(ctx context.Context, s *session.Session) error {
	switch {
	case (c.Shape == "") == (len(c.Dim) == 0):
		return exit.Usagef("pass the new lengths with --shape or --dim")
	case c.Clear && c.MetadataOnly:
		return exit.Usagef("--clear and --metadata-only cannot be combined")
	}
	p, n, err := s.OpenRooted(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.Release()
	a, ok := n.(*zarr.Array)
	if !ok {
		return exit.Usagef("%s is a group: resize its arrays", p.Where)
	}
	shape, err := c.shape(a)
	if err != nil {
		return p.Fail(err)
	}
	ctx = s.Slow.Waiting(ctx, p.Where, p.Path)
	o := zarr.ResizeOptions{MetadataOnly: c.MetadataOnly, Clear: c.Clear, Wait: c.Wait, TakeOver: takeOver(c.TakeOver)}
	was := a.Shape()
	if a, err = a.Resize(ctx, shape, o); err == nil {
		err = grown(ctx, s, p, a, was)
	}
	if err != nil {
		return p.Fail(err)
	}
	return c.After(ctx, s, p, a)
}

// shape returns the new shape.
func (c *Resize) shape(a *zarr.Array) ([]int, error) {
	if c.Shape != "" {
		shape, err := argument.Integers("--shape", c.Shape)
		if err == nil && len(shape) != len(a.Shape()) {
			err = fault.Newf(fault.Selection, "--shape has %d lengths, but the array has shape %v", len(shape), a.Shape())
		}
		return shape, err
	}
	shape := a.Shape()
	for _, text := range c.Dim {
		name, length, _ := strings.Cut(text, "=")
		n, err := strconv.Atoi(length)
		if err != nil || n < 0 {
			return nil, exit.Usagef("--dim must be a name and a length, such as time=365, is %q", text)
		}
		k, err := axisNamed(a, name)
		if err != nil {
			return nil, err
		}
		shape[k] = n
	}
	return shape, nil
}

// axisNamed returns the axis of an array that --dim names: by its name or its number.
func axisNamed(a *zarr.Array, name string) (int, error) {
	dims := a.Dims()
	if i := slices.Index(dims, name); i >= 0 {
		return i, nil
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(a.Shape()) {
		return 0, fault.Newf(fault.Selection, "--dim must be one of the axes %[2]q or a number from 0 to %[3]d, is %[1]q", name, dims, len(a.Shape())-1)
	}
	return i, nil
}

// takeOver converts --take-over to the option of package zarr: 0s becomes a negative duration,
// which takes over every change.
func takeOver(age *time.Duration) time.Duration {
	switch {
	case age == nil:
		return 0
	case *age == 0:
		return -1
	}
	return *age
}
