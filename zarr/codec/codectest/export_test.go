package codectest

import (
	"errors"
	"math/rand/v2"

	"github.com/zargo-io/zargo/zarr/codec"
)

// Together runs only the check of concurrent use in [Check], for a bytes-to-bytes codec.
func Together(table *codec.Table, spec codec.Spec, in codec.Repr) error {
	c, err := table.Chain([]codec.Spec{afterwards(in), spec}, in)
	if err != nil {
		return err
	}
	r := &report{rand: rand.New(rand.NewPCG(1, 2))}
	for kind := range contents {
		src := r.block(in, kind)
		stored, err := c.Encode(nil, src, nil)
		if err != nil {
			return err
		}
		r.together(c, stored, src)
	}
	return errors.Join(r.errs...)
}
