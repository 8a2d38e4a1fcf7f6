package similar_test

import (
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/bits/similar"
)

func TestName(t *testing.T) {
	names := []string{"int8", "uint8", "float16", "float32", "float64", "complex128"}
	for name, want := range map[string]string{
		"flaot32": "float32", "Float32": "float32", "float3": "float32", "int": "int8", "int9": "int8", "double": "",
		"float32":    "float16", // Name does not return name itself
		"compelx182": "complex128", "": "", strings.Repeat("float32", 10): "",
	} {
		if got := similar.Name(name, names, strings.ToLower); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
