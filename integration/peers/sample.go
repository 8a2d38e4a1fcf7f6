package peers

import (
	"fmt"
	"strings"
)

// Sample is the smallest part of the matrix that a plain search finds in which every data type,
// codec, layout and other choice comes up in each format: 30 rows, for the places where the whole
// matrix would teach nothing new.
func Sample() []Row { return sample(Matrix()) }

// sample takes the row with the most that was not there before, until there is nothing new.
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

// facets are the choices that were made for a row.
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
