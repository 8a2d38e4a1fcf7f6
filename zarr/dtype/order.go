package dtype

import "slices"

// Checker is a Type of which not every pattern of bytes is a memory form.
type Checker interface {
	Type
	// Check returns fault.Type when b, elements one after the other, is not in memory form. Writers
	// ask it before they store anything; readers have Canon.
	Check(b []byte) error
}

// Reorder gives the function that turns elements stored in a byte order into memory form, and back;
// nil where the stored form is the memory form. Fields of a structure may have an order of their
// own.
func Reorder(t Type, o Order) func(b []byte) {
	if s, ok := t.(*Struct); ok {
		return s.reorder(o, true)
	}
	if o != Big || !t.HasOrder() {
		return nil
	}
	return t.Swap
}

// Canon returns the function that makes stored bytes legal values, as t.Canon does; nil where every
// pattern of bytes is one.
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

// InOrder is the type as v2 metadata has it: with every field of a structure in a byte order of its
// own, o where it had none. Other types stay as they are.
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

// Uniform returns t as v3 metadata writes it, without a byte order in the fields of a structure.
// order is the byte order that the fields share, NoOrder if no field has one. same is false if two
// fields have different byte orders.
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
// lengths. The byte orders of fields do not count.
func Equal(a, b Type) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	s, ok1 := a.(*Struct)
	r, ok2 := b.(*Struct)
	if !ok1 || !ok2 {
		return !ok1 && !ok2 && a.String() == b.String()
	}
	return slices.EqualFunc(s.fields, r.fields, func(f, g Field) bool {
		return f.Name == g.Name && slices.Equal(f.Shape, g.Shape) && Equal(f.Type, g.Type)
	})
}
