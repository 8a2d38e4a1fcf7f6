package store

import (
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
)

// MaxKey is the length in bytes of the longest key that every store accepts. It is the limit of S3,
// GCS and Azure.
const MaxKey = 1024

// CheckKey returns fault.Path for a key that some store could not hold unchanged, or that could
// lead out of the store's root. Such keys are empty, longer than [MaxKey] or not valid UTF-8, or
// they contain U+0000, a backslash, or a segment "", "." or "..".
//
// Other control characters are valid, because other programs create such keys. A store that cannot
// hold them returns fault.Path for them.
func CheckKey(key string) error {
	if key == "" {
		return fault.Newf(fault.Path, "the key is empty")
	}
	if len(key) > MaxKey {
		return fault.Newf(fault.Path, "the key has %d bytes, more than %d", len(key), MaxKey)
	}
	if !utf8.ValidString(key) {
		return fault.Newf(fault.Path, "key %q is not valid UTF-8", key)
	}
	for _, r := range key {
		if r == 0 || r == '\\' {
			return fault.Newf(fault.Path, "key %q contains the invalid character %q", key, r)
		}
	}
	for seg := range strings.SplitSeq(key, "/") {
		switch seg {
		case "":
			return fault.Newf(fault.Path, "key %q has an empty segment", key)
		case ".", "..":
			return fault.Newf(fault.Path, "key %q has the invalid segment %q", key, seg)
		}
	}
	return nil
}

// CheckPrefix is CheckKey for the prefix of a listing. The prefix "" means the whole store.
func CheckPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return CheckKey(prefix)
}
