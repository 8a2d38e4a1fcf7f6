package dtype_test

import (
	"encoding/json"
	"fmt"
	"time"

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

func ExampleRound() {
	x := dtype.Round[dtype.BF16](0.1)
	fmt.Printf("%#04x %v\n", uint16(x), x.Float32())
	fmt.Println(dtype.Round[dtype.F8E4M3FN](1e9).Float32(), dtype.Round[dtype.F4E2M1FN](5).Float32())
	// Output:
	// 0x3dcd 0.100097656
	// NaN 4
}

func ExampleOf_struct() {
	type row struct {
		Time dtype.Instant `zarr:"time,datetime64[s]"`
		Name [8]byte       `zarr:"name,S8"`
		Pos  [3]float32    `zarr:"pos"`
	}
	t, err := dtype.Of[row]()
	fmt.Println(t, t.Size(), err)
	raw, err := t.V2(dtype.Little)
	fmt.Println(string(raw), err)
	// Output:
	// struct{"time" numpy.datetime64[s], "name" S8, "pos" [3]float32} 28 <nil>
	// [["time","<M8[s]"],["name","|S8"],["pos","<f4",[3]]] <nil>
}

func ExampleDateTime() {
	t := dtype.DateTime{Unit: dtype.Day, Scale: 7}
	i, err := t.Instant(time.Date(2020, 2, 29, 12, 0, 0, 0, time.UTC))
	fmt.Println(i, err)
	at, err := t.Time(i)
	fmt.Println(at, err)
	fmt.Println(t.Format(i), t.Format(dtype.NaT))
	// Output:
	// 2617 <nil>
	// 2020-02-27 00:00:00 +0000 UTC <nil>
	// 2020-02-27 NaT
}

func ExampleConvert() {
	dst := make([]int8, 2)
	fmt.Println(dtype.Convert(dtype.Int16, dst, []byte{1, 0, 255, 255}), dst)
	fmt.Println(dtype.Convert(dtype.Int16, dst, []byte{1, 0, 0, 1}))
	// Output:
	// <nil> [1 -1]
	// wrong type: element 1 of int16 cannot be converted to int8: 256 is not representable
}

func ExampleTable_With() {
	meters := func(json.RawMessage) (dtype.Type, error) { return dtype.Float32, nil }
	t, err := dtype.Standard().With("example.meters", meters).ParseV3(json.RawMessage(`"example.meters"`))
	fmt.Println(t, err)
	// Output: float32 <nil>
}

func ExampleStruct_Lookup() {
	t, err := dtype.Parse(`[["id","<u4"],["at",[["x","<f4"],["y","<f4"]],[2]]]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, strides, ok := t.(*dtype.Struct).Lookup("at", "y")
	fmt.Println(f.Type, f.Offset, f.Shape, strides, ok)
	// Output: float32 8 [2] [8] true
}
