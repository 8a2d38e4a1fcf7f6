package arrayspec

// attrDims is the attribute in which xarray keeps the names of a v2 array's axes.
const attrDims = "_ARRAY_DIMENSIONS"

// Dims returns the names of axes in the attribute _ARRAY_DIMENSIONS; nil when it does not name every
// axis of an array of that rank.
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
