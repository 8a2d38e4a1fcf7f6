package mainjob

import "fmt"

// value is what belongs at a place: a base that differs from row to row, a slope along the row, and
// three bits of noise, all in eighths, so that float32 holds it exactly. It compresses about as
// well as a field of temperatures, and no chunk holds what another does.
func value(seed uint32, row, col int) float32 {
	base := (uint32(row)*2654435761 ^ seed*0x9e3779b9) >> 16
	noise := (uint32(row)*31 + uint32(col)) * 2654435761 >> 29
	return float32(base+uint32(col)>>2+noise) / 8
}

// fill computes whole rows from row on.
func fill(buf []float32, seed uint32, row int) {
	for i := range buf {
		buf[i] = value(seed, row+i/cols, i%cols)
	}
}

// check compares whole rows from row on.
func check(buf []float32, seed uint32, row int) error {
	for i, have := range buf {
		if want := value(seed, row+i/cols, i%cols); have != want {
			return fmt.Errorf("wrong value at [%d, %d]: %v, not %v", row+i/cols, i%cols, have, want)
		}
	}
	return nil
}
