package meta

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// ConsolidateV3 returns doc, the zarr.json document of a group, with consolidated metadata of the
// nodes below the group. The map nodes contains the documents of these nodes by path. The entries
// form a flat list, sorted by depth and then by path. The entry of a group has empty consolidated
// metadata of its own, as zarr-python writes it. The rest of doc is unchanged. key names doc in
// errors.
func ConsolidateV3(key string, doc []byte, nodes map[string][]byte) ([]byte, error) {
	var all writer
	for _, path := range slices.SortedFunc(maps.Keys(nodes), compareDepth) {
		raw, err := copyV3(path, nodes[path])
		if err != nil {
			return nil, err
		}
		all.add(path, raw)
	}
	return setMember(key, doc, "consolidated_metadata", inlineV3(all.done()))
}

// copyV3 returns a node's document in the form that consolidated metadata contains.
func copyV3(path string, doc []byte) (json.RawMessage, error) {
	o, err := document(path, doc, Parser{})
	if err != nil {
		return nil, err
	}
	raw := compact(trimSpace(doc))
	if string(o.get("node_type")) != `"group"` {
		return raw, nil
	}
	with, err := setMember(path, raw, "consolidated_metadata", inlineV3(json.RawMessage("{}")))
	return compact(with), err
}

// inlineV3 returns the value of the member "consolidated_metadata" of a group.
func inlineV3(nodes json.RawMessage) json.RawMessage {
	var w writer
	w.add("kind", json.RawMessage(`"inline"`))
	w.add("must_understand", json.RawMessage("false"))
	w.add("metadata", nodes)
	return w.done()
}

// ConsolidateV2 returns the .zmetadata document of a hierarchy from its documents by key:
// ".zgroup", "a/.zarray", "a/.zattrs".
func ConsolidateV2(docs map[string][]byte) ([]byte, error) {
	var all writer
	for _, key := range slices.Sorted(maps.Keys(docs)) {
		if _, err := document(key, docs[key], Parser{}); err != nil {
			return nil, err
		}
		all.add(key, compact(trimSpace(docs[key])))
	}
	var w writer
	w.add("metadata", all.done())
	w.add("zarr_consolidated_format", json.RawMessage("1"))
	return indent(w.done(), nil)
}

// compareDepth orders paths by depth, then by name.
func compareDepth(a, b string) int {
	return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
}

// Strict reports whether a document is standard JSON, without bare tokens such as NaN.
func Strict(doc []byte) bool {
	_, err := check(trimSpace(doc), false)
	return err == nil
}
