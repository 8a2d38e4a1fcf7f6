package similar

// Name returns the entry of names whose spelling is closest to name. It compares the results of
// bare, which removes irrelevant parts of a name. It returns "" if no entry is within two edits, or
// within one edit for names of at most five bytes.
func Name(name string, names []string, bare func(string) string) string {
	if len(name) > maxName {
		return ""
	}
	want := bare(name)
	if len(want) > maxName { // lower case may be longer
		return ""
	}
	best, least := "", 1
	if len(want) > 5 {
		least = 2
	}
	for _, n := range names {
		b := bare(n)
		if len(b) > maxName || max(len(b)-len(want), len(want)-len(b)) > least {
			continue
		}
		if d := edits(want, b); n != name && (d < least || d == least && (best == "" || len(n) < len(best))) {
			best, least = n, d
		}
	}
	return best
}

// maxName is the maximum length in bytes of the names that Name compares. Names may come from
// stored metadata, which may be hostile.
const maxName = 40

// edits returns the number of insertions, deletions, replacements and swaps of adjacent bytes that
// turn a into b. Neither may be longer than maxName.
func edits(a, b string) int {
	var rows [maxName + 1][maxName + 1]uint8
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
