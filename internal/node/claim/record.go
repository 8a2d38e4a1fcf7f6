package claim

import (
	"encoding/json"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// RecordMember is the name of the attribute or member that has the record.
const RecordMember = "zargo_record"

// Record describes the changes of an array or a group that were abandoned or taken over. Methods
// that return a Record do not modify the receiver.
//
// A request may arrive long after its process was assumed dead. If the request puts an object on
// the condition that its key is absent, only an object under that key makes the request fail.
// Therefore Left and Kept remain in the document permanently.
type Record struct {
	// Left are boxes whose objects may have, or may still get, values of abandoned changes.
	// Elements of these boxes outside the shape are not values of the array.
	Left []Box
	// Kept are boxes that were in Left and have been written since. Each key in these boxes has an
	// object, which must not be deleted.
	Kept []Box
	// Past is a previous shape of the array. An abandoned Resize may have left objects between the
	// current shape and Past. It is nil without such a Resize.
	Past []int
	// Taken are the IDs of claims that other processes took over or dropped, the latest ID last. A
	// claim that is gone and whose ID is not in Taken was ended by its own process.
	Taken []string
}

// Box is a box of elements. Along each axis it contains the indices i with Lo ≤ i < Hi.
type Box struct {
	Lo []int `json:"lo"`
	Hi []int `json:"hi"`
}

const (
	// maxBoxes bounds the length of Left, and that of Kept. When a list exceeds it, add replaces
	// the two oldest boxes by their union.
	maxBoxes = 16
	// maxTaken bounds the length of Taken. A process that is suspended while 64 more claims are
	// taken over does not detect that its own claim was taken over.
	maxTaken = 64
	// maxParsed bounds the length of each list that ParseRecord accepts. This package writes
	// shorter lists.
	maxParsed = 1000
)

type storedRecord struct {
	Left  []Box    `json:"left,omitempty"`
	Kept  []Box    `json:"kept,omitempty"`
	Past  []int    `json:"past,omitempty"`
	Taken []string `json:"taken,omitempty"`
}

// ParseRecord decodes the record in a document. raw is the value of the record's member, and
// rawClaim is that of the claim's member. Earlier versions stored a shape in the claim. ParseRecord
// adds the box of this shape to Left. shape is the shape of the array, or nil for a group.
// ParseRecord returns fault.Metadata if a value is not a record.
func ParseRecord(raw, rawClaim []byte, shape []int) (Record, error) {
	var s storedRecord
	if raw != nil {
		if err := json.Unmarshal(raw, &s); err != nil {
			return Record{}, fault.Newf(fault.Metadata, "%s: %w", RecordMember, err)
		}
	}
	r := Record(s)
	if len(r.Left) > maxParsed || len(r.Kept) > maxParsed || len(r.Taken) > maxParsed {
		return Record{}, fault.Newf(fault.Metadata, "%s has more than %d entries", RecordMember, maxParsed)
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

// JSON encodes r as the value of its member. It returns nil for the zero Record, which is not
// stored.
func (r Record) JSON() json.RawMessage {
	if len(r.Left)+len(r.Kept)+len(r.Taken) == 0 && r.Past == nil {
		return nil
	}
	b, err := json.Marshal(storedRecord(r))
	if err != nil {
		return nil // unreachable: numbers and strings can be encoded
	}
	return b
}

// GivenUp returns r with an entry for the abandoned change c of an array of this shape. The entry
// for an append is the box of rows where the append may have put objects. The entry for a Resize is
// a shape; the Resize may have deleted objects within it. GivenUp does not add an entry for the
// claim of a group.
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

// Take returns r with the ID of a claim that is taken over or dropped by another process.
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

// Written returns r for an array that now has this shape. All elements of Left within the shape
// must be values of the array that are stored in objects. Written moves these parts of Left to
// Kept.
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

// Deleted returns r after the objects outside the shape were deleted. It moves the parts of Kept
// outside the shape to Left, because their keys may be absent.
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

// Touches reports whether an object must be stored under every key in box b.
func (r Record) Touches(b Box) bool {
	for _, other := range slices.Concat(r.Left, r.Kept) {
		if _, ok := other.And(b); ok {
			return true
		}
	}
	return false
}

// add returns list with b added. It omits every box that another box contains.
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

// Whole returns the box of all elements of an array of this shape.
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

// And returns the intersection of two boxes, and whether it has elements.
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

// Union returns the smallest box that contains both boxes.
func (b Box) Union(other Box) Box {
	out := Box{Lo: make([]int, len(b.Lo)), Hi: make([]int, len(b.Lo))}
	for i := range b.Lo {
		out.Lo[i], out.Hi[i] = min(b.Lo[i], other.Lo[i]), max(b.Hi[i], other.Hi[i])
	}
	return out
}

// has reports whether b contains the other box.
func (b Box) has(other Box) bool {
	for i := range b.Lo {
		if other.Lo[i] < b.Lo[i] || other.Hi[i] > b.Hi[i] {
			return false
		}
	}
	return true
}

// outside returns a box within b that contains all elements of b outside the shape. ok is false if
// b is within the shape.
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

// Outside returns disjoint boxes that together contain exactly the elements of b outside the
// shape.
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

// inside reports whether shape is at most as long as other along every axis.
func inside(shape, other []int) bool {
	for i, n := range shape {
		if n > other[i] {
			return false
		}
	}
	return true
}
