package serve

import (
	"bufio"
	"bytes"
	"net/http"
	"strconv"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr/store"
)

// sendFile responds with the elements of one variable as a file of NumPy.
func (c *call) sendFile(s *selected) error {
	v, err := s.one()
	if err != nil {
		return err
	}
	b, err := c.bandsOf(v)
	if err != nil {
		return err
	}
	h := npy.Header{Type: b.of[0].numpy, Shape: v.Shape()}
	if h.Type == nil {
		return refuse(http.StatusBadRequest, "the elements of variable %q have no length of their own: another format has them", v.Name())
	}
	var need store.Amount
	if err := b.admit(&need); err != nil {
		return err
	}
	length, err := h.Bytes()
	if err != nil {
		return err
	}
	var head bytes.Buffer
	if _, err := npy.NewWriter(&head, h); err != nil {
		return err
	}
	c.w.Header().Set("Content-Length", strconv.FormatInt(int64(head.Len())+length, 10))
	w := c.stream("application/x-npy")
	if w == nil {
		return nil
	}
	return b.write(w, h)
}

// write writes the file.
func (b *bands) write(w *bufio.Writer, h npy.Header) error {
	out, err := npy.NewWriter(w, h)
	if err != nil {
		return err
	}
	for band, err := range b.read() {
		if err != nil {
			return err
		}
		if err := band.of[0].write(out); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return w.Flush()
}
