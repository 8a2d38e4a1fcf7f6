package pcodec

import "github.com/zargo-io/zargo/zarr/fault"

// delta is the delta encoding of a variable, and its state in the page.
type delta struct {
	kind    deltaKind
	state   []uint64 // latents or differences that the next latents are computed from
	count   int      // number of stored latents in state
	both    bool     // the encoding also applies to secondary latents
	window  int      // maximum distance of lookback
	ring    ring
	kernel  kernel
	history []uint64
}

// deltaKind is a method to predict latents from earlier ones.
type deltaKind uint8

const (
	noDelta     deltaKind = iota
	consecutive           // differences of successive latents, taken order times
	lookback              // differences from a latent at a stored distance
	conv1                 // differences from a weighted sum of preceding latents
)

// maxWindowLog is the maximum base-2 logarithm of a lookback window: the maximum size of a chunk.
const maxWindowLog = 24

// read reads the delta encoding of the primary latents of a chunk.
func (d *delta) read(r *reader, h header) error {
	d.kind, d.count, d.both = noDelta, 0, false
	if h.major < 3 {
		if d.count = int(r.bits(3)); d.count > 0 {
			d.kind = consecutive
		}
		return r.check("delta encoding of a chunk")
	}
	v := r.bits(4)
	switch d.kind = deltaKind(v); d.kind {
	case noDelta:
	case consecutive:
		if d.count = int(r.bits(3)); d.count == 0 && !r.short {
			return fault.Newf(fault.Corrupt, "pco delta encoding of order 0")
		}
		d.both = r.bits(1) == 1
	case lookback:
		window, state := r.bits(5)+1, r.bits(4)
		if window > maxWindowLog || state > window {
			return fault.Newf(fault.Corrupt, "pco lookback window of 2^%d latents with a state of 2^%d", window, state)
		}
		d.window, d.count = 1<<window, 1<<state
		d.both = r.bits(1) == 1
	case conv1:
		d.kernel.read(r)
		d.count = len(d.kernel.weights)
	default:
		return h.unknown("delta encoding", v)
	}
	return r.check("delta encoding of a chunk")
}

// share sets d to the encoding of secondary latents. of is the encoding of primary latents.
func (d *delta) share(of *delta) {
	d.kind, d.count = noDelta, 0
	if of.both {
		d.kind, d.count, d.window = of.kind, of.count, of.window
	}
}

// readPage reads the state at the start of a page of n numbers.
func (d *delta) readPage(r *reader, width uint, n int) error {
	if int64(d.count)*int64(width) > r.left() {
		return fault.Newf(fault.Corrupt, "the pco file ends in the state of a delta encoding of %d latents", d.count)
	}
	d.state = d.state[:0]
	for range d.count {
		d.state = append(d.state, r.bits(width))
	}
	if d.kind == lookback {
		d.ring.reset(d.state, min(d.window, n+d.count))
	}
	return nil
}

// undo replaces the differences of a batch by latents. distances has one distance of lookback for
// each stored difference.
func (d *delta) undo(out, distances []uint64, width uint) error {
	switch d.kind {
	case consecutive:
		undoConsecutive(out, d.state, width)
	case lookback:
		return d.undoLookback(out, distances, width)
	case conv1:
		d.kernel.undo(out, d.state, width)
	}
	return nil
}

// undoConsecutive replaces differences by latents. moments[0] is the next latent. moments[1] is the
// next difference, moments[2] is the next difference of differences, and so on.
func undoConsecutive(out, moments []uint64, width uint) {
	mask, add := maskOf(width), middle(width)
	for i := len(moments) - 1; i >= 0; i-- {
		m := moments[i]
		for k, d := range out {
			out[k] = m
			m = (m + d + add) & mask
		}
		moments[i] = m
		add = 0 // only the stored differences are moved to the middle
	}
}
