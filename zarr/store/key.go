package store

import (
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
)

// MaxKey is the longest key in bytes that any store takes: S3, GCS and Azure all stop at 1024.
const MaxKey = 1024

// CheckKey refuses, with fault.Path, a key that some store could not hold as it is, or that could
// leave the store's root: empty, longer than [MaxKey], not UTF-8, with a control character or a
// back slash, with an empty segment, or with a segment "." or "..".
func CheckKey(key string) error {
	if key == "" {
		return fault.Newf(fault.Path, "the key is empty")
	}
	if len(key) > MaxKey {
		return fault.Newf(fault.Path, "the key has %d bytes, more than %d", len(key), MaxKey)
	}
	if !utf8.ValidString(key) {
		return fault.Newf(fault.Path, "key %q is not UTF-8", key)
	}
	for _, r := range key {
		if r < 0x20 || r == 0x7f || r == '\\' {
			return fault.Newf(fault.Path, "key %q holds %q", key, r)
		}
	}
	for seg := range strings.SplitSeq(key, "/") {
		switch seg {
		case "":
			return fault.Newf(fault.Path, "key %q has an empty segment", key)
		case ".", "..":
			return fault.Newf(fault.Path, "key %q has a segment %q", key, seg)
		}
	}
	return nil
}

// CheckPrefix is CheckKey for the prefix of a listing, where "" is the whole store.
func CheckPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return CheckKey(prefix)
}
