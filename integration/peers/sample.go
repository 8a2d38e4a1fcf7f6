package peers

import (
	"fmt"
	"strings"
)

// Sample returns the smallest part of the matrix, by a greedy search, that contains every data
// type, codec, layout and other property in each format: 30 rows. Sample is used for stores on
// which the whole matrix would not test more than the sample.
func Sample() []Row { return sample(Matrix()) }

// sample repeatedly takes the row that has the most properties not in the sample yet, until the
// sample has all properties.
func sample(rows []Row) []Row {
	var all [][]string
	for _, r := range rows {
		all = append(all, facets(r))
	}
	seen := map[string]bool{}
	var out []Row
	for {
		best, most := -1, 0
		for i := range rows {
			n := 0
			for _, f := range all[i] {
				if !seen[f] {
					n++
				}
			}
			if n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			return out
		}
		for _, f := range all[best] {
			seen[f] = true
		}
		out = append(out, rows[best])
	}
}

// facets returns the properties of a row that a sample must contain.
func facets(r Row) []string {
	codecs := "codecs"
	for _, c := range r.Codecs {
		codecs += " " + c.String()
	}
	partial := false
	for i, n := range r.Shape {
		partial = partial || n%r.Chunks[i] != 0
	}
	out := []string{
		r.DType, codecs, fmt.Sprint("shape ", r.Shape), "order " + r.Order, "separator " + r.Separator, "keys " + r.Keys,
		fmt.Sprint("partial ", partial), fmt.Sprint("missing ", r.Missing), fmt.Sprint("transpose ", r.Transpose != nil),
		fmt.Sprint("fill ", r.Fill != nil), fmt.Sprint("attributes ", r.Attrs != nil), fmt.Sprint("dims ", r.Dims != nil),
	}
	if r.Missing && partial && strings.Trim(*r.Fill, "0") != "" {
		out = append(out, "partial and missing, filled with something")
	}
	for i := range out {
		out[i] = fmt.Sprintf("v%d %s", r.Format, out[i])
	}
	return out
}
