// Package wrong has a mistake in each comment but this one, which names [Type.Method] and
// store.Store.Get correctly.
//
//	t := wrong.Type{}
//	n := t.Method()
//	v, err := st.Get(ctx, key, store.GetOptions{}, nil)
package wrong

// Type links to [Missing].
type Type struct{}

// Method links to [Type.Other] and calls store.Unknown.
//
//	n, err := wrong.Type{}.Method()
//	wrong.Gone(n)
func (Type) Method() int { return 0 }
