package meta

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// FuzzModes compares the modes. A violation handler must not change the result, and strict mode
// must refuse exactly the reported violations. The documents include v1.
func FuzzModes(f *testing.F) {
	seeds(f, "zarr.json", valid3)
	seeds(f, ".zarray", valid2)
	seeds(f, ".zmetadata")
	seeds(f, "meta", `{"zarr_format":1,"shape":[9,4],"chunks":[4,4],"dtype":">f4","fill_value":NaN,"compression":"zlib","compression_opts":1}`)
	// Consolidated metadata with a node that violates a rule: zstd lacks its level.
	seeds(f, "group", `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":`+
		`{"zarr_format":3,"node_type":"array","shape":[3],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[3]}},`+
		`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"},{"name":"zstd","configuration":{"checksum":false}}]}}}}`)
	f.Fuzz(func(t *testing.T, doc []byte) {
		for name, parse := range map[string]func(Parser) (any, error){
			"v1":           func(p Parser) (any, error) { return p.ArrayV1("k", doc, "a", nil) },
			"v2":           func(p Parser) (any, error) { return p.ArrayV2("k", doc, "a", nil) },
			"v2 group":     func(p Parser) (any, error) { return p.GroupV2("k", doc, "a", doc) },
			"v3":           func(p Parser) (any, error) { return p.V3("k", doc) },
			"consolidated": func(p Parser) (any, error) { return p.ConsolidatedV2("k", doc) },
		} {
			_, plain := parse(Parser{})
			told := 0
			all, err := parse(Parser{Lenient: func(f rule.Finding) error {
				told++
				if f.Severity() != rule.Warning || f.Key != "k" && f.Key != "a" {
					t.Errorf("%s: told %+v", name, f)
				}
				return nil
			}})
			holdsBreach(all) // parses all nodes, and so reports their violations
			if (plain == nil) != (err == nil) {
				t.Errorf("%s: %v, and told of breaches %v", name, plain, err)
			}
			all, err = parse(Parser{Lenient: func(f rule.Finding) error { return &rule.Error{Rule: f.Rule} }})
			var at *fault.MetaError
			if (told > 0) != (breaks(err) || holdsBreach(all)) || told == 0 && (plain == nil) != (err == nil) || err != nil && !errors.As(err, &at) {
				t.Errorf("%s: %d breaches, %v, strictly %v", name, told, plain, err)
			}
		}
	})
}

func breaks(err error) bool {
	var broken *rule.Error
	return errors.As(err, &broken)
}

// holdsBreach reports whether a node in consolidated metadata violates a rule. Then only that node
// is refused, as a Bad.
func holdsBreach(read any) bool {
	var nodes *Copies
	switch n := read.(type) {
	case *Bad:
		return breaks(n.Err)
	case *Group:
		if n != nil {
			nodes = n.Consolidated
		}
	case *Copies:
		nodes = n
	}
	for path := range nodes.Paths() {
		if holdsBreach(nodes.Node(path)) {
			return true
		}
	}
	return false
}
