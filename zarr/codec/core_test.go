package codec

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func TestCore(t *testing.T) {
	tests := []struct{ name, config, want, wantConfig string }{
		{"numcodecs.gzip", `{"level":7}`, "gzip", `{"level":7}`},
		{"numcodecs.gzip", ``, "gzip", `{"level":1}`},
		{"numcodecs.gzip", `{"level":-1}`, "gzip", `{"level":6}`},
		{"numcodecs.zstd", `{"level":3}`, "zstd", `{"level":3,"checksum":false}`},
		{"numcodecs.zstd", `{"level":3,"checksum":true}`, "zstd", `{"level":3,"checksum":true}`},
		{"numcodecs.crc32c", ``, "crc32c", ``},
		{"numcodecs.crc32c", `{"location":"start"}`, "numcodecs.crc32c", `{"location":"start"}`},
		{"numcodecs.blosc", `{"cname":"lz4","clevel":3,"shuffle":-1,"blocksize":0}`, "blosc", `{"typesize":2,"cname":"lz4","clevel":3,"shuffle":"shuffle","blocksize":0}`},
		{"numcodecs.blosc", `{"cname":"lz4","shuffle":0}`, "blosc", `{"typesize":2,"cname":"lz4","clevel":5,"shuffle":"noshuffle","blocksize":0}`},
		{"numcodecs.zlib", `{"level":1}`, "numcodecs.zlib", `{"level":1}`},
		{"zstd", `{"level":1}`, "zstd", `{"level":1}`},
	}
	in := Repr{Shape: []int{4}, Type: dtype.Int16}
	for _, tt := range tests {
		t.Run(tt.name+tt.config, func(t *testing.T) {
			got, err := Spec{tt.name, json.RawMessage(tt.config)}.Core(in)
			if err != nil || got.Name != tt.want || string(got.Config) != tt.wantConfig {
				t.Errorf("got %s %s, %v", got.Name, got.Config, err)
			}
		})
	}
	for _, bad := range []Spec{{"numcodecs.gzip", json.RawMessage(`{"level":10}`)}, {"numcodecs.zstd", json.RawMessage(`{"x":1}`)}, {"numcodecs.blosc", json.RawMessage(`{"cname":"none"}`)}} {
		if _, err := bad.Core(in); !errors.Is(err, fault.Metadata) {
			t.Errorf("%s %s: %v", bad.Name, bad.Config, err)
		}
	}
}
