package hierarchy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/internal/node/document"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// metaError returns an error about a member of the array's metadata. The error has the key of the
// document that contains the member, and the pointer to the member. For consolidated metadata of
// v2, the error has the key of the .zarray entry in the consolidated metadata, like parse errors.
func (n *Node) metaError(m *meta.Array, pointer string, err error) error {
	key := n.Doc.Key
	switch {
	case n.From != FromCopy:
	case m.Format == 3:
		below := strings.TrimPrefix(n.Path, strings.TrimSuffix(key, document.ZarrJSON))
		pointer = "/consolidated_metadata/metadata/" + strings.ReplaceAll(strings.ReplaceAll(below, "~", "~0"), "/", "~1") + pointer
	default:
		key = document.Join(n.Path, document.ZArray)
	}
	return &fault.MetaError{Key: key, Pointer: pointer, Err: err}
}

// codecPointer returns the JSON pointer of the codec that caused err, an error of binding m's
// codecs. It returns "" if the error concerns more than one member.
func codecPointer(m *meta.Array, err error) string {
	var of *codec.ChainError
	known := errors.As(err, &of)
	if m.Format == 3 {
		if !known {
			return "/codecs"
		}
		return fmt.Sprintf("/codecs/%d", of.Index)
	}
	if !known {
		return ""
	}
	first := 0 // the first codec that the document lists; earlier codecs are derived from order and byte order
	for first < len(m.Codecs) && (m.Codecs[first].Name == "transpose" || m.Codecs[first].Name == "bytes") {
		first++
	}
	switch {
	case of.Index < first:
		return ""
	case m.Format == 1:
		return "/compression"
	case of.Index == len(m.Codecs)-1 && !m.AllFilters:
		return "/compressor"
	}
	return fmt.Sprintf("/filters/%d", of.Index-first)
}
