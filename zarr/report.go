package zarr

import "fmt"

// String sums the report up in one line.
func (r *Report) String() string {
	return fmt.Sprintf("%d chunks (%d missing), %d gets of %d bytes, %d puts of %d bytes, %d deletes, %d conflicts", r.Chunks.Load(),
		r.Missing.Load(), r.Gets.Load(), r.BytesRead.Load(), r.Puts.Load(), r.BytesWritten.Load(), r.Deletes.Load(), r.Conflicts.Load())
}

// The methods below take a nil Report: nobody asked.

func (r *Report) get() {
	if r != nil {
		r.Gets.Add(1)
	}
}

func (r *Report) bytes(n int) {
	if r != nil {
		r.BytesRead.Add(int64(n))
	}
}

// chunks counts chunks that were read, and how many of them were absent.
func (r *Report) chunks(n, missing int) {
	if r != nil {
		r.Chunks.Add(int64(n))
		r.Missing.Add(int64(missing))
	}
}

func (r *Report) put(n int, err error) {
	if r == nil {
		return
	}
	r.Puts.Add(1)
	if err == nil {
		r.Chunks.Add(1)
		r.BytesWritten.Add(int64(n))
	}
}

func (r *Report) del() {
	if r != nil {
		r.Deletes.Add(1)
	}
}

func (r *Report) conflict() {
	if r != nil {
		r.Conflicts.Add(1)
	}
}
