package provider

import (
	"testing"

	"github.com/zargo-io/zargo/zarr/store/limit"
)

func TestInitial(t *testing.T) {
	for _, c := range []struct {
		n    int
		cpus float64
		want int
	}{
		{128, 0.1, 40}, {128, 0.5, 80}, {128, 1, 128}, {128, 64, 128}, {32, 0.1, 32}, {8, 0, 8}, {128, 0, 32}, {256, 1, 128}, {4096, 1e18, 4096},
	} {
		if got := initial(c.n, c.cpus); got != c.want {
			t.Errorf("%d requests with %v CPUs: %d, want %d", c.n, c.cpus, got, c.want)
		}
	}
}

// TestStart checks that few CPUs reduce the initial number of requests.
func TestStart(t *testing.T) {
	n := limit.BucketOptions{Reads: 128, Writes: 32}
	for _, c := range []struct {
		cpus        float64
		reads, most int
	}{{0.1, 40, 40}, {0.5, 80, 80}, {1, 128, 256}, {16, 128, 256}} {
		if got := start(n, c.cpus); got.Reads != c.reads || got.Writes != 32 || got.Greatest() != c.most {
			t.Errorf("%v CPUs: %+v with a maximum of %d", c.cpus, got, got.Greatest())
		}
	}
}

func TestCPUs(t *testing.T) {
	for _, c := range []struct {
		name   string
		procs  float64
		lambda string
		files  map[string]string
		want   float64
	}{
		{"no group", 8, "", nil, 8},
		{"version 2", 8, "", map[string]string{"/sys/fs/cgroup/cpu.max": "10000 100000\n"}, 0.1},
		{"version 2, no quota", 8, "", map[string]string{"/sys/fs/cgroup/cpu.max": "max 100000\n"}, 8},
		{"version 2, a group", 8, "", map[string]string{"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max": "50000 100000\n"}, 0.5},
		{"version 1", 8, "", map[string]string{"/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "20000\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, 0.2},
		{"version 1, no quota", 8, "", map[string]string{"/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, 8},
		{"version 1, a group", 8, "", map[string]string{
			"/proc/self/cgroup":                        "2:cpuacct:/x\n1:cpu:/wire\n0::/\n",
			"/sys/fs/cgroup/cpu/wire/cpu.cfs_quota_us": "10000\n", "/sys/fs/cgroup/cpu/wire/cpu.cfs_period_us": "100000\n",
		}, 0.1},
		{"a larger quota", 2, "", map[string]string{"/sys/fs/cgroup/cpu.max": "800000 100000\n"}, 2},
		{"malformed", 2, "much", map[string]string{"/sys/fs/cgroup/cpu.max": "NaN 100000\n", "/proc/self/cgroup": "x\n\n"}, 2},
		{"Lambda", 2, "1769", nil, 1},
		{"a large Lambda", 6, "10240", nil, 10240.0 / 1769},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := cpusOf(c.procs, c.lambda, func(file string) string { return c.files[file] }); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
