// Peer writes frames for another implementation to read, as one JSON object per line. See
// verify.py.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/zargo-io/zargo/zarr/codec/blosc"
)

type line struct {
	Kind    string `json:"kind"`
	Cname   string `json:"cname"`
	Level   int    `json:"level"`
	Shuffle int    `json:"shuffle"`
	Type    int    `json:"type"`
	Block   int    `json:"block"`
	Size    int    `json:"size"`
	Data    []byte `json:"data"`
	Frame   []byte `json:"frame"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	w := bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(w)
	for _, cname := range []blosc.Compressor{blosc.LZ4, blosc.LZ4HC, blosc.Zstd, blosc.Zlib, blosc.Snappy} {
		for shuffle := range 3 {
			for _, ts := range []int{1, 2, 3, 4, 8, 12, 16, 17, 255, 300} {
				for _, size := range []int{1, 3, 127, 128, 1000, 1024, 4097, 40000, 300007} {
					for _, block := range []int{0, 4096} {
						for kind, plain := range map[string][]byte{"smooth": smooth(size), "noise": noise(size)} {
							l := line{kind, cname.String(), 5, shuffle, ts, block, size, plain, nil}
							if size == 1000 {
								for l.Level = range 10 {
									if err := emit(enc, l, cname); err != nil {
										return err
									}
								}
								continue
							}
							if err := emit(enc, l, cname); err != nil {
								return err
							}
						}
					}
				}
			}
		}
	}
	for _, cname := range []blosc.Compressor{blosc.LZ4, blosc.LZ4HC, blosc.Zstd, blosc.Zlib} {
		for level := range 10 {
			l := line{"smooth", cname.String(), level, 1, 4, 0, 3 << 20, smooth(3 << 20), nil}
			if err := emit(enc, l, cname); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

func emit(enc *json.Encoder, l line, c blosc.Compressor) (err error) {
	l.Frame, err = blosc.Encode(nil, l.Data, blosc.Options{Compressor: c, Level: l.Level, Shuffle: blosc.Shuffle(l.Shuffle), TypeSize: l.Type, BlockSize: l.Block})
	if err != nil {
		return err
	}
	return enc.Encode(l)
}

// smooth returns n bytes of a noisy float32 wave, rounded to hundredths.
func smooth(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, n+4)
	for i := 0; len(b) < n; i++ {
		v := math.Sin(float64(i)/50) + r.NormFloat64()*0.05
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(math.Round(v*100)/100)))
	}
	return b[:n]
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
