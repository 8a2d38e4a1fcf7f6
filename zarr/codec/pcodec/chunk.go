package pcodec

import (
	"github.com/zargo-io/zargo/zarr/fault"
)

// chunk is one chunk of a file. In standalone files it has one page.
type chunk struct {
	number    number
	mode      mode
	distance  variable // of lookback
	primary   variable
	secondary variable
	distances batch
	latents   [2]batch
}

// readMeta reads the metadata of a chunk.
func (c *chunk) readMeta(r *reader, h header, work *int64) error {
	if err := c.mode.read(r, h, c.number); err != nil {
		return err
	}
	d := &c.primary.delta
	if err := d.read(r, h); err != nil {
		return err
	}
	if d.kind == lookback {
		if err := c.distance.readBins(r, 32, work); err != nil {
			return err
		}
		for _, b := range c.distance.bins {
			if b.lower < 1 || b.lower > uint64(d.window) {
				return fault.Newf(fault.Corrupt, "pco lookback from %d in a window of %d", b.lower, d.window)
			}
		}
	}
	width := c.mode.primaryWidth(c.number)
	if d.kind == conv1 {
		if err := d.kernel.valid(width); err != nil {
			return err
		}
	}
	if err := c.primary.readBins(r, width, work); err != nil {
		return err
	}
	if c.mode.secondary() {
		c.secondary.delta.share(d)
		if err := c.secondary.readBins(r, c.number.width, work); err != nil {
			return err
		}
	}
	return r.align("metadata of a chunk")
}

// variables calls do with the variables of the chunk, in stored order.
func (c *chunk) variables(do func(v *variable) error) error {
	if c.primary.delta.kind == lookback {
		if err := do(&c.distance); err != nil {
			return err
		}
	}
	if err := do(&c.primary); err != nil {
		return err
	}
	if c.mode.secondary() {
		return do(&c.secondary)
	}
	return nil
}

// readPage reads the page of the chunk to dst.
func (c *chunk) readPage(r *reader, dst []byte) error {
	size := c.number.size()
	n := len(dst) / size
	stored := max(n-c.primary.delta.count, 0) // numbers that are not in the state of the page
	err := c.variables(func(v *variable) error {
		if len(v.bins) == 0 && stored > 0 {
			return fault.Newf(fault.Corrupt, "pco chunk of %d numbers without bins", n)
		}
		return v.readPage(r, n)
	})
	if err == nil {
		err = r.align("header of a page")
	}
	for left := n; left > 0 && err == nil; left -= batchSize {
		m := min(left, batchSize)
		err = c.readBatch(r, dst[:m*size], left)
		dst = dst[m*size:]
	}
	if err != nil {
		return err
	}
	return r.align("page of a chunk")
}

// readBatch reads the numbers of dst. left is the number of remaining numbers of the page, with
// those of dst.
func (c *chunk) readBatch(r *reader, dst []byte, left int) error {
	n := len(dst) / c.number.size()
	var distances []uint64
	if c.primary.delta.kind == lookback {
		distances = c.distances[:min(n, max(left-c.primary.delta.count, 0))]
		if err := c.distance.read(r, distances); err != nil {
			return err
		}
	}
	primary, secondary := c.latents[0][:n], c.latents[1][:n]
	if err := c.primary.next(r, primary, distances, left); err != nil {
		return err
	}
	if c.mode.secondary() {
		if err := c.secondary.next(r, secondary, distances, left); err != nil {
			return err
		}
	}
	if err := c.mode.join(c.number, primary, secondary); err != nil {
		return err
	}
	c.number.store(dst, primary)
	return nil
}

// next reads a batch of latents and undoes their delta encoding. The last latents of a page come
// from the state alone, without stored differences.
func (v *variable) next(r *reader, out, distances []uint64, left int) error {
	if err := v.read(r, out[:min(len(out), max(left-v.delta.count, 0))]); err != nil {
		return err
	}
	return v.delta.undo(out, distances, v.width)
}
