package codec

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// unknown returns the error for a name that is not in the table. The error suggests a similar name.
// If the similar name is that of an unsupported codec, the error states why the codec is
// unsupported.
func (t *Table) unknown(s Spec, in Repr) error {
	like := similar(s.Name, t.Names())
	if like == "" {
		return fault.Newf(errors.ErrUnsupported, "unknown codec %.80q", s.Name)
	}
	if f := t.factories[like]; f != nil && bare(like) == bare(s.Name) {
		if _, err := f(json.RawMessage(`{}`), in); errors.Is(err, errors.ErrUnsupported) {
			return named(like, err)
		}
	}
	return fault.Newf(errors.ErrUnsupported, "unknown codec %.80q (did you mean %q?)", s.Name, like)
}

// maxSimilar is the maximum length of a name that is compared with others. The limit is necessary
// because names may come from stored metadata.
const maxSimilar = 40

// similar returns the entry of names whose spelling is closest to name. It ignores case and the
// prefix of numcodecs. It returns "" if no entry is within two edits, or within one edit for names
// of at most five bytes.
func similar(name string, names []string) string {
	if len(name) > maxSimilar {
		return ""
	}
	want := bare(name)
	if len(want) > maxSimilar { // lower case may need more bytes
		return ""
	}
	best, least := "", 1
	if len(want) > 5 {
		least = 2
	}
	for _, n := range names {
		b := bare(n)
		if len(b) > maxSimilar || max(len(b)-len(want), len(want)-len(b)) > least {
			continue
		}
		if d := edits(want, b); n != name && (d < least || d == least && (best == "" || len(n) < len(best))) {
			best, least = n, d
		}
	}
	return best
}

func bare(name string) string { return strings.ToLower(strings.TrimPrefix(name, numcodecs)) }

// edits returns the number of insertions, deletions, replacements and swaps of adjacent bytes that
// turn a into b. Neither may be longer than maxSimilar.
func edits(a, b string) int {
	var rows [maxSimilar + 1][maxSimilar + 1]uint8
	for i := range len(a) + 1 {
		rows[i][0] = uint8(i)
	}
	for j := range len(b) + 1 {
		rows[0][j] = uint8(j)
	}
	for i := range len(a) {
		for j := range len(b) {
			d := rows[i][j]
			if a[i] != b[j] {
				d++
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = min(d, rows[i][j+1]+1, rows[i+1][j]+1)
		}
	}
	return int(rows[len(a)][len(b)])
}
