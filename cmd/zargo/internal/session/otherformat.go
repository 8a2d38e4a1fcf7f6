package session

import (
	"bytes"
	"context"
	"encoding/json"
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

// OtherFormat is the error for a location that contains data of another format.
type OtherFormat struct {
	Is  string
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

func (o *OtherFormat) Error() string {
	return fmt.Sprintf("%v, but %s, a format that zargo does not read", o.err, o.Is)
}

func (o *OtherFormat) Unwrap() error { return o.err }

// firstBytes reads up to maxMagic bytes from the start of the file or object at a location, and up
// to maxDocument bytes of one that may be a JSON document. It returns "" if there is no file or
// object.
func (s *Session) firstBytes(ctx context.Context, l openurl.Location) string {
	up, ok := l.Parent()
	key := strings.Trim(strings.TrimPrefix(l.Path, up.Path), "/")
	if path, local := LocalPath(l); local {
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
	p, err := s.Open(ctx, up)
	if err != nil {
		return ""
	}
	defer p.Release()
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

// NotZarr adds to err, the error for a location without a node, the format of the data at the
// location. If the object at the location starts with the magic bytes of a known file format, the
// new error is errors.ErrUnsupported. If the location contains data of another format for arrays,
// the new error wraps err. Otherwise NotZarr returns err, also if it cannot read the location.
func (s *Session) NotZarr(ctx context.Context, l openurl.Location, err error) error {
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
			return &OtherFormat{references, err}
		}
	}
	if is := s.container(ctx, l); is != "" {
		return &OtherFormat{is, err}
	}
	return err
}

const (
	references = "kerchunk references"
	icechunk   = "an Icechunk repository"
	n5Dataset  = "an N5 dataset"
	n5Group    = "an N5 container"
	tileArray  = "a TileDB array"
	tileGroup  = "a TileDB group"

	// maxNames is the number of names that are read to identify the format of a directory: one page
	// of a listing.
	maxNames = 1000
	// icechunkMagic begins every file of Icechunk but references and the configuration.
	icechunkMagic = "ICE\xf0\x9f\xa7\x8aCHUNK"
)

// container returns the format of the directory at a location, or "". It sends a request for the
// names in the directory, and one for a document if the name of the document is not sufficient.
// If the store has no listing, it requests the documents.
func (s *Session) container(ctx context.Context, l openurl.Location) string {
	p, err := s.Open(ctx, l)
	if err != nil {
		return ""
	}
	defer p.Release()
	names, all := rootNames(ctx, p), isWeb(l)
	switch {
	case names["snapshots/"] && (names["refs/"] || names["repo"]):
		return icechunk
	case names["__schema/"], names["__array_schema.tdb"]:
		return tileArray
	case names["__tiledb_group.tdb"], names["__group/"]:
		return tileGroup
	}
	if (names["repo"] || all && path.Ext(l.Path) == "") && bytes.HasPrefix(begins(ctx, p, "repo"), []byte(icechunkMagic)) {
		return icechunk
	}
	if names["attributes.json"] || len(names) >= maxNames || all {
		if is := n5Of(begins(ctx, p, "attributes.json")); is != "" {
			return is
		}
	}
	if names[".zmetadata"] && isParquet(begins(ctx, p, ".zmetadata")) {
		return references
	}
	return ""
}

// rootNames returns the first maxNames names at the root of a store. The names of directories end
// with a slash.
func rootNames(ctx context.Context, st store.Store) map[string]bool {
	names := map[string]bool{}
	for e, err := range st.List(ctx, "", store.ListOptions{Depth: store.OneLevel}) {
		if err != nil || len(names) == maxNames {
			break
		}
		name := e.Key
		if e.Dir {
			name += "/"
		}
		names[name] = true
	}
	return names
}

// n5Of returns the format that attributes.json of N5 describes, or "": the root of a container has
// the attribute "n5", and a dataset has "dimensions", "blockSize" and "dataType".
func n5Of(document []byte) string {
	var a struct {
		N5         *string  `json:"n5"`
		Dimensions []uint64 `json:"dimensions"`
		BlockSize  []uint64 `json:"blockSize"`
		DataType   *string  `json:"dataType"`
	}
	switch err := json.Unmarshal(document, &a); {
	case err != nil:
		return ""
	case len(a.Dimensions) > 0 && len(a.Dimensions) == len(a.BlockSize) && a.DataType != nil:
		return n5Dataset
	case a.N5 != nil:
		return n5Group
	}
	return ""
}

// isParquet reports whether a document is .zmetadata of kerchunk references in Parquet files.
func isParquet(document []byte) bool {
	var a struct {
		Metadata   map[string]json.RawMessage `json:"metadata"`
		RecordSize *uint64                    `json:"record_size"`
	}
	return json.Unmarshal(document, &a) == nil && a.Metadata != nil && a.RecordSize != nil
}

// isReferences reports whether a JSON document, of which begin contains at least the start, is one
// of kerchunk: an object with "refs" and the version 1, or in version 0 an object whose keys are
// those of a Zarr hierarchy.
func isReferences(begin []byte) bool {
	d := json.NewDecoder(bytes.NewReader(begin))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	var version, refs bool
	for d.More() {
		key, err := d.Token()
		name, _ := key.(string)
		switch {
		case err != nil:
			return false
		case isDocument(name):
			return true
		case name == "version":
			var v float64
			if d.Decode(&v) != nil {
				return false
			}
			version = true
		case name == "refs":
			t, err := d.Token()
			if err != nil || t != json.Delim('{') {
				return false
			}
			if version {
				return true
			}
			for d.More() {
				if key, err := d.Token(); err != nil || isDocument(key) || d.Decode(new(json.RawMessage)) != nil {
					return err == nil && isDocument(key)
				}
			}
			if _, err := d.Token(); err != nil {
				return false
			}
			refs = true
		default:
			if d.Decode(new(json.RawMessage)) != nil {
				return false
			}
		}
	}
	return version && refs
}

// isDocument reports whether a key of JSON is the key of a metadata document of Zarr.
func isDocument(key json.Token) bool {
	k, _ := key.(string)
	return k != "" && withoutDocument(k, "/") != k
}
