package meta

import (
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func TestV1(t *testing.T) {
	const head = `{"zarr_format":1,"shape":[9,4],"chunks":[4,4],"dtype":">u2","fill_value":7`
	tests := []struct {
		name, doc string
		codecs    []string // names and configurations
	}{
		{"blosc, F", head + `,"compression":"blosc","compression_opts":{"cname":"lz4","clevel":3,"shuffle":1},"order":"F"}`,
			[]string{`transpose {"order":[1,0]}`, `bytes {"endian":"big"}`, `numcodecs.blosc {"cname":"lz4","clevel":3,"shuffle":1}`}},
		{"level", head + `,"compression":"zlib","compression_opts":5}`, []string{`bytes {"endian":"big"}`, `numcodecs.zlib {"level":5}`}},
		{"no options", head + `,"compression":"zlib","compression_opts":null,"order":"C"}`, []string{`bytes {"endian":"big"}`, `numcodecs.zlib `}},
		{"none", head + `,"compression":"none"}`, []string{`bytes {"endian":"big"}`}},
		{"null", head + `,"compression":null,"compression_opts":null}`, []string{`bytes {"endian":"big"}`}},
		{"more than is known", head + `,"compression":null,"made_by":"hand"}`, []string{`bytes {"endian":"big"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := Parser{}.ArrayV1("x/meta", []byte(tt.doc), "x/attrs", []byte(`{"foo":42}`))
			if err != nil {
				t.Fatal(err)
			}
			var codecs []string
			for _, c := range a.Codecs {
				codecs = append(codecs, c.Name+" "+string(c.Config))
			}
			if !slices.Equal(codecs, tt.codecs) {
				t.Errorf("codecs %q, want %q", codecs, tt.codecs)
			}
			if a.Format != 1 || a.DType != dtype.Type(dtype.Uint16) || !slices.Equal(a.Fill, []byte{7, 0}) || a.Keys.Key([]int{2, 0}) != "2.0" || a.Attrs["foo"] == nil {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestV1Invalid(t *testing.T) {
	tests := []struct{ name, doc, pointer string }{
		{"other format", `{"zarr_format":2}`, "/zarr_format"},
		{"no compression", `{"zarr_format":1,"shape":[9],"chunks":[4],"dtype":"<f8","fill_value":NaN}`, "/compression"},
		{"compression is no name", `{"zarr_format":1,"shape":[9],"chunks":[4],"dtype":"<f8","fill_value":0,"compression":5}`, "/compression"},
		{"empty name", `{"zarr_format":1,"shape":[9],"chunks":[4],"dtype":"<f8","fill_value":0,"compression":""}`, "/compression"},
		{"options are a list", `{"zarr_format":1,"shape":[9],"chunks":[4],"dtype":"<f8","fill_value":0,"compression":"zlib","compression_opts":[5]}`, "/compression_opts"},
		{"order", `{"zarr_format":1,"shape":[9],"chunks":[4],"dtype":"<f8","fill_value":0,"compression":null,"order":"K"}`, "/order"},
		{"zero chunk", `{"zarr_format":1,"shape":[9],"chunks":[0],"dtype":"<f8","fill_value":0,"compression":null}`, "/chunks/0"},
		{"bare token in the shape", `{"zarr_format":1,"shape":[NaN],"chunks":[1],"dtype":"<f8","fill_value":0,"compression":null}`, "/shape"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parser{}.ArrayV1("meta", []byte(tt.doc), "attrs", nil)
			var at *fault.MetaError
			if !errors.Is(err, fault.Metadata) || !errors.As(err, &at) || at.Key != "meta" || at.Pointer != tt.pointer {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := (Parser{}).ArrayV1("meta", []byte(`{"zarr_format":1,"shape":[],"chunks":[],"dtype":"<f8","fill_value":null,"compression":null}`), "attrs", []byte(`[]`)); !errors.Is(err, fault.Metadata) {
		t.Errorf("attributes that are a list: %v", err)
	}
}
