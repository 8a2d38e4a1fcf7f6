package dtype

import "slices"

// Checker is a Type whose memory form does not permit all bytes.
type Checker interface {
	Type
	// Check returns fault.Type if b, a sequence of elements, is not in memory form. Writers call it
	// before they store anything; readers call Canon.
	Check(b []byte) error
}

// Reorder returns the function that converts elements between the stored byte order and memory
// form, in both directions. It returns nil if the two are the same. Fields of a structure may have
// their own order.
func Reorder(t Type, o Order) func(b []byte) {
	if s, ok := t.(*Struct); ok {
		return s.reorder(o, true)
	}
	if o != Big || !t.HasOrder() {
		return nil
	}
	return t.Swap
}

// Canon returns a function that applies t.Canon, or nil if t.Canon changes nothing.
func Canon(t Type) func(b []byte) {
	switch t := t.(type) {
	case Basic:
		if i := t.info(); i.class != boolean && i.bits >= 8 {
			return nil
		}
	case *Struct:
		return t.canon()
	case S, U, V, R, DateTime, TimeDelta:
		return nil
	}
	return t.Canon
}

// InOrder returns t in the form of v2 metadata. In a structure, each field without a byte order
// gets the order o. Other types are returned unchanged.
func InOrder(t Type, o Order) Type {
	s, ok := t.(*Struct)
	if !ok {
		return t
	}
	c := *s
	c.legacy = false
	c.fields = slices.Clone(s.fields)
	for i := range c.fields {
		f := &c.fields[i]
		order := f.Order
		if order == NoOrder {
			order = o
		}
		f.Type = InOrder(f.Type, order)
		if f.Order = NoOrder; f.Type.HasOrder() {
			f.Order = order
		}
	}
	return &c
}

// Uniform returns t in the form of v3 metadata, without byte orders in the fields of a structure.
// order is the byte order that all fields share, or NoOrder if no field has one. same is false if
// two fields have different byte orders.
func Uniform(t Type) (u Type, order Order, same bool) {
	s, ok := t.(*Struct)
	if !ok {
		return t, NoOrder, true
	}
	c := *s
	c.legacy = false
	c.fields = slices.Clone(s.fields)
	same = true
	for i := range c.fields {
		f := &c.fields[i]
		inner, o, one := Uniform(f.Type)
		if f.Order != NoOrder {
			o = f.Order
		}
		f.Type, f.Order = inner, NoOrder
		same = same && one && (o == NoOrder || order == NoOrder || o == order)
		if order == NoOrder {
			order = o
		}
	}
	return &c, order, same
}

// Equal reports whether two types have the same elements: the same fields, names, units and
// lengths. It ignores the byte orders of fields.
func Equal(a, b Type) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	s, ok1 := a.(*Struct)
	r, ok2 := b.(*Struct)
	if !ok1 || !ok2 {
		return !ok1 && !ok2 && a.String() == b.String()
	}
	return s.sameForm(r) && slices.EqualFunc(s.fields, r.fields, func(f, g Field) bool {
		return f.Name == g.Name && slices.Equal(f.Shape, g.Shape) && Equal(f.Type, g.Type)
	})
}
