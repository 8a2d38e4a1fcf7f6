package arrow

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// creating is the attribute of a group whose coordinates are not written yet. Its value is a digest
// of their labels.
const creating = "zargo_import"

// unfinished reports whether an import is creating a dataset, or the group is empty.
func unfinished(d *dataset.Dataset) bool {
	_, marked := d.Attrs()[creating]
	return marked || len(d.Vars())+len(d.Coords()) == 0
}

// digest identifies the labels of a new dataset.
func (j *job) digest() string {
	h := sha256.New()
	for _, x := range j.labels {
		fmt.Fprintf(h, "%q %d %q\n", x.name, len(x.keys), x.sorted())
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// mine returns an error if the import of other labels is creating a dataset.
func (j *job) mine(d *dataset.Dataset) error {
	if mark, ok := d.Attrs()[creating]; ok && mark != j.digest() {
		return fault.Newf(fault.Exists, "the import of a table with other labels has begun to create the dataset: run that import again, or delete the group")
	}
	return nil
}

// create creates the dataset and writes its coordinates. Until these are written, the group has the
// attribute creating, so that an import of another table fails and that of the same table
// continues.
func (j *job) create(ctx context.Context) (*dataset.Dataset, error) {
	spec, err := j.spec()
	if err != nil {
		return nil, err
	}
	d, err := j.mark(ctx)
	if err != nil || !unfinished(d) {
		return d, err
	}
	if d, err = dataset.Create(ctx, j.st, j.path, spec, dataset.Options{}, j.o.Zarr...); err != nil {
		return nil, err
	}
	var data []dataset.Data
	for _, x := range j.labels {
		of, err := j.labelData(d, x.name, x.sorted())
		if err != nil {
			return nil, err
		}
		data = append(data, of)
	}
	if d, err = d.Write(ctx, data...); err != nil {
		return nil, err
	}
	for {
		attrs := maps.Clone(d.Attrs())
		if _, marked := attrs[creating]; !marked { // another import of the same table may have removed it
			return d, nil
		}
		delete(attrs, creating)
		g, err := d.Group().SetAttrs(ctx, attrs)
		if err == nil {
			_, err = g.Consolidate(ctx)
		}
		if err == nil || errors.Is(err, fault.Conflict) {
			d, err = d.Refresh(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
}

// marks is the number of attempts to mark a group that others change.
const marks = 20

// mark returns the group with the attribute creating, which mark adds to a new or an empty group.
// If another import has created the dataset, mark returns it.
func (j *job) mark(ctx context.Context) (*dataset.Dataset, error) {
	for try := 1; ; try++ {
		attrs := map[string]any{}
		d, err := dataset.Open(ctx, j.st, j.path, dataset.Options{}, j.o.Zarr...)
		switch {
		case errors.Is(err, fault.NotFound):
			attrs[creating] = j.digest()
			_, err = zarr.CreateGroup(ctx, j.st, j.path, zarr.Spec{Format: j.o.Format, Attrs: attrs}, j.o.Zarr...)
			if err != nil && (try == marks || !errors.Is(err, fault.Exists)) {
				return nil, err
			}
			continue // and see whose it is
		case err != nil:
			return nil, err
		}
		maps.Copy(attrs, d.Attrs())
		if _, marked := attrs[creating]; marked || !unfinished(d) {
			return d, j.mine(d)
		}
		if format := d.Group().Format(); format != j.o.Format {
			return nil, fault.Newf(fault.Exists, "the group exists in Zarr format %d", format)
		}
		attrs[creating] = j.digest()
		if _, err = d.Group().SetAttrs(ctx, attrs); err != nil && (try == marks || !errors.Is(err, fault.Conflict)) {
			return nil, err
		}
	}
}
