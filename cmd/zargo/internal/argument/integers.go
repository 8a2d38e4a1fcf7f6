package argument

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
)

// Integers parses a list such as "10,20". It returns an empty list for "".
func Integers(flag, text string) ([]int, error) {
	list := []int{}
	if strings.TrimSpace(text) == "" {
		return list, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 {
			return nil, exit.Usagef("%s %q: %q is not a number of elements", flag, text, part)
		}
		list = append(list, n)
	}
	return list, nil
}

// maxEdges is the maximum number of chunks along an axis that --chunk-edges and --shard-edges may
// list.
const maxEdges = 1 << 20

// Edges parses the lengths of consecutive chunks along each axis, such as "31,28x3,31/180". It
// returns nil for "".
func Edges(flag, text string) ([][]int, error) {
	if text == "" {
		return nil, nil
	}
	var all [][]int
	for axis := range strings.SplitSeq(text, "/") {
		edges := []int{}
		for part := range strings.SplitSeq(axis, ",") {
			length, times, ok := strings.Cut(strings.TrimSpace(part), "x")
			n, err := strconv.Atoi(length)
			count := 1
			if ok && err == nil {
				count, err = strconv.Atoi(times)
			}
			if err != nil || n < 1 || count < 1 {
				return nil, exit.Usagef("%s %q: %q is not the length of a chunk", flag, text, part)
			}
			if count > maxEdges-len(edges) {
				return nil, exit.Usagef("%s %q: an axis must have at most %d chunks", flag, text, maxEdges)
			}
			edges = append(edges, slices.Repeat([]int{n}, count)...)
		}
		all = append(all, edges)
	}
	return all, nil
}

// SizeOr is Size, or returns otherwise if text is "".
func SizeOr(flag, text string, otherwise int64) (int64, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := Size(flag, text)
	return int64(n), err
}

// Size parses a number of bytes, such as 4000000, 512KiB, 4MiB or 1GiB.
func Size(flag, text string) (int, error) {
	digits, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if d, ok := strings.CutSuffix(text, unit); ok {
			digits, shift = strings.TrimSpace(d), 10*(i+1)
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > math.MaxInt>>shift {
		return 0, exit.Usagef("%s must be a number of bytes such as 4000000 or 4MiB, is %q", flag, text)
	}
	return n << shift, nil
}
