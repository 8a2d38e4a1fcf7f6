package meta

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// SpliceV3 changes entries in the consolidated metadata of a group's zarr.json document and returns
// the new document. The map nodes contains the documents of the changed nodes by path, as in
// [ConsolidateV3]; a nil document removes an entry. The rest of the document is unchanged. key
// names the document in errors.
func SpliceV3(key string, doc []byte, nodes map[string][]byte) ([]byte, error) {
	o, err := document(key, doc, Parser{})
	if err != nil {
		return nil, err
	}
	raw, at, err := o.need("consolidated_metadata")
	if err != nil {
		return nil, err
	}
	inline, err := at.object(raw)
	if err != nil {
		return nil, err
	}
	if string(inline.get("kind")) != `"inline"` {
		return nil, inline.unsupported("consolidated metadata of kind %s", brief(inline.get("kind")))
	}
	entries := make(map[string]json.RawMessage, len(nodes))
	for path, node := range nodes {
		if node == nil {
			entries[path] = nil
		} else if entries[path], err = copyV3(path, node); err != nil {
			return nil, err
		}
	}
	return spliceInto(doc, []object{o, inline}, []string{"consolidated_metadata", "metadata"}, entries, compareDepth)
}

// SpliceV2 changes entries of a .zmetadata document and returns the new document. The map docs
// contains the changed documents by key, as in [ConsolidateV2]; a nil document removes an entry.
// The rest of the .zmetadata document is unchanged. key names the document in errors.
func SpliceV2(key string, doc []byte, docs map[string][]byte) ([]byte, error) {
	o, err := document(key, doc, Parser{})
	if err != nil {
		return nil, err
	}
	entries := make(map[string]json.RawMessage, len(docs))
	for name, d := range docs {
		entries[name] = nil
		if d == nil {
			continue
		}
		if _, err := document(name, d, Parser{}); err != nil {
			return nil, err
		}
		entries[name] = compact(trimSpace(d))
	}
	return spliceInto(doc, []object{o}, []string{"metadata"}, entries, strings.Compare)
}

// spliceInto changes members of one object in a document. The member names in names lead to this
// object. The slice objects contains the parsed objects of this path, starting with the document.
func spliceInto(doc []byte, objects []object, names []string, entries map[string]json.RawMessage, compare func(a, b string) int) ([]byte, error) {
	from, to := bytes.IndexByte(doc, '{'), 0 // start and end of the object's text
	var outer, indent string                 // white space before members of the enclosing object, and of the object
	for i, name := range names {
		raw, at, err := objects[i].need(name)
		if err != nil {
			return nil, err
		}
		if raw[0] != '{' {
			return nil, at.wrong("an object", raw)
		}
		outer, indent = indent, leading(doc[from:])
		k := slices.IndexFunc(objects[i].all, func(m member) bool { return m.name == name })
		from += objects[i].all[k].from
		to = from + len(raw)
	}
	step := strings.TrimPrefix(indent, cmp.Or(outer, "\n"))
	inner := leading(doc[from:to])
	if inner == "" && strings.Contains(indent, "\n") {
		inner = indent + step // the object is empty
	}
	all, err := members(doc[from:to])
	if err != nil {
		return nil, err
	}
	if inner == "" || !strings.Contains(inner, "\n") {
		return slices.Concat(doc[:from], rebuild(all, entries, compare, "", "", ""), doc[to:]), nil
	}
	return slices.Concat(doc[:from], rebuild(all, entries, compare, inner, indent, step), doc[to:]), nil
}

// rebuild encodes an object. Existing members keep their order, and new members are inserted where
// compare orders them. The white space before a member is inner, and that before the closing brace
// is outer. Both start with a newline or are empty.
func rebuild(all []member, entries map[string]json.RawMessage, compare func(a, b string) int, inner, outer, step string) []byte {
	added := make([]string, 0, len(entries))
	old := make(map[string]bool, len(all))
	for _, m := range all {
		old[m.name] = true
	}
	for name, raw := range entries {
		if raw != nil && !old[name] {
			added = append(added, name)
		}
	}
	slices.SortFunc(added, compare)
	b := []byte{'{'}
	n := 0
	write := func(name string, raw []byte) {
		if n > 0 {
			b = append(b, ',')
		}
		n++
		b = append(appendString(append(b, inner...), name), ':')
		if inner != "" {
			b = append(b, ' ')
		}
		b = append(b, raw...)
	}
	laid := func(raw json.RawMessage) []byte {
		if inner == "" {
			return raw
		}
		return indented(raw, strings.TrimLeft(inner, "\r\n"), step)
	}
	for _, m := range all {
		for len(added) > 0 && compare(added[0], m.name) < 0 {
			write(added[0], laid(entries[added[0]]))
			added = added[1:]
		}
		switch raw, changed := entries[m.name]; {
		case !changed:
			write(m.name, m.raw)
		case raw != nil:
			write(m.name, laid(raw))
		}
	}
	for _, name := range added {
		write(name, laid(entries[name]))
	}
	if n > 0 {
		b = append(b, outer...)
	}
	return append(b, '}')
}

// leading returns the white space before the first member of an object.
func leading(obj []byte) string {
	rest := obj[1:]
	space := rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))]
	if len(space) < len(rest) && rest[len(space)] == '}' {
		return ""
	}
	if i := bytes.LastIndexByte(space, '\n'); i >= 0 {
		return string(space[i:])
	}
	return ""
}
