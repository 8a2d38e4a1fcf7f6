package counts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

var update = flag.Bool("update", false, "write testdata/requests.txt anew")

// The commands of TestCounts, in the order in which they run. URL is a location in the bucket: d3,
// d2 and dc are datasets in v3, in v2 and in v3 with consolidated metadata, e2 is another in v2, p
// is an array of 64 chunks, many one of 3300 chunks, and gone has objects without a node. A line
// that starts with ! is expected to fail. The number of requests of a line that starts with ~
// depends on the order of events. The requests of a line that starts with + must be within the
// bounds that the line before it printed. With =+ the maximum of all requests is at most
// 1.3 times the minimum.
const commands = `
info URL/d3
info URL/d3/v0
ls URL/d3
ls URL/d3 -l -r
ls URL/dc -l -r
ls URL/d2 -l -r
du URL/d3
du URL/p
attrs URL/d3
attrs URL/d3 --set a=1
attrs URL/d2/v0 --set a=1
cat URL/p --sel 0:4,0:4,0:4 --format raw
hist URL/p
stats URL/d3
dump URL/d3
dump URL/dc --coords
plan URL/p
+ stats URL/p
plan URL/p --sel 0:20,0,0
+ hist URL/p --sel 0:20,0,0 --range 0:9
plan URL/d3/v0 --sel time=2000-01-03,lat=20:10
+ cat URL/d3/v0 --sel time=2000-01-03,lat=20:10
plan URL/dc/v0 --sel time=2000-01-03,lat=20:10 --total
+ cat URL/dc/v0 --sel time=2000-01-03,lat=20:10
plan URL/d2/v0 --sel time=2000-01-03,lat=20:10
+ cat URL/d2/v0 --sel time=2000-01-03,lat=20:10
plan URL/d3/time
+ cat URL/d3/time
plan URL/d3/time
+ cat URL/d3/time --raw
validate URL/p --plan
=+ validate URL/p
validate URL/d3
validate URL/d3 --data --plan
=+ validate URL/d3 --data
validate URL/shards --data --plan
+ validate URL/shards --data
census URL/d3
hash URL/p
diff URL/p URL/p --plan
=+ diff URL/p URL/p
diff URL/d3 URL/dc --values --plan
=+ diff URL/d3 URL/dc --values
diff URL/p URL/shards --values --plan
+ diff URL/p URL/shards --values
diff URL/sparse URL/sparse --plan
=+ diff URL/sparse URL/sparse
picture URL/d3/v0 --sel time=2000-01-03 -o PNG
create URL/new --shape 2,4 --chunks 2,2 --dtype int16
plan URL/new --write
+ put URL/new INT16
blank URL/new --sel 0:2,0:2
resize URL/new --shape 2,3
append URL/new ROWS --dim 0 --dry-run
+ append URL/new ROWS --dim 0
append URL/d3 --dim time time=TIME v0=DAY v1=DAY v2=DAY v3=DAY v4=DAY --dry-run
+ append URL/d3 --dim time time=TIME v0=DAY v1=DAY v2=DAY v3=DAY v4=DAY
append URL/d2 --dim time time=TIME v0=DAY v1=DAY v2=DAY v3=DAY v4=DAY --dry-run
+ append URL/d2 --dim time time=TIME v0=DAY v1=DAY v2=DAY v3=DAY v4=DAY
append URL/dc --dim time time=TIME v0=DAY v1=DAY v2=DAY v3=DAY v4=DAY --if-absent --dry-run
+ append URL/dc --dim time time=TIME v0=DAY v1=DAY v2=DAY v3=DAY v4=DAY --if-absent
append URL/dc --dim time time=TIME v0=DAY v1=DAY v2=DAY v3=DAY v4=DAY --if-absent --dry-run
+ append URL/dc --dim time time=TIME v0=DAY v1=DAY v2=DAY v3=DAY v4=DAY --if-absent
copy URL/p URL/p2 --dry-run
=+ copy URL/p URL/p2
copy URL/p URL/p3 --chunks 32,32,32 --dry-run
=+ copy URL/p URL/p3 --chunks 32,32,32
copy URL/p URL/p5 --codec gzip:1 --isel 20:50 --dry-run
+ copy URL/p URL/p5 --codec gzip:1 --isel 20:50
copy URL/sparse URL/sparse2 --dry-run
~+ copy URL/sparse URL/sparse2
copy URL/sparse URL/sparse3 --chunks 3 --shards 30 --dry-run
~+ copy URL/sparse URL/sparse3 --chunks 3 --shards 30
~ copy URL/d3 URL/d4 --dry-run
~=+ copy URL/d3 URL/d4
transfer plan URL/p URL/p4 --chunks 32,32,32 -o URL/plan
transfer resume URL/plan --dry-run
=+ transfer run URL/plan
transfer resume URL/plan --dry-run
+ transfer resume URL/plan
transfer verify URL/plan
transfer clean URL/plan
copy URL/p URL/p.zip|zip:
ls URL/p.zip|zip: -l
cat URL/p.zip|zip: --sel 0:4,0:4,0:4 --format raw
pyramid URL/g/p --dry-run
+ pyramid URL/g/p
pyramid URL/g/p --dry-run
+ pyramid URL/g/p
pyramid URL/h/q --factor 4 --method nearest --consolidate --dry-run
+ pyramid URL/h/q --factor 4 --method nearest --consolidate
consolidate URL/d4
consolidate URL/d4 --check
migrate URL/d2 --dry-run
+ migrate URL/d2
migrate URL/e2 --remove --dry-run
+ migrate URL/e2 --remove
validate URL/d4 --repair
rm URL/d4 --dry-run
+ rm URL/d4
rm URL/dc/v0 --consolidate --dry-run
+ rm URL/dc/v0 --consolidate
~ rm URL/many --dry-run
~+ rm URL/many
rm URL/gone --force --dry-run
+ rm URL/gone --force
! info URL/none
`

// TestCounts runs commands on an S3 server, and compares the requests that each reports to those
// that the server counted, and to those in testdata/requests.txt.
func TestCounts(t *testing.T) {
	s := start(t)
	var out strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(commands, "\n")) {
		line = strings.TrimSpace(line)
		plan := s.out.String()
		said := s.run(t, line)
		got := s.asked(t)
		if !said.agrees(got) {
			t.Errorf("%s:\nreported %v\ncounted  %v\n%s", line, said, got, &s.errOut)
		}
		marks, _, _ := strings.Cut(line, " ")
		if strings.HasSuffix(marks, "+") {
			said.within(t, line, plan)
			least, most := got.within(t, line, plan)
			if strings.Contains(marks, "=") && float64(most) > 1.3*float64(least) {
				t.Errorf("%s: planned %d to %d requests", line, least, most)
			}
		}
		if !strings.HasPrefix(marks, "~") {
			fmt.Fprintf(&out, "%s\n\t%v\n", line, said)
		}
	}
	const golden = "testdata/requests.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, old := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(got), len(old)) {
		if got[i] != old[i] {
			t.Errorf("%s: %s, in %s: %s", got[max(i-1, 0)], got[i], golden, old[i])
		}
	}
	if len(got) != len(old) {
		t.Errorf("%d lines, in %s: %d", len(got), golden, len(old))
	}
}

// requests are the numbers of requests of each kind.
type requests struct {
	gets, puts, copies, deletes, lists, parts, all int

	same int // gets that the server answered with 304
}

// agrees reports whether a report agrees with the requests that the server counted. A delete with a
// condition is one request of the report, and a get with the status 304 and a delete of the server.
func (r requests) agrees(counted requests) bool {
	d := counted.gets - r.gets
	r.gets, r.same = counted.gets, counted.same
	return r == counted && d >= 0 && d <= counted.same
}

func (r requests) String() string {
	var s []string
	for _, of := range []struct {
		n    int
		what string
	}{{r.gets, "gets"}, {r.puts, "puts"}, {r.copies, "copies"}, {r.deletes, "deletes"}, {r.lists, "lists"}, {r.parts, "parts"}} {
		if of.n > 0 {
			s = append(s, fmt.Sprintf("%d %s", of.n, of.what))
		}
	}
	return fmt.Sprintf("%d requests: %s", r.all, strings.Join(s, ", "))
}

// within checks that the requests are within the bounds of a printed plan. It returns the bounds of
// the sum of all requests.
func (r requests) within(t *testing.T, line, plan string) (allLeast, allMost int) {
	t.Helper()
	for name, n := range map[string]int{"gets": r.gets, "puts": r.puts + r.copies + r.deletes + r.parts, "listings": r.lists} {
		row := regexp.MustCompile(`(?m)^` + name + ` .* (\d+) +(\d+)$`).FindStringSubmatch(plan)
		if row == nil {
			t.Fatalf("before %s: no plan: %s", line, plan)
		}
		if least, most := number(t, row[1]), number(t, row[2]); n < least || n > most {
			t.Errorf("%s: %d %s, planned %d to %d", line, n, name, least, most)
		} else {
			allLeast, allMost = allLeast+least, allMost+most
		}
	}
	return allLeast, allMost
}

// server is a running S3 server and a built command.
type server struct {
	url     string // of the server
	program string
	places  *strings.Replacer
	out     bytes.Buffer // of the last command
	errOut  bytes.Buffer
}

// start builds the command and the server, and starts the server until the end of the test.
func start(t *testing.T) *server {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"cmd/zargo", "integration/bench/latencystore"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(folder, filepath.Base(name)), "github.com/zargo-io/zargo/"+name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	stored(t, filepath.Join(folder, "root", "b"))
	c := exec.CommandContext(t.Context(), filepath.Join(folder, "latencystore"), "-addr", "127.0.0.1:0", "-root", filepath.Join(folder, "root"))
	printed, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() }) // killed when the context ends
	lines := bufio.NewScanner(printed)
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`)
	for lines.Scan() {
		if at := address.FindString(lines.Text()); at != "" {
			in := func(name string) string { return filepath.Join(folder, name) }
			s := &server{url: "http://" + at, program: in("zargo")}
			s.places = strings.NewReplacer(
				"INT16", file(t, in("int16.npy"), dtype.Int16, []int{2, 4}, bytes.Repeat([]byte{1, 0}, 8)),
				"ROWS", file(t, in("rows.npy"), dtype.Int16, []int{1, 3}, make([]byte, 6)),
				"TIME", file(t, in("time.npy"), dtype.Float64, []int{1}, []byte{0, 0, 0, 0, 0, 0, 0x58, 0x40}), // 96
				"DAY", file(t, in("day.npy"), dtype.Float32, []int{1, 4, 4}, bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 16)),
				"PNG", in("picture.png"),
			)
			return s
		}
	}
	t.Fatal("the server printed no address")
	return nil
}

// stored writes the datasets and arrays of the commands into the directory that the server serves.
func stored(t *testing.T, folder string) {
	t.Helper()
	ctx, st := t.Context(), dir.New(folder)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(path string, v any, s zarr.Spec) {
		t.Helper()
		a, err := zarr.Create(ctx, st, path, s)
		check(err)
		switch v := v.(type) {
		case []float64:
			check(zarr.Write(ctx, a, v))
		case []float32:
			check(zarr.Write(ctx, a, v))
		case []int16:
			check(zarr.Write(ctx, a, v))
		}
	}
	named := func(format int, dims []string, attrs map[string]any) zarr.Spec {
		s := zarr.Spec{Format: format, Attrs: attrs, Dims: dims}
		if format == 2 {
			if s.Attrs == nil {
				s.Attrs = map[string]any{}
			}
			s.Attrs["_ARRAY_DIMENSIONS"], s.Dims, s.Fill = dims, nil, zarr.NoFill
		}
		return s
	}
	for _, name := range []string{"d3", "d2", "dc", "e2"} { // the first creates the group above all, in its format
		format := map[string]int{"d3": 3, "d2": 2, "dc": 3, "e2": 2}[name]
		_, err := zarr.CreateGroup(ctx, st, name, zarr.Spec{Format: format})
		check(err)
		coordinate := func(dim string, v []float64, attrs map[string]any) {
			t.Helper()
			s := named(format, []string{dim}, attrs)
			s.Shape, s.Chunks, s.DType = []int{len(v)}, []int{16}, dtype.Float64
			write(name+"/"+dim, v, s)
		}
		coordinate("time", []float64{0, 24, 48, 72}, map[string]any{"units": "hours since 2000-01-01"})
		coordinate("lat", []float64{30, 20, 10, 0}, nil)
		coordinate("lon", []float64{0, 10, 20, 30}, nil)
		for i := range 5 {
			s := named(format, []string{"time", "lat", "lon"}, nil)
			s.Shape, s.Chunks, s.DType = []int{4, 4, 4}, []int{1, 4, 4}, dtype.Float32
			write(fmt.Sprintf("%s/v%d", name, i), slices.Repeat([]float32{1, 2, 3, 4}, 16), s)
		}
	}
	_, err := zarr.Create(ctx, st, "many", zarr.Spec{Shape: []int{3300}, Chunks: []int{1}, DType: dtype.Int8})
	check(err)
	write("shards", slices.Repeat([]int16{1, 2, 3, 4}, 1<<16), zarr.Spec{Shape: []int{64, 64, 64}, Chunks: []int{8, 16, 16}, Shards: []int{32, 32, 32}, DType: dtype.Int16})
	_, err = zarr.Create(ctx, st, "sparse", zarr.Spec{Shape: []int{300}, Chunks: []int{1}, DType: dtype.Int8, Codecs: []codec.Spec{}})
	check(err)
	for i := range 100 { // the first third
		_, err := st.Put(ctx, fmt.Sprintf("sparse/c/%d", i), []byte{byte(i % 2)}, store.PutOptions{})
		check(err)
	}
	for i := range 3300 { // several pages of a listing
		_, err := st.Put(ctx, fmt.Sprintf("many/c/%d", i), []byte{1}, store.PutOptions{})
		check(err)
	}
	for i := range 3 {
		_, err := st.Put(ctx, fmt.Sprintf("gone/%d", i), []byte{1}, store.PutOptions{})
		check(err)
	}
	g, err := zarr.OpenGroup(ctx, st, "dc")
	check(err)
	_, err = g.Consolidate(ctx)
	check(err)
	_, err = zarr.CreateGroup(ctx, st, "g", zarr.Spec{})
	check(err)
	_, err = zarr.CreateGroup(ctx, st, "h", zarr.Spec{})
	check(err)
	for _, name := range []string{"p", "g/p", "h/q"} {
		write(name, slices.Repeat([]int16{1, 2, 3, 4}, 1<<16), zarr.Spec{Shape: []int{64, 64, 64}, Chunks: []int{16, 16, 16}, DType: dtype.Int16})
	}
}

// file writes elements to a .npy file, and returns its name.
func file(t *testing.T, name string, v dtype.Type, shape []int, elements []byte) string {
	t.Helper()
	b, err := npy.AppendHeader(nil, npy.Header{Type: v, Shape: shape})
	if err == nil {
		err = os.WriteFile(name, append(b, elements...), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// asked returns the requests that the server counted since the previous call.
func (s *server) asked(t *testing.T) (r requests) {
	t.Helper()
	resp, err := http.Get(s.url + "/__stats?reset=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var is struct {
		Requests int
		Ops      map[string]int
		Statuses map[string]int
	}
	if err := json.NewDecoder(resp.Body).Decode(&is); err != nil {
		t.Fatal(err)
	}
	r.all, r.same = is.Requests, is.Statuses["304"]
	for op, n := range is.Ops {
		switch op {
		case "GetObject", "HeadObject":
			r.gets += n
		case "PutObject":
			r.puts += n
		case "CopyObject":
			r.copies += n
		case "DeleteObject", "DeleteObjects":
			r.deletes += n
		case "ListObjectsV2":
			r.lists += n
		case "CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload", "AbortMultipartUpload":
			r.parts += n
		default:
			t.Errorf("%d requests of the kind %s", n, op)
		}
	}
	return r
}

// run runs a command, and returns the requests that it reported.
func (s *server) run(t *testing.T, line string) (r requests) {
	t.Helper()
	text, fails := strings.CutPrefix(strings.TrimLeft(line, "~=+ "), "! ")
	args := strings.Fields(text)
	for i, a := range args {
		args[i] = s.places.Replace(a)
		if in, ok := strings.CutPrefix(args[i], "URL/"); ok {
			args[i] = s.at(in)
		}
	}
	s.out.Reset()
	s.errOut.Reset()
	c := exec.CommandContext(t.Context(), s.program, append(args, "-v", "--no-hedge")...)
	c.Stdout, c.Stderr = &s.out, &s.errOut
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "AWS_") }),
		"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=none", "AWS_SHARED_CREDENTIALS_FILE=none")
	if err := c.Run(); (err != nil) != fails {
		t.Errorf("%s: %v\n%s", line, err, &s.errOut)
	}
	m := reported.FindStringSubmatch(s.errOut.String())
	if m == nil {
		t.Fatalf("%s: no report: %s", line, &s.errOut)
	}
	for i, to := range []*int{&r.gets, &r.puts, &r.deletes} {
		*to = number(t, m[1+i])
	}
	for of, to := range map[string]*int{"listings": &r.lists, "parts": &r.parts, "copies": &r.copies, "attempts": &r.all} {
		if m := regexp.MustCompile(` (\d+) ` + of).FindStringSubmatch(s.errOut.String()); m != nil {
			*to = number(t, m[1])
		}
	}
	return r
}

// reported is the report of a command.
var reported = regexp.MustCompile(`zargo: \d+ chunks \(.*\), (\d+) gets of \d+ bytes, (\d+) puts of \d+ bytes, (\d+) deletes, `)

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// at returns the URL of a path in the bucket.
func (s *server) at(path string) string {
	path, inside, _ := strings.Cut(path, "|")
	if inside != "" {
		inside = "|" + inside
	}
	return "s3://b/" + path + "?region=us-east-1&use_path_style=true&endpoint=" + url.QueryEscape(s.url) + inside
}
