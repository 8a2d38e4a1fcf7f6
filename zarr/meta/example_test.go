package meta_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

func ExampleParseV3() {
	n, err := meta.ParseV3("t2m/zarr.json", []byte(`{"zarr_format": 3, "node_type": "array", "shape": [24, 721], "data_type": "float32",
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1, 721]}},
		"chunk_key_encoding": "default", "fill_value": "NaN", "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	a := n.(*meta.Array)
	fmt.Println(a.DType, a.Shape, a.Grid.Shape, a.Keys.Key([]int{3, 0}))
	// Output: float32 [24 721] [1 721] c/3/0
}

func ExampleParser_ArrayV2() {
	a, err := meta.Parser{}.ArrayV2("t2m/.zarray", []byte(`{"zarr_format": 2, "shape": [24, 721], "chunks": [1, 721], "dtype": ">f4", "order": "F",
		"fill_value": NaN, "filters": null, "compressor": {"id": "zlib", "level": 1}}`), "t2m/.zattrs", []byte(`{"units": "K"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range a.Codecs {
		fmt.Println(c.Name, string(c.Config))
	}
	fmt.Println(a.Keys.Key([]int{3, 0}), a.Attrs["units"])
	// Output:
	// transpose {"order":[1,0]}
	// bytes {"endian":"big"}
	// numcodecs.zlib {"level":1}
	// 3.0 K
}

func ExampleParser_GroupV2() {
	g, err := meta.Parser{}.GroupV2(".zgroup", []byte(`{"zarr_format": 2}`), ".zattrs", nil)
	fmt.Println(g.Format, len(g.Attrs), err)
	// Output: 2 0 <nil>
}

func ExampleParser_ConsolidatedV2() {
	nodes, err := meta.Parser{}.ConsolidatedV2(".zmetadata", []byte(`{"zarr_consolidated_format": 1, "metadata": {
		".zgroup": {"zarr_format": 2}, "a/.zgroup": {"zarr_format": 2}, "a/.zattrs": {"title": "first"}}}`))
	fmt.Println(nodes.Len(), nodes.Node("a").(*meta.Group).Attrs["title"], err)
	// Output: 2 first <nil>
}

func ExampleArray_EncodeV2() {
	a := &meta.Array{Format: 2, Shape: []int{4}, Grid: meta.Grid{Shape: []int{2}}, DType: dtype.Int16, Fill: []byte{0, 0},
		Keys: meta.KeyEncoding{Name: "v2", Separator: "."}, Codecs: []meta.Named{{Name: "bytes", Config: json.RawMessage(`{"endian":"little"}`)}}}
	doc, attrs, err := a.EncodeV2()
	var compact map[string]any
	_ = json.Unmarshal(doc, &compact)
	fmt.Println(compact["dtype"], compact["chunks"], compact["compressor"], attrs == nil, err)
	// Output: <i2 [2] <nil> true <nil>
}

func ExampleSetAttrs() {
	doc, err := meta.SetAttrs("zarr.json", []byte(`{"zarr_format":3,"node_type":"group","attributes":{"old":1}}`), meta.Attrs{"mean": json.Number("1.50")})
	fmt.Println(string(doc), err)
	// Output: {"zarr_format":3,"node_type":"group","attributes":{"mean":1.50}} <nil>
}

func ExampleNormalizePath() {
	fmt.Println(meta.NormalizePath("/a//b/"))
	_, err := meta.NormalizePath("a/../b")
	fmt.Println(errors.Is(err, fault.Path))
	// Output:
	// a/b <nil>
	// true
}

func ExampleCopies() {
	n, err := meta.ParseV3("zarr.json", []byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{
		"a/b":{"zarr_format":3,"node_type":"group","attributes":{"title":"inner"}},"a":{"zarr_format":3,"node_type":"group"}}}}`))
	if err != nil {
		log.Fatal(err)
	}
	copies := n.(*meta.Group).Consolidated
	for path := range copies.Paths() {
		g := copies.Node(path).(*meta.Group)
		fmt.Println(path, g.Attrs, g.Consolidated.Len())
	}
	// Output:
	// a map[] 1
	// a/b map[title:inner] 0
}
