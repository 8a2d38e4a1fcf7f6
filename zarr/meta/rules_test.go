package meta

import (
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// TestConsolidatedOrder checks that nodes are sorted by depth, then by path, whatever their
// previous order.
func TestConsolidatedOrder(t *testing.T) {
	group := `{"zarr_format":3,"node_type":"group"}`
	paths := []string{"b", "z", "a/c", "b/a", "a/c/a"}
	docs, v2 := map[string][]byte{}, map[string][]byte{}
	for _, p := range paths {
		docs[p] = []byte(group)
		v2[p+"/.zgroup"] = []byte(`{"zarr_format":2}`)
	}
	doc, err := ConsolidateV3("zarr.json", []byte(group), docs)
	if err != nil {
		t.Fatal(err)
	}
	at := make([]int, len(paths))
	for i, p := range paths {
		if at[i] = strings.Index(string(doc), `"`+p+`":`); at[i] < 0 {
			t.Fatalf("no %s in %s", p, doc)
		}
	}
	if !slices.IsSorted(at) {
		t.Errorf("%s", doc)
	}
	doc, err = ConsolidateV2(v2)
	if err != nil || !strings.Contains(string(doc), `"zarr_consolidated_format": 1`) || !strings.Contains(string(doc), `"a/c/.zgroup"`) {
		t.Errorf("%s, %v", doc, err)
	}
}

// TestUnknownMembersOfV2 checks that readers of v2 ignore unknown members, in groups too, and that
// writers keep them.
func TestUnknownMembersOfV2(t *testing.T) {
	g, err := Parser{}.GroupV2(".zgroup", []byte(`{"zarr_format":2,"_nczarr_group":{"dims":{"x":4}},"by":"hand"}`), ".zattrs", nil)
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := g.EncodeV2()
	if err != nil || !strings.Contains(string(doc), `"_nczarr_group"`) || !strings.Contains(string(doc), `"by": "hand"`) {
		t.Errorf("%s, %v", doc, err)
	}
}

// TestCopiedInGroupsOfV2 checks v3's consolidated metadata in groups of v2. zarr-python 3 writes it
// in all groups of .zmetadata except the first. There it is neither read nor reported as a
// violation. In .zgroup itself, or with another kind, it is an unknown member.
func TestCopiedInGroupsOfV2(t *testing.T) {
	inline := `{"zarr_format":2,"consolidated_metadata":{"metadata":{},"must_understand":false,"kind":"inline"}}`
	for _, tt := range []struct {
		name, group string
		told        []string
	}{
		{"inline", inline, nil},
		{"of another kind", strings.Replace(inline, "inline", "remote", 1), []string{"/metadata/a~1.zgroup/consolidated_metadata"}},
		{"to be understood", strings.Replace(inline, "false", "true", 1), []string{"/metadata/a~1.zgroup/consolidated_metadata"}},
		{"not even an object", `{"zarr_format":2,"consolidated_metadata":1}`, []string{"/metadata/a~1.zgroup/consolidated_metadata"}},
	} {
		var told []string
		p := Parser{Lenient: func(f rule.Finding) error {
			told = append(told, f.Pointer)
			return nil
		}}
		nodes, err := p.ConsolidatedV2("k", []byte(`{"zarr_consolidated_format":1,"metadata":{"a/.zgroup":`+tt.group+`}}`))
		a := nodes.Node("a")
		if g, ok := a.(*Group); err != nil || !ok || !slices.Equal(told, tt.told) || tt.told == nil && g.Unknown != nil {
			t.Errorf("%s: %T, %v, told %q", tt.name, a, err, told)
		}
	}
	var told int
	p := Parser{Lenient: func(rule.Finding) error { told++; return nil }}
	if _, err := p.GroupV2(".zgroup", []byte(inline), ".zattrs", nil); err != nil || told != 1 {
		t.Errorf(".zgroup: %v, told %d", err, told)
	}
}

// TestUnknownMembersOfV3Groups checks that groups are as strict as arrays, except for the member
// consolidated_metadata.
func TestUnknownMembersOfV3Groups(t *testing.T) {
	for member, ok := range map[string]bool{`"x":1`: false, `"x":{}`: false, `"x":{"must_understand":true}`: false, `"x":{"must_understand":false}`: true, `"consolidated_metadata":null`: true} {
		n, err := ParseV3("k", []byte(`{"zarr_format":3,"node_type":"group",`+member+`}`))
		if !ok {
			refused(t, err, "k", "/x", unsupported)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", member, err)
			continue
		}
		doc, err := n.(*Group).EncodeV3()
		if kept := strings.Contains(string(doc), `"must_understand": false`); err != nil || kept != strings.Contains(member, "false") {
			t.Errorf("%s: written again %s, %v", member, doc, err)
		}
	}
}

// TestEmptyNameAlone checks that an extension which consists only of its name must not have an
// empty name, as in an object.
func TestEmptyNameAlone(t *testing.T) {
	_, err := ParseV3("k", []byte(edit(t, valid3, `{"name":"bytes","configuration":{"endian":"little"}}`, `""`)))
	refused(t, err, "k", "/codecs/0", fault.Metadata)
}
