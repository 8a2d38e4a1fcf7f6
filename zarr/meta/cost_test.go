package meta

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TestCostOfValues compares the estimate with the memory that decoding allocates and keeps.
func TestCostOfValues(t *testing.T) {
	const n = 20_000
	var members strings.Builder
	for i := range n {
		fmt.Fprintf(&members, `, "%d": null`, i)
	}
	for name, doc := range map[string]string{
		"empty objects":  `[` + strings.Repeat(`{},`, n) + `{}]`,
		"empty lists":    `[` + strings.Repeat(`[],`, n) + `[]]`,
		"small objects":  `[` + strings.Repeat(`{"a":0},`, n) + `0]`,
		"objects of ten": `[` + strings.Repeat(`{"a":0,"b":1,"c":2,"d":3,"e":4,"f":5,"g":6,"h":7,"i":8,"j":9},`, n/10) + `0]`,
		"numbers":        `[` + strings.Repeat(`1.5,`, n) + `0]`,
		"texts":          `["` + strings.Repeat(`abcdefgh\",","`, n) + `"]`,
		"lists of lists": strings.Repeat(`[ `, 900) + strings.Repeat(` ]`, 900),
		"members":        `{"":0` + members.String() + `}`,
	} {
		if _, err := check([]byte(doc), false); err != nil {
			t.Fatal(name, err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		v, err := (&scanner{b: []byte(doc), bare: true}).decode()
		runtime.GC()
		runtime.ReadMemStats(&after)
		kept, guess := int64(after.HeapAlloc)-int64(before.HeapAlloc), cost([]byte(doc), math.MaxInt64)
		if err != nil || kept > 2*guess || guess > 4*kept+1<<14 {
			t.Errorf("%s: %d bytes are kept, %d were guessed, %v", name, kept, guess, err)
		}
		runtime.KeepAlive(v)
	}
}

// TestDocumentsThatTakeMemory checks that documents that would take far more memory than their
// length are refused before they are decoded.
func TestDocumentsThatTakeMemory(t *testing.T) {
	group := func(attrs string) string { return `{"zarr_format":3,"node_type":"group","attributes":` + attrs + `}` }
	array := `{"zarr_format":3,"node_type":"array","shape":%s,"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes","configuration":%s}]}`
	var wide strings.Builder
	for i := range maxMembers + 1 {
		fmt.Fprintf(&wide, `"%d":0,`, i)
	}
	numbers := strings.Repeat("1,", maxElements)
	for name, doc := range map[string]string{
		"attributes":              group(`{"a":[` + strings.Repeat(`{},`, 30_000) + `0]}`),
		"members":                 group(`{` + wide.String() + `"x":0}`),
		"lengths":                 fmt.Sprintf(array, `[`+numbers+`1]`, `{}`),
		"configuration":           fmt.Sprintf(array, `[1]`, `{"a":[`+numbers+`1]}`),
		"a list of unknown nodes": strings.TrimSuffix(group(`{}`), "}") + `,"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{` + wide.String() + `"x":0}}}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parser{Memory: 1 << 20}.V3("zarr.json", []byte(doc))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, fault.Limit) || used > 256<<20 {
			t.Errorf("%s: %v, %d bytes were allocated", name, err, used)
		}
	}
	// The bound applies to each node of consolidated metadata.
	one := `{"zarr_format":3,"node_type":"group","attributes":{"a":[` + strings.Repeat(`{},`, 10_000) + `0]}}`
	more := `{"zarr_format":3,"node_type":"group","attributes":{"a":[` + strings.Repeat(`{},`, 30_000) + `0]}}`
	doc := strings.TrimSuffix(group(`{}`), "}") + `,"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":` + one + `,"b":` + more + `,"c":` + one + `}}}`
	n, err := Parser{Memory: 1 << 20}.V3("zarr.json", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	all := n.(*Group).Consolidated
	for path, want := range map[string]bool{"a": true, "b": false, "c": true} {
		_, good := all.Node(path).(*Group)
		bad, _ := all.Node(path).(*Bad)
		if good != want || !want && (bad == nil || !errors.Is(bad.Err, fault.Limit)) {
			t.Errorf("%s: %v", path, bad)
		}
	}
}

// TestNestedCopiesTakeNoMemory checks that nodes in deeply nested groups of consolidated metadata
// take memory once, not once for each group above them.
func TestNestedCopiesTakeNoMemory(t *testing.T) {
	const depth, below = 500, 4000
	var deep strings.Builder
	for i := range depth {
		fmt.Fprintf(&deep, `"%s":{"zarr_format":3,"node_type":"group"},`, strings.Repeat("a/", i)+"a")
	}
	for i := range below {
		fmt.Fprintf(&deep, `"%s/%d":{"zarr_format":3,"node_type":"group"},`, strings.Repeat("a/", depth-1)+"a", i)
	}
	doc := `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{` + strings.TrimSuffix(deep.String(), ",") + `}}}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := ParseV3("zarr.json", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	all := n.(*Group).Consolidated
	for i := range depth {
		g := all.Node("a").(*Group)
		if all = g.Consolidated; all.Len() != depth-1-i+below {
			t.Fatalf("%d nodes at depth %d", all.Len(), i)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 || !all.Has("0") || all.Has("a") {
		t.Errorf("%d bytes were allocated", used)
	}
}
