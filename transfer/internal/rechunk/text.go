package rechunk

import (
	"fmt"
	"strings"
)

// String returns the stages, one on each line, and their cost.
func (s Solution) String() string {
	var b strings.Builder
	for _, st := range s.Stages {
		fmt.Fprintf(&b, "%v -> %v in blocks of %v\n", st.Read, st.Write, st.Block)
	}
	fmt.Fprintf(&b, "%d requests, %d bytes", s.Requests, s.Bytes)
	return b.String()
}
