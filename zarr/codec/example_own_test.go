package codec_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/codectest"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// runs stores each run of equal bytes as its length and the byte.
type runs struct{}

func newRuns(json.RawMessage, codec.Repr) (any, error) { return runs{}, nil }

func (runs) EncodedSize(int64) int64 { return -1 }
func (runs) Worst(n int64) int64     { return 2 * min(n, math.MaxInt64/2) }

func (runs) Encode(dst, src []byte) ([]byte, error) {
	for i := 0; i < len(src); {
		n := 1
		for n < 255 && i+n < len(src) && src[i+n] == src[i] {
			n++
		}
		dst, i = append(dst, byte(n), src[i]), i+n
	}
	return dst, nil
}

func (runs) Decode(dst, src []byte, limit int) ([]byte, error) {
	for ; len(src) >= 2; src = src[2:] {
		if limit -= int(src[0]); limit < 0 {
			return dst, fault.Newf(fault.Corrupt, "decoded to more bytes than the chunk has")
		}
		for range src[0] {
			dst = append(dst, src[1])
		}
	}
	if len(src) > 0 {
		return dst, fault.Newf(fault.Corrupt, "the last run is truncated")
	}
	return dst, nil
}

// flip XORs every byte of an array with a mask. Its configuration is {"bits":85}, for example.
type flip struct {
	in   codec.Repr
	bits byte
}

func newFlip(config json.RawMessage, in codec.Repr) (any, error) {
	var c struct{ Bits *uint8 }
	d := json.NewDecoder(bytes.NewReader(config))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return nil, err
	}
	if c.Bits == nil || in.Type != dtype.Uint8 {
		return nil, fault.Newf(fault.Metadata, "requires uint8 and \"bits\", not %v and %s", in.Type, config)
	}
	return flip{in, *c.Bits}, nil
}

func (f flip) Out() codec.Repr {
	out := f.in
	out.Fill = f.turned(nil, out.Fill)
	return out
}

func (f flip) Encode(dst, src codec.Block) error { f.turned(dst.Bytes[:0], src.Bytes); return nil }
func (f flip) Decode(dst, src codec.Block) error { f.turned(dst.Bytes[:0], src.Bytes); return nil }

func (f flip) turned(dst, src []byte) []byte {
	for _, b := range src {
		dst = append(dst, b^f.bits)
	}
	return dst
}

// Example_own stores an array with a custom codec.
func Example_own() {
	ctx, st := context.Background(), mem.New()
	table := codec.Builtin().With("example.com.runs", newRuns)
	spec := zarr.Spec{Shape: []int{1000}, DType: dtype.Uint8, Codecs: []codec.Spec{{Name: "example.com.runs"}}}
	a, err := zarr.Create(ctx, st, "a", spec, zarr.Extensions(table, nil))
	if err != nil {
		panic(err)
	}
	if err := zarr.Write(ctx, a, make([]uint8, 100), zarr.Range(900, 1000)); err != nil {
		panic(err)
	}
	if a, err = zarr.OpenArray(ctx, st, "a", zarr.Extensions(table, nil)); err != nil {
		panic(err)
	}
	values, err := zarr.Read[uint8](ctx, a)
	fmt.Println(len(values), err)
	_, err = zarr.OpenArray(ctx, st, "a")
	fmt.Println(err)
	// Output:
	// 1000 <nil>
	// zarr: "a" in mem://: a/zarr.json at /codecs/1: unsupported operation: unknown codec "example.com.runs"
}

func TestRuns(t *testing.T) {
	table := codec.Builtin().With("example.com.runs", newRuns)
	codectest.Run(t, table, codec.Spec{Name: "example.com.runs"}, codec.Repr{Shape: []int{16, 9}, Type: dtype.Float32})
}

// TestFlip checks that the codec with a configuration keeps the contract, alone and in an array,
// and rejects invalid configurations and types.
func TestFlip(t *testing.T) {
	table := codec.Builtin().With("example.com.flip", newFlip)
	spec := codec.Spec{Name: "example.com.flip", Config: json.RawMessage(`{"bits":85}`)}
	codectest.Run(t, table, spec, codec.Repr{Shape: []int{16, 9}, Type: dtype.Uint8, Fill: []byte{7}})

	st := mem.New()
	a, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Shape: []int{4}, DType: dtype.Uint8, Codecs: []codec.Spec{spec}}, zarr.Extensions(table, nil))
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, zarr.Write(t.Context(), a, []uint8{1, 2, 3, 4}))
	if v, err := st.Get(t.Context(), "a/c/0", store.GetOptions{}, nil); err != nil || string(v.Bytes) != "\x54\x57\x56\x51" {
		t.Errorf("stored %x (%v)", v.Bytes, err)
	}
	for _, config := range []string{`{}`, `{"bits":256}`, `{"bits":1,"x":2}`, ""} {
		if _, err := table.Bind(codec.Spec{Name: spec.Name, Config: json.RawMessage(config)}, codec.Repr{Type: dtype.Uint8}); !errors.Is(err, fault.Metadata) {
			t.Errorf("%s: %v", config, err)
		}
	}
}

// TestHowToCodecs checks that every Go block of the pages on codecs is part of this file, ignoring
// indentation, and that each codec has fewer than 30 lines.
func TestHowToCodecs(t *testing.T) {
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(strings.ReplaceAll(string(b), "\r\n", "\n"), "\t", "")
	}
	source := read("example_own_test.go")
	blocks := strings.Split(read("../../docs/tasks/codecs.md")+read("../../docs/reference/codecs.md"), "```go\n")[1:]
	if len(blocks) != 5 {
		t.Errorf("%d blocks of Go", len(blocks))
	}
	for i, b := range blocks {
		code, _, _ := strings.Cut(b, "```")
		if !strings.Contains(source, code) {
			t.Errorf("block %d is not in the example:\n%s", i, code)
		}
		if lines := strings.Count(code, "\n") - strings.Count(code, "\n\n"); lines >= 30 {
			t.Errorf("block %d has %d lines", i, lines)
		}
	}
}
