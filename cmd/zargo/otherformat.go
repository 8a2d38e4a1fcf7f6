package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// magics returns the first bytes of file formats that users may pass by mistake.
func magics() []struct{ begin, is string } {
	return []struct{ begin, is string }{
		{"\x89HDF\r\n\x1a\n", "an HDF5 or NetCDF-4 file"},
		{"CDF\x01", "a NetCDF file"},
		{"CDF\x02", "a NetCDF file"},
		{"CDF\x05", "a NetCDF file"},
		{"II*\x00", "a TIFF file"},
		{"MM\x00*", "a TIFF file"},
		{"II+\x00", "a TIFF file"},
		{"MM\x00+", "a TIFF file"},
		{"GRIB", "a GRIB file"},
		{"BUFR", "a BUFR file"},
		{"\x0e\x03\x13\x01", "an HDF4 file"},
		{"PAR1", "a Parquet file"},
		{"\x93NUMPY", "a NumPy file"},
	}
}

// maxMagic is the length of the longest entry of magics.
const maxMagic = 8

// notZarr replaces err, the error for a location without a node. If the object at the location
// starts with the magic bytes of a known file format, the new error contains the format. Otherwise
// notZarr returns err.
func (s *session) notZarr(ctx context.Context, l openurl.Location, err error) error {
	if !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Refused) || len(l.Inside) > 0 {
		return err
	}
	begin := s.firstBytes(ctx, l)
	for _, m := range magics() {
		if strings.HasPrefix(begin, m.begin) {
			return fault.Newf(errors.ErrUnsupported, "not a Zarr array or group, but %s", m.is)
		}
	}
	return err
}

// firstBytes reads the first bytes of the file or object at a location. It returns "" if there is
// no file or object.
func (s *session) firstBytes(ctx context.Context, l openurl.Location) string {
	if path, ok := localPath(l); ok {
		if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
			return ""
		}
		f, err := os.Open(path)
		if err != nil {
			return ""
		}
		defer func() { _ = f.Close() }()
		b := make([]byte, maxMagic)
		n, _ := io.ReadFull(f, b)
		return string(b[:n])
	}
	up, ok := l.Parent()
	key := strings.Trim(strings.TrimPrefix(l.Path, up.Path), "/")
	if !ok || store.CheckKey(key) != nil || filepath.Ext(key) == "" {
		return ""
	}
	p, err := s.open(ctx, up)
	if err != nil {
		return ""
	}
	defer p.release()
	for _, n := range []int64{maxMagic, 4} { // 4 if the object is shorter than maxMagic
		v, err := p.Get(ctx, key, store.GetOptions{Range: store.Within(0, n), Max: n}, nil)
		if !errors.Is(err, fault.Corrupt) {
			return string(v.Bytes)
		}
	}
	return ""
}
