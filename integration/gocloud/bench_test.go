package gocloud

import (
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

// BenchmarkVerbs measures the time and memory of a call without a network: responses come from
// memory. They are replayed in order, so calls that send requests concurrently are left out.
func BenchmarkVerbs(b *testing.B) {
	serial := slices.DeleteFunc(verbs(), func(v verb) bool { return v.name == "delete three" })
	benchmark(b, serial, (*recorder).replaying)
}

// BenchmarkServed measures the methods that can be repeated, with the server.
func BenchmarkServed(b *testing.B) {
	again := slices.DeleteFunc(verbs(), func(v verb) bool {
		return v.name != "get whole" && v.name != "get tail" && v.name != "put" && v.name != "list level"
	})
	benchmark(b, again, func(r *recorder, on bool) { r.silent = on })
}

func benchmark(b *testing.B, vs []verb, mode func(r *recorder, on bool)) {
	for _, pr := range providers() {
		b.Run("provider="+pr.bucket.Name, func(b *testing.B) {
			p := pr.place(b)
			for _, v := range vs {
				for _, form := range []struct {
					name string
					s    store.Store
				}{{"gocloud", p.portable}, {"zargo", p.zargo}} {
					b.Run("verb="+v.name+"/form="+form.name, func(b *testing.B) { p.benchmark(b, v, form.s, mode) })
				}
			}
		})
	}
}

func (p *place) benchmark(b *testing.B, v verb, s store.Store, mode func(r *recorder, on bool)) {
	ctx := b.Context()
	version, err := p.prepare(ctx, v)
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, size)
	p.rec.begin()
	if end := ended(v.do(ctx, s, v.key, version, buf), v.want); end != "" {
		b.Skip(end)
	}
	mode(p.rec, true)
	defer mode(p.rec, false)
	b.ReportAllocs()
	b.SetBytes(size)
	start := cpu()
	for b.Loop() {
		if err := ended(v.do(ctx, s, v.key, version, buf), v.want); err != "" {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpu()-start)/float64(b.N), "cpu-ns/op")
}
