package blob

import (
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// PortableKey returns fault.Path for keys that all gocloud drivers store under another name. Such
// keys contain an escape sequence, such as "__0x2f__", or "../", as in "a../b".
func PortableKey(key string) error {
	if strings.Contains(key, "../") {
		return fault.Newf(fault.Path, `key %q contains "../", which gocloud stores under another name`, key)
	}
	for rest := key; ; {
		i := strings.Index(rest, "__0x")
		if i < 0 {
			return nil
		}
		// Like gocloud's unescape, expect digits up to a double underscore.
		digits := rest[i+len("__0x"):]
		if j := strings.IndexByte(digits, '_'); j >= 0 && strings.HasPrefix(digits[j:], "__") {
			return fault.Newf(fault.Path, "key %q contains %q, which gocloud stores under another name", key, rest[i:i+len("__0x")+j+2])
		}
		rest = rest[i+1:]
	}
}

// plainKey returns fault.Path for a key with control characters. Listings of S3 and Azure cannot
// contain them all, GCS refuses line breaks, and other drivers of gocloud escape them.
func plainKey(key string) error {
	for _, r := range key {
		if r < 0x20 || r == 0x7f {
			return fault.Newf(fault.Path, "key %q contains the control character %q, which not every bucket can hold", key, r)
		}
	}
	return nil
}
