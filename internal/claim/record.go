package claim

import (
	"encoding/json"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// RecordMember is the name of the attribute or member that holds the record.
const RecordMember = "zargo_record"

// Record is what remains to be known of changes that were given up or taken over. A document has
// one from the first such change on. The methods that return a Record leave the receiver as it is.
//
// A request may arrive long after its process was taken for dead. A put on condition that the key
// is absent then fails only if the key is taken, so what Left and Kept say holds for good.
type Record struct {
	// Left are boxes in which objects may have values of changes that were given up, or may still
	// get them. Elements in them that are outside the shape are not values of the array.
	Left []Box
	// Kept are boxes that were Left and were written since, with an object under every key. The
	// objects must stay.
	Kept []Box
	// Past is a shape of the array, from which a Resize that did not end has not deleted all that
	// is outside the present one. nil: there is none.
	Past []int
	// Taken are the claims that others took over or dropped, the latest last. A claim that is gone
	// and is not among them was ended by its own process.
	Taken []string
}

// Box is a box of elements: along each axis those from Lo up to and without Hi.
type Box struct {
	Lo []int `json:"lo"`
	Hi []int `json:"hi"`
}

const (
	// maxBoxes bounds Left and Kept each. Beyond it the two oldest boxes become one that has both.
	maxBoxes = 16
	// maxTaken bounds Taken. A process would have to come back after so many later take-overs
	// to be wrong about its own.
	maxTaken = 64
	// maxParsed bounds what is read of each list: more is not a record of this package.
	maxParsed = 1000
)

type storedRecord struct {
	Left  []Box    `json:"left,omitempty"`
	Kept  []Box    `json:"kept,omitempty"`
	Past  []int    `json:"past,omitempty"`
	Taken []string `json:"taken,omitempty"`
}

// ParseRecord reads the values of the two members, of a document of an array of the shape; of a
// group it is nil. A claim of an earlier version may have a record in it. fault.Metadata: the value
// is not a record.
func ParseRecord(raw, rawClaim []byte, shape []int) (Record, error) {
	var s storedRecord
	if raw != nil {
		if err := json.Unmarshal(raw, &s); err != nil {
			return Record{}, fault.Newf(fault.Metadata, "%s: %w", RecordMember, err)
		}
	}
	r := Record(s)
	if len(r.Left) > maxParsed || len(r.Kept) > maxParsed || len(r.Taken) > maxParsed {
		return Record{}, fault.Newf(fault.Metadata, "%s: more than %d entries", RecordMember, maxParsed)
	}
	for _, b := range slices.Concat(r.Left, r.Kept) {
		if !b.valid(len(shape)) {
			return Record{}, fault.Newf(fault.Metadata, "%s: %v is not a box of %d axes", RecordMember, b, len(shape))
		}
	}
	if r.Past != nil && (len(r.Past) != len(shape) || len(shape) > 0 && slices.Min(r.Past) < 0) {
		return Record{}, fault.Newf(fault.Metadata, "%s: %v is not a shape of %d axes", RecordMember, r.Past, len(shape))
	}
	old, err := parse(rawClaim)
	if err != nil || old.Abandoned == nil {
		return r, err
	}
	b := Box{Lo: make([]int, len(shape)), Hi: slices.Clone(shape)}
	for i := range min(len(shape), len(old.Abandoned)) {
		b.Hi[i] = max(b.Hi[i], old.Abandoned[i])
	}
	r.Left = add(r.Left, b)
	return r, nil
}

// JSON returns the value of the member; nil for the zero Record, which has no member.
func (r Record) JSON() json.RawMessage {
	if len(r.Left)+len(r.Kept)+len(r.Taken) == 0 && r.Past == nil {
		return nil
	}
	b, err := json.Marshal(storedRecord(r))
	if err != nil {
		return nil // it cannot be: numbers and strings
	}
	return b
}

// GivenUp adds where a change of an array of the shape may have put objects, or deleted some.
func (r Record) GivenUp(c Claim, shape []int) Record {
	switch {
	case !c.Under():
	case c.What == Append && c.Dim == "" && c.Axis < len(shape) && c.To > c.From:
		b := Box{Lo: make([]int, len(shape)), Hi: slices.Clone(shape)}
		b.Lo[c.Axis], b.Hi[c.Axis] = c.From, c.To
		r.Left = add(r.Left, b)
	case len(c.Was) == len(shape) && c.Was != nil:
		past := slices.Clone(c.Was)
		for i, n := range r.Past {
			past[i] = max(past[i], n)
		}
		r.Past = past
	}
	return r
}

// Take adds the ID of a claim that another process takes over or drops.
func (r Record) Take(id string) Record {
	if slices.Contains(r.Taken, id) {
		return r
	}
	r.Taken = append(slices.Clone(r.Taken), id)
	if n := len(r.Taken); n > maxTaken {
		r.Taken = r.Taken[n-maxTaken:]
	}
	return r
}

// Written says that the array has the shape now, and that all elements of Left inside of it are
// values of the array, under keys that are taken.
func (r Record) Written(shape []int) Record {
	left := r.Left
	r.Left = nil
	for _, b := range left {
		if inside, ok := b.And(Whole(shape)); ok {
			r.Kept = add(r.Kept, inside)
		}
		if rest, ok := b.outside(shape); ok {
			r.Left = add(r.Left, rest)
		}
	}
	if r.Past != nil && inside(r.Past, shape) {
		r.Past = nil
	}
	return r
}

// Deleted says that objects outside a shape are deleted: their keys are no longer taken.
func (r Record) Deleted(shape []int) Record {
	kept := r.Kept
	r.Kept = nil
	for _, b := range kept {
		rest, out := b.outside(shape)
		if out {
			r.Left = add(r.Left, rest)
		}
		if in, ok := b.And(Whole(shape)); ok {
			r.Kept = add(r.Kept, in)
		}
	}
	return r
}

// Touches reports whether the keys of a box must be taken.
func (r Record) Touches(b Box) bool {
	for _, other := range slices.Concat(r.Left, r.Kept) {
		if _, ok := other.And(b); ok {
			return true
		}
	}
	return false
}

// add adds a box to a list, unless one of the list has all of it.
func add(list []Box, b Box) []Box {
	out := make([]Box, 0, len(list)+1)
	for _, have := range list {
		if have.has(b) {
			return list
		}
		if !b.has(have) {
			out = append(out, have)
		}
	}
	out = append(out, b)
	for len(out) > maxBoxes {
		out[1] = out[0].Union(out[1])
		out = out[1:]
	}
	return out
}

// Whole returns the box of all elements of a shape.
func Whole(shape []int) Box { return Box{Lo: make([]int, len(shape)), Hi: slices.Clone(shape)} }

func (b Box) valid(rank int) bool {
	if len(b.Lo) != rank || len(b.Hi) != rank {
		return false
	}
	for i, lo := range b.Lo {
		if lo < 0 || b.Hi[i] < lo {
			return false
		}
	}
	return true
}

// And returns the elements of both boxes, and whether there are any.
func (b Box) And(other Box) (Box, bool) {
	out := Box{Lo: make([]int, len(b.Lo)), Hi: make([]int, len(b.Lo))}
	for i := range b.Lo {
		out.Lo[i], out.Hi[i] = max(b.Lo[i], other.Lo[i]), min(b.Hi[i], other.Hi[i])
		if out.Lo[i] >= out.Hi[i] {
			return Box{}, false
		}
	}
	return out, true
}

// Union returns the smallest box that has both.
func (b Box) Union(other Box) Box {
	out := Box{Lo: make([]int, len(b.Lo)), Hi: make([]int, len(b.Lo))}
	for i := range b.Lo {
		out.Lo[i], out.Hi[i] = min(b.Lo[i], other.Lo[i]), max(b.Hi[i], other.Hi[i])
	}
	return out
}

// has reports whether all elements of another box are in b.
func (b Box) has(other Box) bool {
	for i := range b.Lo {
		if other.Lo[i] < b.Lo[i] || other.Hi[i] > b.Hi[i] {
			return false
		}
	}
	return true
}

// outside returns a box that has all elements of b outside a shape, and no more than b has; false
// where b has none.
func (b Box) outside(shape []int) (Box, bool) {
	beyond, axis := 0, 0
	for i, n := range shape {
		if b.Lo[i] >= b.Hi[i] {
			return Box{}, false
		}
		if b.Hi[i] > n {
			beyond, axis = beyond+1, i
		}
	}
	switch beyond {
	case 0:
		return Box{}, false
	case 1:
		out := Box{Lo: slices.Clone(b.Lo), Hi: b.Hi}
		out.Lo[axis] = max(out.Lo[axis], shape[axis])
		return out, true
	}
	return b, true
}

// Outside returns boxes that together have the elements of b outside a shape, each of them once.
func (b Box) Outside(shape []int) (all []Box) {
	for axis, n := range shape {
		out := Box{Lo: slices.Clone(b.Lo), Hi: slices.Clone(b.Hi)}
		for i := range axis {
			out.Hi[i] = min(out.Hi[i], shape[i])
		}
		out.Lo[axis] = max(out.Lo[axis], n)
		if out, ok := out.And(b); ok {
			all = append(all, out)
		}
	}
	return all
}

// inside reports whether one shape is nowhere longer than another.
func inside(shape, other []int) bool {
	for i, n := range shape {
		if n > other[i] {
			return false
		}
	}
	return true
}
