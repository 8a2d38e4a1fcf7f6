package tables

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/test/lengths"
)

// near is the percentage above which a difference is an outlier: zargo's encoding is then listed as
// longer than that of the C library.
const near = 3.0

// longer is the phrase used in the heading of a column.
var longer = fmt.Sprintf("more than %g %% longer", near)

// span holds the minimum, the maximum and the count of a list of numbers.
type span struct {
	least, most float64
	n           int
}

func (s span) with(x float64) span {
	if s.n == 0 {
		return span{x, x, 1}
	}
	return span{min(s.least, x), max(s.most, x), s.n + 1}
}

// method is a codec, or a group of equivalent codecs, at one level.
type method struct {
	name       string
	level      int
	bench, all span
	far        []lengths.Length // outliers, which are longer than near allows
	time       span
}

// alike returns the name under which a codec is grouped. The codecs gzip and zlib have one name,
// because they produce the same stream in different frames.
func alike(codec string) string {
	if codec == "gzip" || codec == "zlib" {
		return "gzip, zlib"
	}
	return codec
}

// measured groups a record by method, in the order of the record.
func measured(r lengths.Record) (all []*method) {
	bench := map[string]bool{}
	for _, s := range r.Sums {
		bench[s.Set] = s.Bench
	}
	get := func(codec string, level int) *method {
		name := alike(codec)
		i := slices.IndexFunc(all, func(m *method) bool { return m.name == name && m.level == level })
		if i < 0 {
			i = len(all)
			all = append(all, &method{name: name, level: level})
		}
		return all[i]
	}
	for _, l := range r.Lengths {
		m := get(l.Codec, l.Level)
		m.all = m.all.with(l.More())
		if bench[l.Set] {
			m.bench = m.bench.with(l.More())
		}
		if l.More() > near {
			m.far = append(m.far, l)
		}
	}
	for _, t := range r.Times {
		m := get(t.Codec, t.Level)
		m.time = m.time.with(t.Ratio)
	}
	return all
}

// lengthTable generates one row for each method. Levels that differ only in time share a row.
func lengthTable() (string, error) {
	r, err := lengths.Recorded()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("The versions are numcodecs %s and, for gzip and zlib, zlib %s.\n\n%s", r.Numcodecs, r.Zlib, lengthRows(r)), nil
}

func lengthRows(r lengths.Record) string {
	const levels, time = 1, 5
	var rows [][]string
	var times span
	for _, m := range measured(r) {
		row := []string{m.name, fmt.Sprint(m.level), signed(m.bench), signed(m.all), fmt.Sprintf("%d of %d", len(m.far), m.all.n), ""}
		if k := len(rows); k > 0 && rows[k-1][0] == row[0] && slices.Equal(rows[k-1][2:time], row[2:time]) {
			rows[k-1][levels] += ", " + row[levels]
			row = rows[k-1]
			times = times.with(m.time.least).with(m.time.most)
		} else {
			rows = append(rows, row)
			times = m.time
		}
		row[time] = fmt.Sprintf("%.2g", times.least)
		if most := fmt.Sprintf("%.2g", times.most); most != row[time] {
			row[time] += " … " + most
		}
	}
	return table([]string{"codec", "level", "benchmark arrays, %", "all arrays, %", longer, "time"}, rows)
}

// percent formats a difference with its sign, except for zero.
func percent(x float64) string {
	text := fmt.Sprintf("%+.1f", x)
	if text == "-0.0" || text == "+0.0" {
		return "0.0"
	}
	return text
}

func signed(s span) string { return percent(s.least) + " … " + percent(s.most) }

// lengthList generates the table of outliers.
func lengthList() (string, error) {
	r, err := lengths.Recorded()
	if err != nil {
		return "", err
	}
	return farRows(r), nil
}

// farRows returns table rows: one for each method with outliers among the benchmark arrays, then
// one for each method with outliers among the other arrays. Each row has the largest outlier of its
// method.
func farRows(r lengths.Record) string {
	bench := map[string]bool{}
	for _, s := range r.Sums {
		bench[s.Set] = s.Bench
	}
	var rows [][]string
	add := func(benchmark bool) {
		for _, m := range measured(r) {
			var most lengths.Length
			for _, l := range m.far {
				if bench[l.Set] == benchmark && (most.Codec == "" || l.More() > most.More()) {
					most = l
				}
			}
			if most.Codec != "" {
				rows = append(rows, []string{m.name, fmt.Sprint(m.level), code(most.Set), percent(most.More())})
			}
		}
	}
	add(true)
	text := ""
	if rows == nil {
		text = fmt.Sprintf("No encoding of a benchmark array is %s.\n", longer)
	}
	if add(false); rows == nil {
		return text
	}
	if text != "" {
		text += "\n"
	}
	return text + table([]string{"codec", "level", "array", "difference, %"}, rows)
}
