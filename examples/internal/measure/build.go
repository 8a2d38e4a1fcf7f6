package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// build builds a package or a file with the flags for deployment. It returns the path of the
// program and its size in bytes.
func build(ctx context.Context, what, out string, tags ...string) (string, int64, error) {
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-trimpath", "-tags", strings.Join(append(tags, lean), ","), "-o", out, what)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", 0, fmt.Errorf("go build %s: %w\n%s", what, err, text)
	}
	info, err := os.Stat(out)
	if err != nil {
		return "", 0, err
	}
	return out, info.Size(), nil
}

// lean are the build tags without which a program links more of gRPC than it uses. grpcnotrace
// leaves out gRPC's request traces, whose templates keep the linker from removing unused methods.
// disable_grpc_modules leaves out the modules of Google's gRPC client for direct connections;
// package gcs uses HTTP. nethttpomithttp2 leaves out HTTP/2 of net/http; the stores use HTTP/1.1.
const lean = "grpcnotrace,disable_grpc_modules,nethttpomithttp2"

// smallest is a program that opens an array in one kind of store.
type smallest struct {
	name    string
	imports []string // relative to the module's path
	open    string   // an expression that returns a store and an error
}

func programs() []smallest {
	const direct = "func() (store.Store, error) { return %s, nil }()"
	return []smallest{
		{"mem", []string{"zarr/store/mem"}, fmt.Sprintf(direct, "mem.New()")},
		{"dir", []string{"zarr/store/dir"}, fmt.Sprintf(direct, "dir.New(os.Args[1])")},
		{"http", []string{"zarr/store/http"}, "http.Open(ctx, os.Args[1])"},
		{"s3", []string{"s3"}, "s3.Open(ctx, os.Args[1])"},
		{"gcs", []string{"gcs"}, "gcs.Open(ctx, os.Args[1])"},
		{"azure", []string{"azure"}, "azure.Open(ctx, os.Args[1])"},
		{"all of them", []string{"zarr/store/dir", "zarr/store/http", "s3", "gcs", "azure"}, byScheme},
	}
}

// byScheme is a Go expression that opens the store of a URL by its scheme.
const byScheme = `func() (store.Store, error) {
		switch url := os.Args[1]; url[:2] {
		case "s3":
			return s3.Open(ctx, url)
		case "gs":
			return gcs.Open(ctx, url)
		case "az":
			return azure.Open(ctx, url)
		case "ht":
			return http.Open(ctx, url)
		}
		return dir.New(os.Args[1]), nil
	}()`

const module = "github.com/zargo-io/zargo/"

// source returns the source code of the program.
func (s smallest) source() string {
	imports := ""
	for _, i := range s.imports {
		imports += fmt.Sprintf("%q\n", module+i)
	}
	return `package main
import (
"context"
"fmt"
"os"
` + imports + `"` + module + `zarr"
"` + module + `zarr/store"
)
func main() {
	ctx := context.Background()
	var st store.Store
	st, err := ` + s.open + `
	if err == nil {
		var a *zarr.Array
		if a, err = zarr.OpenArray(ctx, st, ""); err == nil {
			var values []float32
			values, err = zarr.Read[float32](ctx, a)
			fmt.Println(values)
		}
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
`
}

// build writes and builds the program in a new directory below the given directory.
func (s smallest) build(ctx context.Context, below string) (string, int64, error) {
	file, err := s.write(below)
	if err != nil {
		return "", 0, err
	}
	return build(ctx, file, filepath.Join(filepath.Dir(file), "program"))
}

// write writes the source code of the program to a new directory below the given directory.
func (s smallest) write(below string) (string, error) {
	folder := filepath.Join(below, strings.ReplaceAll(s.name, " ", "-"))
	if err := os.Mkdir(folder, 0o777); err != nil {
		return "", err
	}
	file := filepath.Join(folder, "main.go")
	return file, os.WriteFile(file, []byte(s.source()), 0o666)
}
