package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unsupportedNodes returns the files of nodes that this version does not support, by name.
func unsupportedNodes() map[string]map[string]string {
	v3 := func(member, value string) map[string]string {
		doc := map[string]string{
			"zarr_format": "3", "node_type": `"array"`, "shape": "[4]", "data_type": `"int8"`, "fill_value": "0", "codecs": `[{"name":"bytes"}]`, "attributes": `{"units":"K"}`,
			"chunk_grid": `{"name":"regular","configuration":{"chunk_shape":[2]}}`, "chunk_key_encoding": `{"name":"default","configuration":{"separator":"/"}}`,
		}
		doc[member] = value
		var parts []string
		for name, text := range doc {
			parts = append(parts, fmt.Sprintf("%q:%s", name, text))
		}
		return map[string]string{"zarr.json": "{" + strings.Join(parts, ",") + "}", "c/0": "first", "c/1": "second"}
	}
	v2 := func(dtype, compressor, filters string) map[string]string {
		return map[string]string{
			".zarray": `{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":` + dtype + `,"compressor":` + compressor + `,"fill_value":0,"order":"C","filters":` + filters + `}`,
			".zattrs": `{"units":"K"}`, "0": "first", "1": "second",
		}
	}
	group := v3("node_type", `"array"`)
	return map[string]map[string]string{
		"codec":       v3("codecs", `[{"name":"bytes"},{"name":"acme.secret"}]`),
		"inner codec": v3("codecs", `[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[{"name":"acme.serial"}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`),
		"type":        v3("data_type", `{"name":"acme.type","configuration":{"x":1}}`),
		"grid":        v3("chunk_grid", `{"name":"acme.grid"}`),
		"keys":        v3("chunk_key_encoding", `{"name":"acme.keys"}`),
		"transformer": v3("storage_transformers", `[{"name":"acme.transformer"}]`),
		"extension":   v3("acme", `{"name":"x"}`),
		"v4":          v3("zarr_format", "4"),
		"not finite":  v3("attributes", `{"x":NaN},"acme":true`),
		"group":       {"zarr.json": `{"zarr_format":3,"node_type":"group","acme":{"x":1}}`, "a/zarr.json": group["zarr.json"], "a/c/0": "\x01\x02", "a/c/1": "\x01\x02"},
		"compressor":  v2(`"|i1"`, `{"id":"acme"}`, "null"),
		"filter":      v2(`"|i1"`, "null", `[{"id":"acme"}]`),
		"v2 type":     v2(`"<x4"`, "null", "null"),
		"pickle":      v2(`"|O"`, "null", `[{"id":"pickle"}]`),
	}
}

// TestUnsupportedNodes checks that the copy of a single node that is not supported has the stored
// bytes of its source, and that diff compares such nodes by their stored bytes.
func TestUnsupportedNodes(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	for name, files := range unsupportedNodes() {
		t.Run(name, func(t *testing.T) {
			dir := strings.ReplaceAll(name, " ", "-")
			for file, text := range files {
				write(t, filepath.Join(dir, filepath.FromSlash(file)), []byte(text))
			}
			fails(t, zargo(t, p, "info "+dir), 6)
			for _, to := range []string{"copies/" + dir, dir + ".zip|zip:"} {
				r := zargo(t, p, "copy "+dir+" "+to)
				if r.code != 0 || !strings.Contains(r.err, "copied as they are stored") {
					t.Fatalf("%+v", r)
				}
				has(t, do(t, p, "diff "+dir+" "+to), "compared 1 node, 0 elements: equal")
			}
			same := 0
			for file, text := range files {
				b, err := os.ReadFile(filepath.Join("copies", dir, filepath.FromSlash(file)))
				if err != nil || string(b) != text {
					t.Errorf("%s: %q, %v", file, b, err)
				}
				same++
			}
			if same != len(files) {
				t.Errorf("%d of %d files", same, len(files))
			}
			fails(t, zargo(t, p, "copy "+dir+" changed --chunks 1"), 6)
			fails(t, zargo(t, p, "copy "+dir+" changed --codec zstd"), 6)

			chunk := filepath.Join("copies", dir, map[bool]string{true: "a"}[name == "group"], map[bool]string{true: "c/0", false: "0"}[files["zarr.json"] != ""])
			was := must(os.ReadFile(chunk))
			write(t, chunk, []byte("other"))
			r := zargo(t, p, "diff "+dir+" copies/"+dir)
			if fails(t, r, 14); !strings.Contains(r.out, "values not compared") || !strings.Contains(r.out, "1 of 2 stored objects differ") && name != "group" {
				t.Errorf("%+v", r)
			}
			do(t, p, "diff --metadata "+dir+" copies/"+dir)
			write(t, chunk, was)
			write(t, chunk+"1", []byte("more"))
			fails(t, zargo(t, p, "diff "+dir+" copies/"+dir), 14)
			succeed(t, os.Remove(chunk+"1"))
		})
	}
	do(t, p, "create known --shape 4 --chunks 2 --dtype int8")
	r := zargo(t, p, "diff known codec")
	if fails(t, r, 14); !strings.Contains(r.out, `values not compared: the second is not supported: unsupported operation: unknown codec "acme.secret"`) {
		t.Errorf("%+v", r)
	}
	r = zargo(t, p, "diff codec type")
	if fails(t, r, 14); !strings.Contains(r.out, ".: codecs: ") || !strings.Contains(r.out, "and the metadata differs") {
		t.Errorf("%+v", r)
	}
}

// TestUnknownMembers checks that a copy keeps the members of metadata that this version does not
// know and may ignore, that diff compares them, and that a copy in another format names them.
func TestUnknownMembers(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	write(t, "g/zarr.json", []byte(`{"zarr_format":3,"node_type":"group","acme":{"must_understand":false,"n":1}}`))
	write(t, "g/a/zarr.json", []byte(`{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},`+
		`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}],"acme.more":{"must_understand":false}}`))
	do(t, p, "copy g h --consolidate")
	do(t, p, "diff g h")
	for _, name := range []string{"h/zarr.json", "h/a/zarr.json"} {
		if b, err := os.ReadFile(name); err != nil || !strings.Contains(string(b), "acme") {
			t.Errorf("%s: %s, %v", name, b, err)
		}
	}
	r := zargo(t, p, "copy g two --format 2")
	if r.code != 0 || !strings.Contains(r.err, "acme.more") || strings.Count(r.err, "the copy lacks members") != 2 {
		t.Errorf("%+v", r)
	}
	doc := must(os.ReadFile("h/a/zarr.json"))
	write(t, "h/a/zarr.json", []byte(strings.ReplaceAll(string(doc), "acme.more", "acme.other")))
	r = zargo(t, p, "diff g h")
	if fails(t, r, 14); !strings.Contains(r.out, "a: acme.more: ") || !strings.Contains(r.out, "a: acme.other: none") {
		t.Errorf("%+v", r)
	}
}
