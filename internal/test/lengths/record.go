package lengths

import (
	_ "embed" // the record
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Record is the parsed record.
type Record struct {
	Numcodecs, Zlib string   // versions of the libraries
	Sums            []Sum    // one element for each set
	Lengths         []Length // one element for each case
	Times           []Time   // one element for each codec and level
}

// file is the name of the file with the record.
const file = "record.txt"

//go:embed record.txt
var recorded string

// Sum is the checksum of a set of bytes.
type Sum struct {
	Set    string
	Bench  bool
	Bytes  int
	SHA256 string
}

// Length is the result of one case.
type Length struct {
	Case
	Zargo, Numcodecs int // encoded sizes in bytes
}

// More returns by how many percent zargo's encoding is longer than that of numcodecs. The result is
// negative if zargo's encoding is shorter.
func (l Length) More() float64 { return 100 * float64(l.Zargo-l.Numcodecs) / float64(l.Numcodecs) }

// Time compares the time for all cases of a codec and a level. Ratio is zargo's time divided by
// numcodecs' time, measured in one run.
type Time struct {
	Codec string
	Level int
	Ratio float64
}

// Recorded returns the embedded record.
func Recorded() (Record, error) { return Parse(recorded) }

// String formats the record in the form of the file.
func (r Record) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "numcodecs\t%s\nzlib\t%s\n", r.Numcodecs, r.Zlib)
	for _, s := range r.Sums {
		fmt.Fprintf(&b, "set\t%s\t%t\t%d\t%s\n", s.Set, s.Bench, s.Bytes, s.SHA256)
	}
	for _, l := range r.Lengths {
		fmt.Fprintf(&b, "length\t%s\t%d\t%s\t%d\t%d\t%d\n", l.Codec, l.Level, l.Set, l.Shuffle, l.Zargo, l.Numcodecs)
	}
	for _, t := range r.Times {
		fmt.Fprintf(&b, "time\t%s\t%d\t%.2g\n", t.Codec, t.Level, t.Ratio)
	}
	return b.String()
}

// Parse parses a record in the form of the file.
func Parse(text string) (r Record, err error) {
	for i, line := range strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n") {
		if err := r.add(strings.Split(line, "\t")); err != nil {
			return r, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	return r, nil
}

// add parses one line, split at tabs, and adds it to r.
func (r *Record) add(f []string) (err error) {
	number := func(s string) int {
		n, e := strconv.Atoi(s)
		err = errors.Join(err, e)
		return n
	}
	switch fmt.Sprint(f[0], len(f)) {
	case "numcodecs2":
		r.Numcodecs = f[1]
	case "zlib2":
		r.Zlib = f[1]
	case "set5":
		r.Sums = append(r.Sums, Sum{f[1], f[2] == "true", number(f[3]), f[4]})
	case "length7":
		r.Lengths = append(r.Lengths, Length{Case{f[1], number(f[2]), f[3], number(f[4])}, number(f[5]), number(f[6])})
	case "time4":
		ratio, e := strconv.ParseFloat(f[3], 64)
		r.Times, err = append(r.Times, Time{f[1], number(f[2]), ratio}), errors.Join(err, e)
	default:
		err = fmt.Errorf("%q is not a valid line of the record", f)
	}
	return err
}

// Case is one encoding of one array.
type Case struct {
	Codec   string // id in numcodecs; for blosc followed by a space and the compressor
	Level   int    // level, preset or acceleration
	Set     string // name of the array
	Shuffle int    // shuffle of blosc; 0 for other codecs
}

func (c Case) String() string { return fmt.Sprintf("%s %d %s %d", c.Codec, c.Level, c.Set, c.Shuffle) }
