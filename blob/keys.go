package blob

import (
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// PortableKey refuses, with fault.Path, the keys that every gocloud driver would store under
// another name: those with an escape sequence such as "__0x2f__", and those with "../" in them
// ("a../b").
func PortableKey(key string) error {
	if strings.Contains(key, "../") {
		return fault.Newf(fault.Path, `key %q holds "../", which gocloud stores under another name`, key)
	}
	for rest := key; ; {
		i := strings.Index(rest, "__0x")
		if i < 0 {
			return nil
		}
		// As gocloud's unescape: digits up to the next underscore, which must be doubled.
		digits := rest[i+len("__0x"):]
		if j := strings.IndexByte(digits, '_'); j >= 0 && strings.HasPrefix(digits[j:], "__") {
			return fault.Newf(fault.Path, "key %q holds %q, which gocloud stores under another name", key, rest[i:i+len("__0x")+j+2])
		}
		rest = rest[i+1:]
	}
}
