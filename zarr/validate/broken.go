package validate

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// broken checks a node whose metadata cannot be read and returns the places below it where nodes
// may exist, so that a bad document does not hide defects of other nodes. Below an array there are
// no such places.
func (r *run) broken(ctx context.Context, path string, findings *nodeFindings) (below []place, err error) {
	docs, dirs := documents{}, []string{}
	counted, st := r.begin(ctx)
	for e, err := range store.Pages(counted, st, path, store.ListOptions{Depth: store.OneLevel}) {
		switch part := name(path, e.Key); {
		case err != nil && fatal(ctx, err):
			return nil, err
		case err != nil: // the node itself was already reported
			return nil, nil
		case e.Dir:
			dirs = append(dirs, e.Key)
		case isDocument(part), part == docArrayV1:
			docs[part] = true
		}
	}
	docs.check(findings.report, path)
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

// kind returns the node type that an invalid zarr.json declares. Both results are false if the
// document declares no type.
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

// kindIn returns the node_type of a zarr.json. It returns "" if the JSON cannot be parsed or has no
// node_type.
func kindIn(b []byte) string {
	raw, err := meta.Member("", b, "node_type")
	var kind string
	if err != nil || json.Unmarshal(raw, &kind) != nil {
		return ""
	}
	return kind
}

// ofChunks reports whether a directory has a name that is used for chunks: "c" or a number. An
// array may have as many such directories as chunks, so they are not searched for nodes.
func ofChunks(name string) bool {
	return name == "c" || strings.Trim(name, "0123456789") == ""
}
