package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/zarr/store"
)

// extends reports whether the copy at a path keeps the unknown members of the metadata of its
// source. Such members may be ignored by readers. A copy in another format lacks them, which
// extends reports by Options.Dropped.
func (m *maker) extends(to string, unknown map[string]json.RawMessage, from, format int) bool {
	if len(unknown) == 0 || from == format {
		return len(unknown) > 0
	}
	if m.o.Dropped != nil {
		names := strings.Join(slices.Sorted(maps.Keys(unknown)), ", ")
		m.o.Dropped(strings.TrimPrefix(strings.TrimPrefix(to, m.o.Target.Path), "/"), fmt.Sprintf("the copy lacks members of the metadata that v%d does not define: %s", from, names))
	}
	return false
}

// replace stores other documents of a planned node.
func (m *maker) replace(ctx context.Context, to string, docs document.Docs) error {
	for _, d := range docs {
		if d.Bytes == nil {
			continue
		}
		if _, err := m.new.Put(ctx, join(to, d.Name), d.Bytes, store.PutOptions{}); err != nil {
			return err
		}
	}
	return nil
}
