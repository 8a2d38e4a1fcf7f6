package main

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
)

// helpCmd adds help to the list of commands. run replaces "help x" by "x --help" before parsing.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command to describe."`
}

// printHelp prints kong's help. The help for the whole program also contains the URLs and the exit
// codes.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil {
		return err
	}
	if ctx.Selected() != nil {
		return nil
	}
	fmt.Fprint(ctx.Stdout, "\nURL:\n"+
		"  a path, file:///path, mem://name/path, s3://bucket/path?region=…&endpoint=…, gs://bucket/path,\n"+
		"  azblob://container/path?storage_account=…, https://host/path (reads), and a zip archive in any of them:\n"+
		"  URL|zip:path (reads)\n"+
		"\nExit codes:\n")
	for _, e := range exit.Table() {
		fmt.Fprintf(ctx.Stdout, "  %3d  %s\n", e.Code, e.Means)
	}
	return nil
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(s *session.Session) error {
	_, err := fmt.Fprintln(s.Out, version())
	return err
}

// version returns the versions of the module and of Go, and the commit if it is known.
func version() string {
	version, commit, changed := "unknown", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, kv := range info.Settings {
			switch {
			case kv.Key == "vcs.revision":
				commit = " " + kv.Value[:min(12, len(kv.Value))]
			case kv.Key == "vcs.modified" && kv.Value == "true":
				changed = " with changes"
			}
		}
	}
	return fmt.Sprintf("zargo %s%s%s %s %s/%s", version, commit, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// decodeText parses the value of a text flag or argument. Because values such as -3: may begin with
// a hyphen, kong accepts the end of the line and the next flag as values. Both are errors here; a
// value that begins with two hyphens must follow an equals sign.
func decodeText(c *kong.DecodeContext, target reflect.Value) error {
	t := c.Scan.Peek()
	if t.IsEOL() || t.Type == kong.UntypedToken && len(t.String()) > 2 && strings.HasPrefix(t.String(), "--") {
		return errors.New("missing value")
	}
	target.SetString(c.Scan.Pop().String())
	return nil
}

// examples returns the examples at the end of the help of each command. The tests run the examples
// that need no bucket.
func examples() map[string][]string {
	return map[string][]string{
		"info": {
			"zargo info weather.zarr/t2m",
			"zargo info --json 's3://bucket/weather.zarr?region=eu-central-1'",
			"zargo info --stored weather.zarr/t2m",
			"zargo info --tuning gs://bucket",
		},
		"serve": {
			"zargo serve demo=weather.zarr",
			"zargo serve --addr 127.0.0.1:0 era5='s3://bucket/era5?region=eu-central-1' --refresh 1m",
			"zargo serve --socket /run/user/1000/zargo.sock --writable weather.zarr",
		},
		"ls": {
			"zargo ls -l weather.zarr",
			"zargo ls -r weather.zarr",
			"zargo ls --names 's3://bucket/weather.zarr?region=eu-central-1'",
			"zargo ls 's3://bucket?region=eu-central-1'",
		},
		"du": {
			"zargo du weather.zarr",
			"zargo du --json weather.zarr/t2m",
		},
		"attrs": {
			"zargo attrs weather.zarr/t2m",
			`zargo attrs weather.zarr/t2m --set 'units="K"' --set valid_min=150 --unset comment`,
			`zargo attrs weather.zarr --set 'title="ERA5"' --consolidate`,
		},
		"create": {
			"zargo create weather.zarr --group",
			"zargo create weather.zarr/t2m --shape 365,18,36 --chunks 10,18,36 --dtype float32 --dims time,lat,lon",
			"zargo create weather.zarr/sst --shape 365,180,360 --shards 73,180,360 --chunks 1,60,60 --dtype int16 --codec blosc:lz4:5:shuffle",
			"zargo create next.zarr --like weather.zarr",
		},
		"put": {
			"zargo put weather.zarr/t2m january.npy --sel 0:31",
			"zargo put weather.zarr/january january.npy --create --as float64 --dims time,lat,lon",
			"python3 make.py | zargo put weather.zarr/t2m - --sel time=2020-02",
		},
		"append": {
			"zargo append weather.zarr/t2m january.npy --dim time",
			"zargo append 's3://bucket/weather.zarr?region=eu-central-1' --dim time t2m=day.npy time=hours.npy --wait 5m",
			"zargo append 's3://bucket/weather.zarr?region=eu-central-1' --dim time t2m=day.npy time=hours.npy --take-over 2m",
			"zargo append 's3://bucket/weather.zarr?region=eu-central-1' --dim time t2m=day.npy time=hours.npy --if-absent --wait 5m",
			"zargo append 's3://bucket/weather.zarr?region=eu-central-1' --dim time time=year.npy --reserve",
		},
		"blank": {
			"zargo blank weather.zarr/t2m --sel time=2020-02-01",
			"zargo blank 's3://bucket/weather.zarr?region=eu-central-1' --sel time=:2019-12",
		},
		"resize": {
			"zargo resize weather.zarr/t2m --dim time=365",
			"zargo resize weather.zarr/t2m --shape 365,18,36 --clear",
		},
		"cat": {
			"zargo cat weather.zarr/t2m --sel 0:31,9,18",
			"zargo cat weather.zarr/t2m --sel time=2020-01,lat=50:40 --format csv --header",
			"zargo cat weather.zarr/t2m --isel time=0:31,lat=9",
			"zargo cat weather.zarr/time --raw",
			"zargo cat weather.zarr/t2m --sel -1 --format npy -o last.npy",
		},
		"plot": {
			"zargo plot weather.zarr/t2m --sel time=2020-01,lat=50 --isel lon=3",
			"zargo plot weather.zarr/t2m --isel lat=9,lon=3 --width 120",
		},
		"picture": {
			"zargo picture weather.zarr/t2m --sel 0 -o map.png",
			"zargo picture weather.zarr/t2m --isel time=0 --palette coolwarm --range -10:10 -o anomaly.png",
			"zargo picture weather.zarr/t2m --sel -1 --format halfblocks",
			"zargo picture 's3://bucket/weather.zarr/t2m?region=eu-central-1' --sel time=2020-01-01",
		},
		"stats": {
			"zargo stats weather.zarr/t2m",
			"zargo stats weather.zarr/t2m --sel time=2020-01 --json",
			"zargo stats 's3://bucket/weather.zarr?region=eu-central-1' --sel time=2020-01",
		},
		"hist": {
			"zargo hist weather.zarr/t2m",
			"zargo hist weather.zarr/t2m --bins 6 --range 250:310 --sel time=2020-01",
		},
		"dump": {
			"zargo dump weather.zarr",
			"zargo dump weather.zarr --coords",
			"zargo dump 's3://bucket/weather.zarr?region=eu-central-1' --vars t2m",
		},
		"copy": {
			"zargo copy weather.zarr copied.zarr --dry-run",
			"zargo copy weather.zarr copied.zarr --format 3 --codec zstd:3",
			"zargo copy weather.zarr/sst series.zarr --chunks 365,20,20 --shards none --max-mem 256MiB",
			"zargo copy 's3://bucket/weather.zarr?region=eu-central-1' gs://other/weather.zarr --sel time=2020-01 --resume",
		},
		"transfer": {
			"zargo transfer plan weather.zarr moved.zarr --codec gzip:5 -o plan.json",
			"zargo transfer run plan.json --task-index 0 --task-count 1",
			"zargo transfer verify plan.json",
			"zargo transfer resume plan.json",
			"zargo transfer clean plan.json",
			"zargo transfer plan s3://bucket/maps gs://other/series --chunks time=8760,lat=10,lon=10 -o gs://other/plan.json",
		},
		"pyramid": {
			"zargo pyramid weather.zarr/sst --method nearest",
			"zargo pyramid weather.zarr/t2m --dims lat,lon --levels 2 --consolidate",
			"zargo pyramid 's3://bucket/dem.zarr/0/elevation?region=eu-central-1' --max-mem 1GiB",
		},
		"plan": {
			"zargo plan weather.zarr/t2m --sel 0:31,9,18",
			"zargo plan weather.zarr/sst --sel -1 --resolve --json",
			"zargo plan 's3://bucket/weather.zarr/t2m?region=eu-central-1' --sel time=2020-01 --total --get-price 0.0004 --gb-price 0.09",
		},
		"consolidate": {
			"zargo consolidate weather.zarr",
			"zargo consolidate weather.zarr --check",
		},
		"rm": {
			"zargo rm weather.zarr/t2m --dry-run",
			"zargo rm weather.zarr/t2m --consolidate",
			"zargo rm --force 's3://bucket/half-written.zarr?region=eu-central-1'",
		},
		"migrate": {
			"zargo migrate old.zarr --dry-run",
			"zargo migrate old.zarr --remove",
		},
		"validate": {
			"zargo validate weather.zarr",
			"zargo validate weather.zarr --data --json",
			"zargo validate weather.zarr --repair --dry-run --delete-orphans --drop-claims 24h",
			"zargo validate weather.zarr --data --repair --restore-from s3://backup/weather.zarr",
		},
		"diff": {
			"zargo diff weather.zarr weather.zarr",
			"zargo diff weather.zarr 's3://bucket/weather.zarr?region=eu-central-1' --values",
			"zargo diff weather.zarr weather.zarr --values --atol 0.01",
		},
		"hash": {
			"zargo hash weather.zarr -o weather.sha256",
			"zargo hash weather.zarr --check weather.sha256",
			"zargo hash 's3://bucket/weather.zarr?region=eu-central-1' --check weather.sha256",
		},
		"census": {
			"zargo census weather.zarr",
			"zargo census weather.zarr/t2m --data",
			"zargo census 's3://bucket/weather.zarr?region=eu-central-1' --json",
		},
		"bucket check": {
			"zargo bucket check 's3://bucket?region=eu-central-1' --dry-run",
			"zargo bucket check 's3://bucket/scratch?region=eu-central-1'",
			"zargo bucket check gs://bucket/scratch --quick --json",
			"zargo bucket check https://host/data.zarr --read-only --key t2m/c/0/0/0",
			"zargo bucket check scratch --no-speed",
		},
		"completion": {
			"zargo completion bash > ~/.local/share/bash-completion/completions/zargo",
			"zargo completion zsh > ~/.zfunc/_zargo      # with fpath=(~/.zfunc $fpath) before compinit",
			"zargo completion fish > ~/.config/fish/completions/zargo.fish",
		},
	}
}

// addExamples adds the examples to the help of the commands below n. name is the name of n, with a
// space at the end.
func addExamples(n *kong.Node, name string, of map[string][]string) {
	for _, c := range n.Children {
		if lines := of[name+c.Name]; lines != nil {
			c.Detail = "Examples:\n\n    " + strings.Join(lines, "\n    ")
		}
		addExamples(c, name+c.Name+" ", of)
	}
}
