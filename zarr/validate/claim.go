package validate

import (
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/rule"
)

// claimIn reports a change of the shape that is under way as the document of a node has it. It may
// be at work, or its process was killed: only its age says which.
func claimIn(doc document.Stored, told *few) {
	c, err := document.ClaimIn(doc)
	f := rule.Finding{Rule: rule.LeftOverClaim, Key: doc.Key, Pointer: document.ClaimPointer(doc.Key)}
	switch {
	case err != nil:
		f.Text = fmt.Sprintf("its record cannot be read: %s", rule.FromError("", err).Text)
	case c.Under():
		by := "an append or resize with --take-over takes its place"
		if c.What == claim.Migrate {
			by = "zargo migrate completes it"
		}
		f.Text = strings.TrimSuffix(c.String(), ",") + "; " + by + ", and --repair --drop-claims AGE drops it"
	default:
		return
	}
	told.tell(f)
}
