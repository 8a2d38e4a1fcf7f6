package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// otherFormat is the error for a location that contains data of another format.
type otherFormat struct {
	is  string
	err error
}

const (
	// maxMagic is the length of the longest entry of magics.
	maxMagic = 8
	// maxDocument is the number of bytes that are read of a document to identify its format.
	maxDocument = 64 << 10
	// maxLook bounds the time to identify the format of data that is not Zarr.
	maxLook = 3 * time.Second
)

func (o *otherFormat) Error() string {
	return fmt.Sprintf("%v, but %s, a format that zargo does not read", o.err, o.is)
}
func (o *otherFormat) Unwrap() error { return o.err }

// firstBytes reads up to maxMagic bytes from the start of the file or object at a location, and up
// to maxDocument bytes of one that may be a JSON document. It returns "" if there is no file or
// object.
func (s *session) firstBytes(ctx context.Context, l openurl.Location) string {
	up, ok := l.Parent()
	key := strings.Trim(strings.TrimPrefix(l.Path, up.Path), "/")
	if path, local := localPath(l); local {
		if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
			return ""
		}
		f, err := os.Open(path)
		if err != nil {
			return ""
		}
		defer func() { _ = f.Close() }()
		b := make([]byte, maxDocument)
		n, _ := io.ReadFull(f, b)
		return string(b[:n])
	}
	if !ok || store.CheckKey(key) != nil || isWeb(l) && path.Ext(key) == "" {
		return ""
	}
	p, err := s.open(ctx, up)
	if err != nil {
		return ""
	}
	defer p.release()
	for _, n := range []int64{maxMagic, 4} { // 4 if the object is shorter than maxMagic
		v, err := p.Get(ctx, key, store.GetOptions{Range: store.Within(0, n), Max: n}, nil)
		if errors.Is(err, fault.Corrupt) {
			continue
		}
		if bytes.HasPrefix(v.Bytes, []byte("{")) {
			return string(begins(ctx, p, key))
		}
		return string(v.Bytes)
	}
	return ""
}

// begins reads the first bytes of an object, at most maxDocument. It returns nil if it cannot read
// the object.
func begins(ctx context.Context, st store.Store, key string) []byte {
	v, err := st.Get(ctx, key, store.GetOptions{Max: maxDocument}, nil)
	if errors.Is(err, fault.Limit) {
		v, err = st.Get(ctx, key, store.GetOptions{Range: store.Within(0, maxDocument), Max: maxDocument}, nil)
	}
	if err != nil {
		return nil
	}
	return v.Bytes
}

// isWeb reports whether the store at a location has no listing.
func isWeb(l openurl.Location) bool { return l.Scheme == "http" || l.Scheme == "https" }

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

// notZarr adds to err, the error for a location without a node, the format of the data at the
// location. If the object at the location starts with the magic bytes of a known file format, the
// new error is errors.ErrUnsupported. If the location contains data of another format for arrays,
// the new error wraps err. Otherwise notZarr returns err, also if it cannot read the location.
func (s *session) notZarr(ctx context.Context, l openurl.Location, err error) error {
	if !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Refused) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, maxLook)
	defer cancel()
	if len(l.Inside) == 0 {
		begin := s.firstBytes(ctx, l)
		for _, m := range magics() {
			if strings.HasPrefix(begin, m.begin) {
				return fault.Newf(errors.ErrUnsupported, "not a Zarr array or group, but %s", m.is)
			}
		}
		if isReferences([]byte(begin)) {
			return &otherFormat{references, err}
		}
	}
	if is := s.container(ctx, l); is != "" {
		return &otherFormat{is, err}
	}
	return err
}
