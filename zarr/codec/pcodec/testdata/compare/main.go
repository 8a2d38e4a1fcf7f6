// Command compare encodes and decodes pco files for compare.py. Each request on standard input is a
// line with a verb (encode or decode), a data type, a configuration without spaces and a number of
// bytes, followed by these bytes. For decode, the line ends in the number of decoded bytes. A
// response is a line with "ok" and the number of bytes or "error" and a message.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/pcodec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return
		}
		var verb, name, config string
		var n, size int
		if _, err := fmt.Sscan(line, &verb, &name, &config, &n, &size); err != nil {
			panic(err)
		}
		src := make([]byte, n)
		if _, err := io.ReadFull(in, src); err != nil {
			panic(err)
		}
		b, err := run(verb, name, config, src, size)
		if err != nil {
			fmt.Fprintf(out, "error %v\n", err)
		} else {
			fmt.Fprintf(out, "ok %d\n", len(b))
			out.Write(b)
		}
		if err := out.Flush(); err != nil {
			panic(err)
		}
	}
}

func run(verb, name, config string, src []byte, size int) ([]byte, error) {
	typ, err := dtype.Parse(name)
	if err != nil {
		return nil, err
	}
	if verb == "encode" {
		size = len(src)
	}
	in := codec.Repr{Shape: []int{size / typ.Size()}, Type: typ}
	chain, err := pcodec.Add(codec.Builtin()).Chain([]codec.Spec{{Name: pcodec.Name, Config: json.RawMessage(config)}}, in)
	if err != nil {
		return nil, err
	}
	if verb == "encode" {
		return chain.Encode(nil, codec.Block{Bytes: src}, nil)
	}
	dst := make([]byte, size)
	return dst, chain.Decode(codec.Block{Bytes: dst}, src, nil)
}
