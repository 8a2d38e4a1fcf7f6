package zarr_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// lines is a caller's codec of strings. It writes each string on a line.
type lines struct{ elems int }

func newLines(_ json.RawMessage, in codec.Repr) (any, error) {
	if in.Type != dtype.Type(dtype.String) {
		return nil, fault.Newf(fault.Metadata, "takes strings, not %v", in.Type)
	}
	n, err := in.Elems()
	return lines{n}, err
}

func (lines) EncodedSize() int64 { return -1 }
func (lines) Worst() int64       { return math.MaxInt64 }

func (lines) Encode(dst []byte, src codec.Block) ([]byte, error) {
	for _, s := range src.Items {
		dst = append(append(dst, s...), '\n')
	}
	return dst, nil
}

func (c lines) Decode(dst codec.Block, src []byte) error {
	all := strings.Split(string(src), "\n")
	if len(all) != c.elems+1 {
		return fault.Newf(fault.Corrupt, "%d lines", len(all)-1)
	}
	for i := range dst.Items {
		dst.Items[i] = []byte(all[i])
	}
	return nil
}

// TestOwnCodecOfStrings uses a caller's codec that encodes strings as bytes: alone, in shards, in
// order F, and before a compressor.
func TestOwnCodecOfStrings(t *testing.T) {
	table := codec.Builtin().With("example.com.lines", newLines)
	own := codec.Spec{Name: "example.com.lines"}
	want := make([]string, 60)
	for i := range want {
		want[i] = fmt.Sprint("text ", i/2)
	}
	for name, spec := range map[string]zarr.Spec{
		"chunks":  {Codecs: []codec.Spec{own}},
		"zstd":    {Codecs: []codec.Spec{own, codec.Zstd(1)}},
		"order F": {Codecs: []codec.Spec{codec.Transpose(1, 0), own}},
		"shards":  {Shards: []int{8, 6}, Codecs: []codec.Spec{own}},
		"behind":  {Chunks: []int{8, 6}, Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{4, 3}, Codecs: []codec.Spec{own}}), codec.Gzip(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			if spec.Shape, spec.DType = []int{10, 6}, dtype.String; spec.Chunks == nil {
				spec.Chunks = []int{4, 3}
			}
			a := mustCreate(t, mem.New(), "a", spec, zarr.Extensions(table, nil))
			succeed(t, zarr.Write(t.Context(), a, want))
			if err := zarr.Write(t.Context(), a, []string{"other"}, zarr.At(3), zarr.At(2)); err != nil { // part of a chunk
				t.Fatal(err)
			}
			now := slices.Clone(want)
			now[3*6+2] = "other"
			got, err := zarr.Read[string](t.Context(), a)
			if err != nil || !slices.Equal(got, now) {
				t.Errorf("%q, %v", got, err)
			}
			some, err := zarr.Read[string](t.Context(), a, zarr.Range(1, 10).By(-4), zarr.Index(5, 0))
			if err != nil || !slices.Equal(some, []string{now[59], now[54], now[35], now[30], now[11], now[6]}) {
				t.Errorf("%q, %v", some, err)
			}
			if err := a.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	numbers := zarr.Spec{Shape: []int{4}, DType: dtype.Uint8, Codecs: []codec.Spec{own}}
	if _, err := zarr.Create(t.Context(), mem.New(), "a", numbers, zarr.Extensions(table, nil)); !errors.Is(err, zarr.ErrMetadata) {
		t.Errorf("of numbers: %v", err)
	}
}
