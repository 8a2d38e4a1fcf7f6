package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	references = "kerchunk references"
	icechunk   = "an Icechunk repository"
	n5Dataset  = "an N5 dataset"
	n5Group    = "an N5 container"
	tileArray  = "a TileDB array"
	tileGroup  = "a TileDB group"

	// maxNames is the number of names that are read to identify the format of a directory: one page
	// of a listing.
	maxNames = 1000
	// icechunkMagic begins every file of Icechunk but references and the configuration.
	icechunkMagic = "ICE\xf0\x9f\xa7\x8aCHUNK"
)

// container returns the format of the directory at a location, or "". It sends a request for the
// names in the directory, and one for a document if the name of the document is not sufficient.
// If the store has no listing, it requests the documents.
func (s *session) container(ctx context.Context, l openurl.Location) string {
	p, err := s.open(ctx, l)
	if err != nil {
		return ""
	}
	defer p.release()
	names, all := rootNames(ctx, p), isWeb(l)
	switch {
	case names["snapshots/"] && (names["refs/"] || names["repo"]):
		return icechunk
	case names["__schema/"], names["__array_schema.tdb"]:
		return tileArray
	case names["__tiledb_group.tdb"], names["__group/"]:
		return tileGroup
	}
	if (names["repo"] || all && path.Ext(l.Path) == "") && bytes.HasPrefix(begins(ctx, p, "repo"), []byte(icechunkMagic)) {
		return icechunk
	}
	if names["attributes.json"] || len(names) >= maxNames || all {
		if is := n5Of(begins(ctx, p, "attributes.json")); is != "" {
			return is
		}
	}
	if names[".zmetadata"] && isParquet(begins(ctx, p, ".zmetadata")) {
		return references
	}
	return ""
}

// rootNames returns the first maxNames names at the root of a store. The names of directories end
// with a slash.
func rootNames(ctx context.Context, st store.Store) map[string]bool {
	names := map[string]bool{}
	for e, err := range st.List(ctx, "", store.ListOptions{Depth: store.OneLevel}) {
		if err != nil || len(names) == maxNames {
			break
		}
		name := e.Key
		if e.Dir {
			name += "/"
		}
		names[name] = true
	}
	return names
}

// n5Of returns the format that attributes.json of N5 describes, or "": the root of a container has
// the attribute "n5", and a dataset has "dimensions", "blockSize" and "dataType".
func n5Of(document []byte) string {
	var a struct {
		N5         *string  `json:"n5"`
		Dimensions []uint64 `json:"dimensions"`
		BlockSize  []uint64 `json:"blockSize"`
		DataType   *string  `json:"dataType"`
	}
	switch err := json.Unmarshal(document, &a); {
	case err != nil:
		return ""
	case len(a.Dimensions) > 0 && len(a.Dimensions) == len(a.BlockSize) && a.DataType != nil:
		return n5Dataset
	case a.N5 != nil:
		return n5Group
	}
	return ""
}

// isParquet reports whether a document is .zmetadata of kerchunk references in Parquet files.
func isParquet(document []byte) bool {
	var a struct {
		Metadata   map[string]json.RawMessage `json:"metadata"`
		RecordSize *uint64                    `json:"record_size"`
	}
	return json.Unmarshal(document, &a) == nil && a.Metadata != nil && a.RecordSize != nil
}

// isReferences reports whether a JSON document, of which begin contains at least the start, is one
// of kerchunk: an object with "refs" and the version 1, or in version 0 an object whose keys are
// those of a Zarr hierarchy.
func isReferences(begin []byte) bool {
	d := json.NewDecoder(bytes.NewReader(begin))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	var version, refs bool
	for d.More() {
		key, err := d.Token()
		name, _ := key.(string)
		switch {
		case err != nil:
			return false
		case isDocument(name):
			return true
		case name == "version":
			var v float64
			if d.Decode(&v) != nil {
				return false
			}
			version = true
		case name == "refs":
			t, err := d.Token()
			if err != nil || t != json.Delim('{') {
				return false
			}
			if version {
				return true
			}
			for d.More() {
				if key, err := d.Token(); err != nil || isDocument(key) || d.Decode(new(json.RawMessage)) != nil {
					return err == nil && isDocument(key)
				}
			}
			if _, err := d.Token(); err != nil {
				return false
			}
			refs = true
		default:
			if d.Decode(new(json.RawMessage)) != nil {
				return false
			}
		}
	}
	return version && refs
}

// isDocument reports whether a key of JSON is the key of a metadata document of Zarr.
func isDocument(key json.Token) bool {
	k, _ := key.(string)
	return k != "" && withoutDocument(k, "/") != k
}
