package meta

import (
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TestConsolidatedOrder: nodes stand by depth and then by path, whatever their order was.
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

// TestUnknownMembersOfV2: readers of v2 pass over what they do not know, in groups too, and writers keep it.
func TestUnknownMembersOfV2(t *testing.T) {
	g, err := ParseGroupV2(".zgroup", []byte(`{"zarr_format":2,"_nczarr_group":{"dims":{"x":4}},"by":"hand"}`), ".zattrs", nil)
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := g.EncodeV2()
	if err != nil || !strings.Contains(string(doc), `"_nczarr_group"`) || !strings.Contains(string(doc), `"by": "hand"`) {
		t.Errorf("%s, %v", doc, err)
	}
}

// TestUnknownMembersOfV3Groups: a group is as strict as an array, but its member consolidated_metadata is known.
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

// TestEmptyNameAlone: a name that stands alone is no more allowed to be empty than one in an object.
func TestEmptyNameAlone(t *testing.T) {
	_, err := ParseV3("k", []byte(edit(t, valid3, `{"name":"bytes","configuration":{"endian":"little"}}`, `""`)))
	refused(t, err, "k", "/codecs/0", fault.Metadata)
}
