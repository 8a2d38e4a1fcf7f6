package main

import (
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
