package validate

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// broken looks at a node whose metadata cannot be read, and returns where there may be nodes below
// it: a bad document must not hide what is wrong with others. An array has none.
func (r *run) broken(ctx context.Context, path string, told *few) (below []place, err error) {
	docs, dirs := documents{}, []string{}
	counted, st := r.begin(ctx)
	for e, err := range store.Pages(counted, st, path, store.ListOptions{Depth: store.OneLevel}) {
		switch part := name(path, e.Key); {
		case err != nil && fatal(ctx, err):
			return nil, err
		case err != nil: // the node itself was told already
			return nil, nil
		case e.Dir:
			dirs = append(dirs, e.Key)
		case isDocument(part), part == docArrayV1:
			docs[part] = true
		}
	}
	docs.check(told.tell, path)
	array, group := docs[docArray] || docs[docArrayV1], docs[docGroup]
	if docs[docV3] {
		if array, group, err = r.kind(ctx, join(path, docV3)); err != nil {
			return nil, err
		}
	}
	for _, dir := range dirs {
		if !array && (group || !ofChunks(name(path, dir))) {
			below = append(below, place{dir, perhaps})
		}
	}
	return below, nil
}

// kind tells what a zarr.json that is no good says that it is of; neither where that cannot be
// told.
func (r *run) kind(ctx context.Context, key string) (array, group bool, err error) {
	counted, st := r.begin(ctx)
	v, err := st.Get(counted, key, store.GetOptions{Max: maxDocument}, nil)
	if err != nil {
		if fatal(ctx, err) {
			return false, false, err
		}
		return false, false, nil
	}
	says := kindIn(v.Bytes)
	return says == "array", says == "group", nil
}

// kindIn is what a zarr.json says that it is of; "" where that cannot be seen.
func kindIn(b []byte) string {
	var doc struct {
		NodeType string `json:"node_type"`
	}
	if json.Unmarshal(b, &doc) != nil {
		return ""
	}
	return doc.NodeType
}

// ofChunks reports whether a folder has the name of one in which chunks lie: "c", or a number.
// There may be as many as chunks.
func ofChunks(name string) bool {
	return name == "c" || strings.Trim(name, "0123456789") == ""
}
