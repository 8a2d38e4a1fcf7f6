package rechunk

import (
	"fmt"
	"strings"
)

// String lists the stages, one a line, and what they cost.
func (s Solution) String() string {
	var b strings.Builder
	for _, st := range s.Stages {
		fmt.Fprintf(&b, "%v -> %v in blocks of %v\n", st.Read, st.Write, st.Block)
	}
	fmt.Fprintf(&b, "%d requests, %d bytes", s.Requests, s.Bytes)
	return b.String()
}
