package zarr

import (
	"slices"

	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/meta"
)

// docs is where the documents of the node are, and how its options have them read and written.
func (n *node) docs() *document.Node {
	return &document.Node{
		Store: n.st, Path: n.path, Format: n.cfg.format, Limit: n.cfg.maxMetadata, SingleWriter: n.cfg.singleWriter,
		Parser: meta.Parser{Types: n.cfg.types}, Account: account.Options{Report: n.cfg.report},
	}
}

// Options returns the options that the node was opened with, those of [Array.With] included, to
// open others in the same way.
func (n *node) Options() []Option { return slices.Clone(n.cfg.given) }

func (n *node) source(m meta.Node) *document.Source {
	return &document.Source{At: n.docs(), Doc: n.doc, Attrs: n.attrsDoc, Model: m, With: n.parser()}
}
