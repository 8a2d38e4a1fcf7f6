package render

import (
	"context"
	"io"
)

// Interruptible returns a writer that fails after ctx has ended, so users can interrupt a long
// output.
func Interruptible(ctx context.Context, w io.Writer) io.Writer { return &interruptible{ctx, w} }

type interruptible struct {
	ctx context.Context
	w   io.Writer
}

func (c *interruptible) Write(b []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.w.Write(b)
}
