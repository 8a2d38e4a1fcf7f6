package meta

import (
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/fault"
)

// NormalizePath returns the path of a node without leading, trailing and doubled slashes. The path
// of the root is "". NormalizePath returns fault.Path for paths that could leave the store's root
// or are ambiguous: those with segments "." and "..", backslashes (which the v2 specification would
// convert to slashes), U+0000, and bytes that are not UTF-8.
func NormalizePath(p string) (string, error) {
	if err := checkChars(p); err != nil {
		return "", err
	}
	var out []string
	for seg := range strings.SplitSeq(p, "/") {
		switch seg {
		case "":
			continue
		case ".", "..":
			return "", fault.Newf(fault.Path, "path %q has a segment %q", p, seg)
		}
		out = append(out, seg)
	}
	return strings.Join(out, "/"), nil
}

// CheckName returns fault.Path for a name that a new node of the format cannot have. In v3 (core
// specification, "Node names") these are names that consist only of periods, names that start with
// "__", and "zarr.json". In v2 these are ".", ".." and the names of metadata documents. In both
// formats these are names with control characters, and names that [NormalizePath] refuses.
//
// Nodes that other programs created with a reserved name or with control characters are read like
// other nodes, and their copies keep their names.
func CheckName(name string, format int) error {
	if err := checkChars(name); err != nil {
		return err
	}
	for _, r := range name {
		if r < 0x20 || r == 0x7f {
			return fault.Newf(fault.Path, "%q contains %q", name, r)
		}
	}
	bad := name == "" || name == "." || name == ".." || strings.Contains(name, "/")
	if format == 2 {
		switch name {
		case ".zarray", ".zgroup", ".zattrs", ".zmetadata":
			bad = true
		}
	} else if strings.Trim(name, ".") == "" || strings.HasPrefix(name, "__") || name == "zarr.json" {
		bad = true
	}
	if bad {
		return fault.Newf(fault.Path, "a node of v%d cannot have the name %q", format, name)
	}
	return nil
}

func checkChars(s string) error {
	if !utf8.ValidString(s) {
		return fault.Newf(fault.Path, "%q is not UTF-8", s)
	}
	for _, r := range s {
		if r == 0 || r == '\\' {
			return fault.Newf(fault.Path, "%q contains %q", s, r)
		}
	}
	return nil
}
