package spec

// Dims returns the dimension names in the attribute _ARRAY_DIMENSIONS. It returns nil if the
// attribute does not have exactly one name for each of the rank axes.
func Dims(attrs map[string]any, rank int) []string {
	list, ok := attrs[attrDims].([]any)
	if !ok || len(list) != rank {
		return nil
	}
	dims := make([]string, rank)
	for i, v := range list {
		if dims[i], ok = v.(string); !ok {
			return nil
		}
	}
	return dims
}

// attrDims is the attribute where xarray stores the dimension names of a v2 array.
const attrDims = "_ARRAY_DIMENSIONS"
