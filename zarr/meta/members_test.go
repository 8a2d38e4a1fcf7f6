package meta

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMembersOfTheSameName checks that the last value counts, at the position of the first, in
// objects of few and of many members.
func TestMembersOfTheSameName(t *testing.T) {
	for _, n := range []int{0, 1, few - 1, few, few + 1, 3 * few} {
		var parts, want []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(`"m%d": %d`, i, i))
			want = append(want, fmt.Sprintf("m%d=%d", i, i))
		}
		for i := 0; i < n; i += 3 { // again, in another order and twice
			j := n - 1 - i
			parts = append(parts, fmt.Sprintf(`"m%d": 1`, j), fmt.Sprintf(`"m%d": "last"`, j))
			want[j] = fmt.Sprintf(`m%d="last"`, j)
		}
		all, err := members([]byte("{" + strings.Join(parts, ", ") + "}"))
		var got []string
		for _, m := range all {
			got = append(got, m.name+"="+string(m.raw))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d members: %q, %v; want %q", n, got, err, want)
		}
	}
}
