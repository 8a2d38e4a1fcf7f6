package validate

import (
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/rule"
)

// claimIn reports the claim of a shape change in a node's document. The change may be in progress,
// or its process may have been killed; only the age of the claim distinguishes these cases.
func claimIn(doc node.Stored, findings *nodeFindings) {
	c, err := node.ClaimIn(doc)
	f := rule.Finding{Rule: rule.LeftOverClaim, Key: doc.Key, Pointer: node.ClaimPointer(doc.Key)}
	switch {
	case err != nil:
		f.Text = fmt.Sprintf("the record of the change cannot be read: %s", rule.FromError("", err).Text)
	case c.Under():
		by := "an append or a resize with --take-over replaces it"
		if c.What == claim.Migrate {
			by = "zargo migrate completes it"
		}
		f.Text = strings.TrimSuffix(c.String(), ",") + "; " + by + ", and --repair --drop-claims AGE drops it"
	default:
		return
	}
	findings.report(f)
}
