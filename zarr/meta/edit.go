package meta

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Edit returns a v2 or v3 document with changed top-level members. A nil value removes a member.
// New members are added at the end. All other values are unchanged byte for byte. key names the
// document in errors.
func Edit(key string, doc []byte, changes map[string]json.RawMessage) ([]byte, error) {
	o, err := document(key, doc, Parser{})
	if err != nil {
		return nil, err
	}
	from, to := bytes.IndexByte(doc, '{'), bytes.LastIndexByte(doc, '}')+1
	inner := leading(doc[from:to])
	outer, step := "", ""
	if inner != "" {
		outer, step = "\n", inner[1:]
	}
	last := func(a, b string) int { return 1 }
	return slices.Concat(doc[:from], rebuild(o.all, changes, last, inner, outer, step), doc[to:]), nil
}

// Member returns the JSON text of a top-level member's value, or nil if the document lacks the
// member.
func Member(key string, doc []byte, name string) ([]byte, error) {
	o, err := document(key, doc, Parser{})
	if err != nil {
		return nil, err
	}
	return o.get(name), nil
}

// Changed compares two versions of a document. It returns the name of a top-level member that
// differs in more than white space, or "" if there is none. Changed ignores the members named in
// may.
func Changed(key string, was, is []byte, may ...string) (string, error) {
	a, err := document(key, was, Parser{})
	if err != nil {
		return "", err
	}
	b, err := document(key, is, Parser{})
	if err != nil {
		return "", err
	}
	for _, o := range [][2]object{{a, b}, {b, a}} {
		for _, m := range o[0].all {
			other := o[1].get(m.name)
			if !slices.Contains(may, m.name) && (other == nil || !bytes.Equal(compact(m.raw), compact(other))) {
				return m.name, nil
			}
		}
	}
	return "", nil
}
