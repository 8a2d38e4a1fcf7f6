package peers

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// cast is an array with cast_value or scale_offset, and values for which implementations may
// differ.
type cast struct {
	name   string
	from   string // v2 name, little-endian
	codecs []codec.Spec
	values []byte
}

// numbers returns numbers in the memory form of a data type.
func numbers(from string, values ...float64) (b []byte) {
	for _, v := range values {
		switch from {
		case "|u1":
			b = append(b, byte(v))
		case "|i1":
			b = append(b, byte(int8(v)))
		case "<i2":
			b = binary.LittleEndian.AppendUint16(b, uint16(int16(v)))
		case "<i8":
			b = binary.LittleEndian.AppendUint64(b, uint64(int64(v)))
		case "<f4":
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		case "<f8":
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// casts returns arrays of data types with each rounding mode and each out_of_range mode, and with
// values inside and outside the range.
func casts() []cast {
	var all []cast
	inf, nan := math.Inf(1), math.NaN()
	within := []float64{0, 1, -1, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 99.49999, 100.5, -100.5, 3}
	edges := []float64{127, 127.4, 127.5, 127.6, 128, -128, -128.4, -128.5, -129, 254.5, 255, 255.5, 256, -0.4, 1e6, -1e6, 1e18, 3e38, -3e38}
	for _, p := range []struct {
		from, to string
		sets     map[string][]float64
	}{
		{"<f8", "int8", map[string][]float64{"within": within, "edges": edges, "nan": {1, nan}, "inf": {1, inf, -inf}}},
		{"<f4", "uint8", map[string][]float64{"within": {0, 0.5, 1.5, 2.5, 3.5, 254.4, 255}, "edges": edges}},
		{"<f8", "float32", map[string][]float64{"within": {0, 0.1, -0.1, 1 << 25, 1<<25 + 1, 1<<25 + 3, inf, -inf, nan, 1e-40, 3.4028235e38}, "edges": {3.4028236e38, 1e39, -1e39, 1e308}}},
		{"<f8", "int64", map[string][]float64{"within": {0, 2.5, -2.5, 1 << 53, -(1 << 62), 9.2e18}, "edges": {1 << 63, 1e19, -1e19}}},
		{"<f8", "uint64", map[string][]float64{"within": {0, 2.5, 1 << 63, 1.8e19}, "edges": {-1, 1.9e19}}},
		{"<i2", "int8", map[string][]float64{"within": {0, 1, -1, 127, -128}, "edges": {128, -129, 300, -300, 32767, -32768}}},
		{"<i2", "uint8", map[string][]float64{"within": {0, 255}, "edges": {-1, 256, 511, -32768}}},
		{"<i8", "float64", map[string][]float64{"within": {0, 1 << 53, -(1 << 53)}, "edges": {1<<62 + 1<<9, 9e18}}},
		{"|u1", "float32", map[string][]float64{"within": {0, 1, 255}}},
	} {
		for _, rounding := range []string{"nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"} {
			for _, beyond := range []string{"", "clamp", "wrap"} {
				if beyond == "wrap" && strings.HasPrefix(p.to, "float") {
					continue // floats do not wrap
				}
				config := fmt.Sprintf(`{"data_type":%q,"rounding":%q`, p.to, rounding)
				if beyond != "" {
					config += fmt.Sprintf(`,"out_of_range":%q`, beyond)
				}
				for set, values := range p.sets {
					all = append(all, cast{fmt.Sprintf("%s to %s, %s, %s, %s", p.from, p.to, rounding, beyond, set), p.from, []codec.Spec{{Name: "cast_value", Config: json.RawMessage(config + `}`)}}, numbers(p.from, values...)})
				}
			}
		}
	}
	mapped := `{"data_type":"uint8","out_of_range":"clamp","scalar_map":{"encode":[["NaN",0],["Infinity",255],[7,77]],"decode":[[0,"NaN"],[255,"Infinity"],[77,7]]}}`
	all = append(all, cast{"mapped", "<f8", []codec.Spec{{Name: "cast_value", Config: json.RawMessage(mapped)}}, numbers("<f8", 1, nan, inf, 7, 3, 300, 2.5)})
	for _, from := range []string{"<f4", "<f8", "<i2", "|u1"} {
		for _, config := range []string{`{"offset":5,"scale":2}`, `{"offset":3}`, `{"scale":4}`, `{}`} {
			for set, values := range map[string][]float64{"within": {5, 6, 7, 10, 100}, "edges": {0, 1, 32000, 255, -32768}} {
				all = append(all, cast{fmt.Sprintf("%s scaled by %s, %s", from, config, set), from, []codec.Spec{{Name: "scale_offset", Config: json.RawMessage(config)}}, numbers(from, values...)})
			}
		}
	}
	return all
}

// castDiffers matches the arrays for which zarr-python differs from the text of cast_value.
// According to the text, "clamp" changes infinity and values beyond the range to the nearest finite
// number of the data type. zarr-python refuses infinity for integers, and stores infinity for
// values beyond the range of a float. Every array is tested, and an array that no longer differs
// fails the test until it is removed here.
var castDiffers = regexp.MustCompile(`^<f8 to (int8, .*, clamp, inf|float32, .*, clamp, edges|float32, towards-positive, clamp, within)$`)

// TestCastValue compares zargo with zarr-python 3.4 in cast_value and scale_offset at the limits of
// data types. Both must refuse to store an array, or both must store the same bytes, and both must
// read the same elements from the array that zargo stored.
func TestCastValue(t *testing.T) {
	needPython(t)
	t.Parallel()
	const peer = "zarr-python-3.4"
	folder := t.TempDir()
	all := casts()
	jobs := make([]job, 0, 2*len(all))
	stored, read, refused := make([][]byte, len(all)), make([][]byte, len(all)), make([]error, len(all))
	for i, c := range all {
		typ, _ := storedAs(c.from)
		n := len(c.values) / typ.Size()
		path := fmt.Sprint("zargo/", i)
		at := filepath.Join(folder, path)
		made, err := zarr.Create(t.Context(), dir.New(at), "", zarr.Spec{Shape: []int{n}, Chunks: []int{n}, DType: typ, Fill: 9, Codecs: append(c.codecs, codec.Bytes(dtype.Little))})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if refused[i] = made.WriteBytes(t.Context(), c.values); refused[i] == nil {
			if stored[i], err = os.ReadFile(filepath.Join(at, "c", "0")); err != nil {
				t.Fatal(err)
			}
			read[i] = make([]byte, len(c.values))
			if err := made.ReadBytes(t.Context(), read[i]); err != nil {
				read[i] = nil
			}
		}
		meta, err := os.ReadFile(filepath.Join(at, "zarr.json"))
		if err != nil {
			t.Fatal(err)
		}
		told := codedJob{3, strings.Replace(c.from, "|", "", 1), meta, hexes([][]byte{c.values}), []int{n}}
		jobs = append(jobs, job{Do: "write-chain", Peer: peer, Place: folder, Path: fmt.Sprint(peer, "/", i), Array: told}, job{Do: "read-chain", Peer: peer, Place: folder, Path: path, Array: told})
	}
	equal, none, differs := 0, 0, 0
	said := ask(t, jobs)
	for i, c := range all {
		wrote, reads := said[2*i], said[2*i+1]
		theirs, err := os.ReadFile(filepath.Join(folder, peer, fmt.Sprint(i), "c", "0"))
		switch {
		case castDiffers.MatchString(c.name):
			if differs++; refused[i] != nil || wrote.Error == "" && bytes.Equal(stored[i], theirs) {
				t.Errorf("%s: zargo %v, %s the same: take it out of castDiffers and of docs/evidence/interoperability.md", c.name, refused[i], peer)
			}
		case (wrote.Error != "") != (refused[i] != nil):
			t.Errorf("%s: zargo writes %v, %s %q", c.name, refused[i], peer, wrote.Error)
		case refused[i] != nil:
			none++
		case err != nil || !bytes.Equal(stored[i], theirs):
			t.Errorf("%s: zargo stores %x, %s %x, %v", c.name, stored[i], peer, theirs, err)
		case read[i] == nil && reads.Error != "":
			none++
		case read[i] == nil || reads.Error != "" || reads.Values[0] != hexes([][]byte{read[i]})[0]:
			t.Errorf("%s: zargo reads %x, %s %q %q", c.name, read[i], peer, reads.Values, reads.Error)
		default:
			equal++
		}
	}
	if len(all) != 293 || equal != 214 || none != 68 || differs != 11 {
		t.Errorf("%d arrays: %d equal, %d refused by both, %d known to differ", len(all), equal, none, differs)
	}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
