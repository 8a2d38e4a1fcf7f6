package serving

import (
	"cmp"
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// addView adds a view to the dataset that its text names. It opens the view once, so that a mistake
// is an error of the command.
func addView(ctx context.Context, s *session.Session, datasets []serve.Dataset, text string, memory int64) error {
	place, form, ok := strings.Cut(text, "=")
	id, name, named := strings.Cut(place, "/")
	i := slices.IndexFunc(datasets, func(d serve.Dataset) bool { return d.ID == id })
	if !ok || !named || name == "" || strings.Contains(name, "/") || i < 0 {
		return exit.Usagef("--view must be ID/NAME=FILE or ID/NAME={…} with the ID of a dataset, is %q", text)
	}
	o, err := formOf(form)
	if err != nil {
		return exit.At("--view "+place, err)
	}
	o.Zarr, o.Memory = s.Options(), cmp.Or(o.Memory, memory)
	open := func(ctx context.Context, st store.Store) (store.Store, error) {
		d, err := dataset.Open(ctx, st, "", dataset.Options{}, s.Options()...)
		if err != nil {
			return nil, err
		}
		return view.New(ctx, d, o)
	}
	v, err := open(ctx, datasets[i].Store)
	if err != nil {
		return exit.At("--view "+place, err)
	}
	_ = v.Close() // the server opens another one
	if datasets[i].Views == nil {
		datasets[i].Views = map[string]serve.View{}
	}
	datasets[i].Views[name] = open
	return nil
}

// maxForm is the maximum length of the file that describes a view.
const maxForm = 1 << 20

// formOf parses the form of a view: a JSON object, or the name of a file with one.
func formOf(text string) (view.Options, error) {
	if strings.HasPrefix(text, "{") {
		return view.Parse([]byte(text))
	}
	f, err := os.Open(text)
	if err != nil {
		return view.Options{}, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	b, err := io.ReadAll(io.LimitReader(f, maxForm+1))
	if err != nil {
		return view.Options{}, err
	}
	if len(b) > maxForm {
		return view.Options{}, fault.Newf(fault.Limit, "%s has more than %d bytes", text, maxForm)
	}
	return view.Parse(b)
}
