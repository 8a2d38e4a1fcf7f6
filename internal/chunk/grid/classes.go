package grid

// Class is a class of pieces of a [Slice] that select the same elements of their chunks. It has one
// of the pieces, and their number.
type Class struct {
	Part
	Like int
}

// alike has the properties that all pieces of a class have in common.
type alike struct{ off, step, n, edge, inside int }

// Classes groups the pieces of s into classes. The axis has length elements. Pieces of one class
// have the same Off, Step and N, and their chunks have the same length and the same number of
// elements within the axis. Each piece of an Index is a separate class.
//
// Classes does not iterate over all pieces. For each run of chunks of one length, it examines one
// piece for each offset at which pieces begin.
func (s Slice) Classes(axis Axis, length int) []Class {
	if s.Count == 0 {
		return nil
	}
	if s.Index != nil {
		parts := s.listed(axis)
		classes := make([]Class, len(parts))
		for i, p := range parts {
			classes[i] = Class{p, 1}
		}
		return classes
	}
	var classes []Class
	known := map[alike]int{}
	add := func(p Part, n int) {
		start, edge := axis.Chunk(p.Chunk)
		a := alike{p.Off, p.Step, p.N, edge, min(edge, length-start)}
		i, ok := known[a]
		if !ok {
			i = len(classes)
			known[a] = i
			classes = append(classes, Class{p, 0})
		}
		classes[i].Like += n
	}
	for j := 0; j < s.Count; {
		if n, period := s.periods(j, axis); n > 0 {
			for k := j; k < j+period; {
				p := s.part(k, axis)
				add(p, n)
				k += p.N
			}
			j += n * period
		}
		p := s.part(j, axis)
		add(p, 1)
		j += p.N
	}
	return classes
}

// periods returns a period in elements, after which the offsets of pieces in their chunks repeat. n
// is the number of whole periods from element j on, which must begin a piece. These periods end
// before the last piece in the run of chunks of the same length.
func (s Slice) periods(j int, axis Axis) (n, period int) {
	if j == 0 {
		return 0, 0 // the first piece may start within its chunk
	}
	pos := s.Start + j*s.Step
	_, edge, _ := axis.Locate(pos)
	from, to := 0, s.Start+(s.Count-1)*s.Step // the selected part of the run of chunks
	if axis.runs != nil {
		k := axis.run(pos)
		from = axis.runs[k].start
		to = min(to, axis.end(k)-1)
	}
	last := s.Count - 1 - j // number of elements after the j-th in the run
	if s.Step > 0 {
		last = min(last, (to-pos)/s.Step)
	} else {
		last = min(last, (pos-from)/-s.Step)
	}
	_, _, off := axis.Locate(pos + last*s.Step)
	first := last - before(off, edge, s.Step) // first element of the last piece
	a, b := edge, max(s.Step, -s.Step)
	for b != 0 {
		a, b = b, a%b
	}
	period = edge / a
	return max(first, 0) / period, period
}

// before returns the number of elements that precede the element at off in its piece.
func before(off, edge, step int) int {
	if step > 0 {
		return off / step
	}
	return (edge - 1 - off) / -step
}
