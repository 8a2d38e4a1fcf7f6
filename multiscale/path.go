package multiscale

import (
	"strings"

	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// path returns a member that must be the path of a node below the group. For any other value it
// returns "" and adds a finding.
func path(f *convention.Findings, pointer string, v any) string {
	s, ok := v.(string)
	if !ok {
		f.Add(pointer, "must be a path, is %s", convention.Kind(v))
		return ""
	}
	if !relative(s) {
		f.Add(pointer, "must be a relative path without empty segments, \".\" and \"..\", is %s", convention.Kind(s))
		return ""
	}
	return s
}

// relative reports whether a path is relative and stays below its group. The convention multiscales
// forbids ".." anywhere in a path.
func relative(s string) bool {
	if strings.Contains(s, "..") || strings.ContainsAny(s, "\x00\\") {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part == "." {
			return false
		}
	}
	return true
}
