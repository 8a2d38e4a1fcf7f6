package argument

import (
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/internal/bits/codectext"
	"github.com/zargo-io/zargo/internal/bits/similar"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/optional"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Codec parses a codec in the form of the command line; see [codectext.Parse].
func Codec(text string) (codec.Spec, error) { return codectext.Parse(text) }

// Codecs parses the values of --codec. If big is true, the stored bytes are in big-endian order.
func Codecs(texts []string, big bool) ([]codec.Spec, error) {
	var specs []codec.Spec
	for _, text := range texts {
		if text == "none" {
			if len(texts) > 1 {
				return nil, exit.Usagef("--codec none cannot be combined with other codecs")
			}
			specs = []codec.Spec{}
			break
		}
		s, err := Codec(text)
		if err != nil {
			return nil, exit.Usagef("--codec: %v", err)
		}
		specs = append(specs, s)
	}
	if big {
		if specs == nil {
			specs = []codec.Spec{codec.Zstd(0)} // the default
		}
		specs = append(specs, codec.Bytes(dtype.Big))
	}
	return specs, nil
}

// KnownCodecs returns the table of the codecs that the program reads and writes.
func KnownCodecs() *codec.Table { return codectext.Known() }

// KnownTypes returns the table of the data types that the program reads and writes.
func KnownTypes() *dtype.Table { return optional.AddType(dtype.Standard()) }

// Type parses the data type in a flag. For an unknown type, the error suggests a similar name.
func Type(flag, text string) (dtype.Type, error) {
	t, err := KnownTypes().Parse(text)
	if err == nil {
		return t, nil
	}
	if like := similar.Name(text, KnownTypes().Names(), strings.ToLower); like != "" {
		return nil, exit.Usagef("%s: unknown data type %q (did you mean %q?)", flag, text, like)
	}
	return nil, exit.At(flag, err)
}
