package validate

import (
	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/multiscale"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/rule"
)

// conventions reports attributes of a node that violate the conventions of packages crs and
// multiscale. It sends no request, so that it reads neither grid mapping variables nor the group
// above an array.
func conventions(n zarr.Node, findings *nodeFindings) {
	key, before := join(n.Path(), docAttrs), ""
	switch n.Format() {
	case 3:
		key, before = join(n.Path(), docV3), "/attributes"
	case 1:
		key = join(n.Path(), docAttrsV1)
	}
	seen := map[rule.Finding]bool{} // both packages check zarr_conventions
	report := func(f rule.Finding) {
		f = rule.Finding{Rule: rule.Convention, Key: key, Pointer: before + f.Pointer, Text: f.Text}
		if !seen[f] {
			seen[f] = true
			findings.report(f)
		}
	}
	node := crs.Node{Attrs: n.Attrs()}
	if a, ok := n.(*zarr.Array); ok {
		node.Array, node.Dims, node.Shape = true, a.Dims(), a.Shape()
	} else {
		for _, f := range multiscale.Validate(n.Attrs()) {
			report(f)
		}
	}
	for _, f := range crs.Validate(node) {
		report(f)
	}
}
