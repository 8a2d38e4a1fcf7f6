package dataset

// Index returns the labels of the elements that are selected along a dimension, in order, also if
// the dimension is dropped. It returns nil if the variable does not have the dimension, or the
// dimension has no labels. It sends no request.
func (v *Variable) Index(dim string) *Index {
	if v.zero() {
		return nil
	}
	x := v.dataset.index[dim]
	for _, name := range v.stored.dims {
		if name != dim || x == nil {
			continue
		}
		if a, ok := v.dataset.chosen[dim]; ok {
			x = x.sub(a.positions)
		}
		return &Index{x}
	}
	return nil
}
