package codec_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/pcodec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestDecodeOnly decodes chunks of codecs whose configuration has an invalid setting of the
// encoder. zarr-python 3.4.2 with numcodecs 0.17.1 reads all of them. They cannot encode, and they
// cannot be written to metadata.
func TestDecodeOnly(t *testing.T) {
	table := pcodec.Add(codec.Builtin())
	in := codec.Repr{Shape: []int{200}, Type: dtype.Int16}
	elems := make([]byte, 400)
	for i := range elems {
		elems[i] = byte(i / 3)
	}
	for _, tt := range []struct {
		name, valid string
		invalid     []string
	}{
		{"numcodecs.zlib", `{"level":1}`, []string{`{"level":99}`, `{"level":-5}`, `{"level":10}`, `{"level":null}`, `{"level":"5"}`, `{"level":1.5}`}},
		{"numcodecs.gzip", `{"level":1}`, []string{`{"level":99}`, `{"level":-5}`, `{"level":null}`, `{"level":"5"}`}},
		{"numcodecs.bz2", `{"level":1}`, []string{`{"level":99}`, `{"level":0}`, `{"level":-1}`, `{"level":null}`}},
		{"numcodecs.lzma", `{"preset":1}`, []string{`{"preset":99}`, `{"preset":-1}`, `{"check":99}`, `{"check":7}`}},
		{"numcodecs.lz4", `{"acceleration":1}`, []string{`{"acceleration":null}`, `{"acceleration":"x"}`}},
		{"numcodecs.zstd", `{"level":1}`, []string{`{"level":1099511627776}`, `{"level":null}`, `{"level":"3"}`, `{"checksum":null}`, `{"checksum":1}`}},
		{"numcodecs.blosc", `{"cname":"lz4"}`, []string{`{"clevel":10}`, `{"clevel":-1}`, `{"clevel":null}`, `{"shuffle":3}`, `{"shuffle":-2}`, `{"shuffle":null}`, `{"cname":"zzz"}`, `{"cname":null}`, `{"blocksize":-1}`, `{"blocksize":null}`, `{"blocksize":1099511627776}`}},
		{"numcodecs.pcodec", `{"level":8}`, []string{`{"level":13}`, `{"level":-1}`, `{"mode_spec":"zzz"}`, `{"delta_spec":"try_conv1"}`, `{"paging_spec":"zzz"}`, `{"delta_encoding_order":8}`, `{"delta_encoding_order":-1}`, `{"equal_pages_up_to":0}`}},
		{"zstd", `{"level":1}`, []string{`{"level":-999999999}`}},
		{"blosc", `{"cname":"lz4"}`, []string{`{"clevel":10}`, `{"clevel":-1}`, `{"blocksize":-1}`, `{"blocksize":1099511627776}`}},
	} {
		for _, sharded := range []bool{false, true} {
			chain := func(config string) (*codec.Chain, []codec.Spec) {
				specs := []codec.Spec{codec.Bytes(dtype.Little), {Name: tt.name, Config: json.RawMessage(config)}}
				if sharded {
					specs = []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{50}, Codecs: specs})}
				}
				c, err := table.Chain(specs, in)
				if err != nil {
					t.Fatalf("%s%s: %v", tt.name, config, err)
				}
				return c, specs
			}
			c, _ := chain(tt.valid)
			stored, err := c.Encode(nil, codec.Block{Bytes: elems}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, config := range tt.invalid {
				c, specs := chain(config)
				got := codec.Block{Bytes: make([]byte, len(elems))}
				if err := c.Decode(got, stored, nil); err != nil || !slices.Equal(got.Bytes, elems) {
					t.Errorf("%s%s: %v", tt.name, config, err)
				}
				if _, err := c.Encode(nil, codec.Block{Bytes: elems}, nil); !errors.Is(err, fault.Metadata) {
					t.Errorf("%s%s encodes: %v", tt.name, config, err)
				}
				if _, err := table.Normalize(specs, in); !errors.Is(err, fault.Metadata) {
					t.Errorf("%s%s is written: %v", tt.name, config, err)
				}
			}
		}
	}
}
