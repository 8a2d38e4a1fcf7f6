package dtype_test

import (
	"encoding/json"
	"fmt"

	"github.com/zargo-io/zargo/zarr/dtype"
)

func ExampleParse() {
	for _, s := range []string{"float32", "<f4", "f4", `{"name":"float32"}`} {
		fmt.Println(dtype.Parse(s))
	}
	// Output:
	// float32 <nil>
	// float32 <nil>
	// float32 <nil>
	// float32 <nil>
}

func ExampleParseV2() {
	fmt.Println(dtype.ParseV2(json.RawMessage(`">i2"`)))
	// Output: int16 big <nil>
}

func ExampleOf() {
	type celsius float32
	fmt.Println(dtype.Of[celsius]())
	_, err := dtype.Of[int]()
	fmt.Println(err)
	// Output:
	// float32 <nil>
	// wrong type: no data type has elements of the Go type int
}

func ExampleBasic_ParseFill() {
	fill, err := dtype.Float32.ParseFill(json.RawMessage(`"0x7fc00001"`), 3)
	fmt.Printf("%x %v\n", fill, err)
	// Output: 0100c07f <nil>
}

func ExampleF16From() {
	h := dtype.F16From(0.1)
	fmt.Printf("%#04x %v\n", uint16(h), h.Float32())
	// Output: 0x2e66 0.099975586
}
