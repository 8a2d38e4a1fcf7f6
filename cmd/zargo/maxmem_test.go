package main

import (
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestMaxMem runs commands with one byte of memory. If a command fails, its message contains the
// memory with which a second run succeeds.
func TestMaxMem(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create g --group")
	for _, line := range []string{
		"create g/a --shape 64,64 --chunks 4,64 --dtype float32 --dims time,x",
		"create g/b --shape 64,64 --chunks 2,16 --shards 32,32 --dtype float64 --dims time,x",
		"create g/c --shape 64 --chunks 64 --dtype string --dims time",
		"create g/time --shape 64 --chunks 64 --dtype int64 --dims time",
		"create g/whole --shape 2048,2048 --chunks 256,256 --shards 2048,2048 --dtype uint8 --dims r,c",
		"create g/big --shape 9,1024,512 --chunks 1,512,512 --dtype float64 --dims z,p,q",
	} {
		do(t, p, line+" --root g")
	}
	named := regexp.MustCompile(`takes (\d+) bytes of memory`)
	for _, line := range []string{
		"copy g out1", "copy g out2 --chunks time=64,x=2 --shards none", "copy g out3 --chunks z=9,p=512,q=512 --shards none", "copy g out4 --codec none", "copy g out5 --format 2 --shards none",
		"copy g/whole out6 --codec none", "copy g out7 --codec none --isel time=0:8", "copy g copy8.zip|zip: --codec none", "copy g/big copy9.zip|zip: --chunks 9,256,256 --shards 9,1024,512",
		"copy g out10 --chunks z=9,p=512,q=512 --shards z=9,p=1024,q=512", "transfer plan g out11 --chunks time=64,x=2 --shards none -o plan.json", "transfer plan g out12",
		"pyramid g/a --dims time,x", "pyramid g/whole --levels 2", "cat g/time", "cat g/b --format csv", "cat g/c", "cat g/a --format raw",
	} {
		r := zargo(t, p, line+" --max-mem 1")
		n := named.FindStringSubmatch(r.err)
		if r.code == 0 {
			continue
		}
		if r.code != 7 || n == nil {
			t.Errorf("%s: exit %d: %s", line, r.code, r.err)
			continue
		}
		if r := zargo(t, p, line+" --max-mem "+n[1]); r.code != 0 {
			t.Errorf("%s --max-mem %s: exit %d: %s", line, n[1], r.code, r.err)
		}
	}
	do(t, p, "transfer run plan.json")
}

// TestMemoryLimit runs put, append and blank with a memory limit that is too small. The message
// contains the limit with which a second run succeeds.
func TestMemoryLimit(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram()
	do(t, p, "create a --shape 4096,4096 --chunks 4096,64 --dtype uint8 --codec none --dims y,x")
	for name, fortran := range map[string]bool{"c.npy": false, "f.npy": true} {
		h := npy.Header{Type: dtype.Uint8, Shape: []int{4096, 4096}, Fortran: fortran}
		b, err := npy.AppendHeader(nil, h)
		if err != nil {
			t.Fatal(err)
		}
		write(t, name, append(b, make([]byte, 1<<24)...))
	}
	named := regexp.MustCompile(`GOMEMLIMIT to at least (\d+)`)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for _, line := range []string{"put a c.npy", "put a f.npy", "append a c.npy --dim 1", "append a f.npy --dim 1", "blank a --sel ..."} {
		t.Run(line, func(t *testing.T) {
			debug.SetMemoryLimit(8 << 20)
			r := zargo(t, p, line)
			n := named.FindStringSubmatch(r.err)
			if r.code != 7 || n == nil {
				t.Fatalf("exit %d: %s", r.code, r.err)
			}
			limit, err := strconv.ParseInt(n[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			debug.SetMemoryLimit(limit)
			if r := zargo(t, p, line); r.code != 0 {
				t.Errorf("with %d: exit %d: %s", limit, r.code, r.err)
			}
		})
	}
}
