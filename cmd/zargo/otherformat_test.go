package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOtherFormats checks that NetCDF, HDF5 and TIFF files, and only those, are identified, in a
// directory and in a bucket.
func TestOtherFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	b, p := newBucket(t), newProgram()
	for _, tt := range []struct{ name, bytes, is string }{
		{"a.nc", "\x89HDF\r\n\x1a\n" + strings.Repeat("\x00", 20), "HDF5"},
		{"b.nc", "CDF\x01\x00\x00", "NetCDF"},
		{"c.nc", "CDF\x05\x00\x00", "NetCDF"},
		{"d.tif", "II*\x00\x08\x00", "TIFF"},
		{"e.tif", "MM\x00+\x00\x08", "TIFF"},
	} {
		write(t, tt.name, []byte(tt.bytes))
		b.objects["deep/"+tt.name] = []byte(tt.bytes)
		b.objects[tt.name] = []byte(tt.bytes)
		for _, command := range []string{"info ", "cat ", "ls "} {
			for _, url := range []string{tt.name, b.at("b", "deep/"+tt.name), b.at("b", tt.name)} {
				fails(t, zargo(t, p, command+url), 6, tt.name, tt.is, "not a Zarr array or group")
			}
		}
	}
	write(t, "f.txt", []byte("CDF"))
	b.objects["f.txt"] = []byte("some text")
	fails(t, zargo(t, p, "info "+b.at("b", "f.txt")), 3, "not found")
	fails(t, zargo(t, p, "info "+b.at("b", "none.nc")), 3, "not found")
	if r := zargo(t, p, "info f.txt"); r.code == 0 || strings.Contains(r.err, "NetCDF") {
		t.Errorf("%d %s", r.code, r.err)
	}
}

// TestOtherContainers checks that directories and documents of other formats, and only those, are
// identified in a directory and in a bucket, and that the error remains "not found".
func TestOtherContainers(t *testing.T) {
	t.Chdir(t.TempDir())
	b, p := newBucket(t), newProgram()
	const maxDocument = 64 << 10 // the bytes of a document that are read
	for _, tt := range []struct{ name, file, bytes, is string }{
		{"n5", "attributes.json", `{"n5":"2.5.1"}`, "an N5 container"},
		{"n5set", "attributes.json", `{"dimensions":[4,6],"blockSize":[2,3],"dataType":"uint8","compression":{"type":"raw"}}`, "an N5 dataset"},
		{"ice1", "refs/branch.main/ref.json,snapshots/1CECHNKREP0F1RSTCMT0", `{"snapshot":"1CECHNKREP0F1RSTCMT0"}`, "an Icechunk repository"},
		{"ice2", "repo", "ICE\xf0\x9f\xa7\x8aCHUNKicechunk 2.0", "an Icechunk repository"},
		{"ice3", "repo,snapshots/1CECHNKREP0F1RSTCMT0", "", "an Icechunk repository"},
		{"tdb1", "__schema/__1_1_00", "", "a TileDB array"},
		{"tdb2", "__array_schema.tdb", "", "a TileDB array"},
		{"tdb3", "__tiledb_group.tdb", "", "a TileDB group"},
		{"k1.json", "", `{"version":1,"refs":{".zgroup":"{\"zarr_format\":2}"}}`, "kerchunk references"},
		{"k2", "", `{"refs":{"x/0":["a.nc",1,2]},"version":1}`, "kerchunk references"},
		{"k3.json", "", `{"version":1,"templates":{"u":"s3://b"},"refs":{"x/0":["` + strings.Repeat("a", maxDocument), "kerchunk references"},
		{"k4.json", "", `{".zgroup":"{}","x/0":["a.nc",1,2]}`, "kerchunk references"},
		{"k5.parq", ".zmetadata", `{"metadata":{".zgroup":{"zarr_format":2}},"record_size":10000}`, "kerchunk references"},
		{"gfs.f000", "", "GRIB\x00\x00\x00\x02", "a GRIB file"},
		{"gfs", "", "GRIB\x00\x00\x00\x02", "a GRIB file"},
		{"no1", "attributes.json", `{"name":"x"}`, ""},
		{"no2", "attributes.json", `{"dimensions":[4],"blockSize":[2,3],"dataType":"uint8"}`, ""},
		{"no3", "repo", "a file", ""},
		{"no4", "snapshots/a", "", ""},
		{"no5", "refs/heads/main", "", ""},
		{"no6.json", "", `{"refs":{"a":1}}`, ""},
		{"no7.json", "", `{"version":1,"references":{}}`, ""},
		{"no8.json", "", `{"version":1,"refs":[]}`, ""},
		{"no9.json", "", strings.Repeat("[", 20000), ""},
	} {
		for _, file := range strings.Split(tt.file, ",") {
			name := filepath.Join(tt.name, filepath.FromSlash(file))
			succeed(t, os.MkdirAll(filepath.Dir(name), 0o700))
			write(t, name, []byte(tt.bytes))
			b.objects["deep/"+filepath.ToSlash(name)] = []byte(tt.bytes)
		}
		code := 3
		if strings.HasSuffix(tt.is, "file") {
			code = 6
		}
		urls := []string{tt.name, b.at("b", "deep/"+tt.name)}
		if len(tt.bytes) > maxDocument {
			urls = urls[:1] // the bucket of the test ignores ranges
		}
		for i, url := range urls {
			for _, command := range []string{"info ", "validate ", "cat ", "attrs --set a=1 ", "copy --dry-run "}[:5-3*i] {
				r := zargo(t, p, command+url+map[bool]string{true: " to.zarr"}[strings.HasPrefix(command, "copy")])
				if strings.HasPrefix(command, "attrs") && tt.is == "" {
					continue
				}
				if r.code != code && code == 3 || r.code == 0 || tt.is != "" && !strings.Contains(r.err, tt.is) || tt.is == "" && strings.Contains(r.err, ", but ") {
					t.Errorf("%s%s: exit code %d, %s; want %q", command, url, r.code, r.err, tt.is)
				}
			}
		}
	}
}
