package main

import "strings"

// examples formats the examples at the end of a command's help. The tests run the examples that
// need no bucket.
func examples(lines ...string) string { return "Examples:\n\n    " + strings.Join(lines, "\n    ") }

// Help returns examples.
func (infoCmd) Help() string {
	return examples(
		"zargo info weather.zarr/t2m",
		"zargo info --json 's3://bucket/weather.zarr?region=eu-central-1'",
		"zargo info --stored weather.zarr/t2m",
		"zargo info --tuning gs://bucket",
	)
}

// Help returns examples.
func (lsCmd) Help() string {
	return examples(
		"zargo ls -l weather.zarr",
		"zargo ls -r weather.zarr",
		"zargo ls --names 's3://bucket/weather.zarr?region=eu-central-1'",
		"zargo ls 's3://bucket?region=eu-central-1'",
	)
}

// Help returns examples.
func (duCmd) Help() string {
	return examples(
		"zargo du weather.zarr",
		"zargo du --json weather.zarr/t2m",
	)
}

// Help returns examples.
func (attrsCmd) Help() string {
	return examples(
		"zargo attrs weather.zarr/t2m",
		`zargo attrs weather.zarr/t2m --set 'units="K"' --set valid_min=150 --unset comment`,
		`zargo attrs weather.zarr --set 'title="ERA5"' --consolidate`,
	)
}

// Help returns examples.
func (createCmd) Help() string {
	return examples(
		"zargo create weather.zarr --group",
		"zargo create weather.zarr/t2m --shape 365,18,36 --chunks 10,18,36 --dtype float32 --dims time,lat,lon",
		"zargo create weather.zarr/sst --shape 365,180,360 --shards 73,180,360 --chunks 1,60,60 --dtype int16 --codec blosc:lz4:5:shuffle",
		"zargo create next.zarr --like weather.zarr",
	)
}

// Help returns examples.
func (putCmd) Help() string {
	return examples(
		"zargo put weather.zarr/t2m january.npy --sel 0:31",
		"zargo put weather.zarr/january january.npy --create --as float64 --dims time,lat,lon",
		"python3 make.py | zargo put weather.zarr/t2m - --sel time=2020-02",
	)
}

// Help returns examples.
func (catCmd) Help() string {
	return examples(
		"zargo cat weather.zarr/t2m --sel 0:31,9,18",
		"zargo cat weather.zarr/t2m --sel time=2020-01,lat=50:40 --format csv --header",
		"zargo cat weather.zarr/t2m --isel time=0:31,lat=9",
		"zargo cat weather.zarr/time --raw",
		"zargo cat weather.zarr/t2m --sel -1 --format npy -o last.npy",
	)
}

// Help returns examples.
func (pictureCmd) Help() string {
	return examples(
		"zargo picture weather.zarr/t2m --sel 0 -o map.png",
		"zargo picture weather.zarr/t2m --isel time=0 --palette coolwarm --range -10:10 -o anomaly.png",
		"zargo picture weather.zarr/t2m --sel -1 --format halfblocks",
		"zargo picture 's3://bucket/weather.zarr/t2m?region=eu-central-1' --sel time=2020-01-01",
	)
}

// Help returns examples.
func (planCmd) Help() string {
	return examples(
		"zargo plan weather.zarr/t2m --sel 0:31,9,18",
		"zargo plan weather.zarr/sst --sel -1 --resolve --json",
		"zargo plan 's3://bucket/weather.zarr/t2m?region=eu-central-1' --sel time=2020-01 --total --get-price 0.0004 --gb-price 0.09",
	)
}

// Help returns examples.
func (consolidateCmd) Help() string {
	return examples(
		"zargo consolidate weather.zarr",
		"zargo consolidate weather.zarr --check",
	)
}

// Help returns examples.
func (rmCmd) Help() string {
	return examples(
		"zargo rm weather.zarr/t2m --dry-run",
		"zargo rm weather.zarr/t2m --consolidate",
		"zargo rm --force 's3://bucket/half-written.zarr?region=eu-central-1'",
	)
}

// Help returns examples.
func (migrateCmd) Help() string {
	return examples(
		"zargo migrate old.zarr --dry-run",
		"zargo migrate old.zarr --remove",
	)
}

// Help returns examples.
func (validateCmd) Help() string {
	return examples(
		"zargo validate weather.zarr",
		"zargo validate weather.zarr --data --json",
		"zargo validate weather.zarr --repair --dry-run --delete-orphans --drop-claims 24h",
		"zargo validate weather.zarr --data --repair --restore-from s3://backup/weather.zarr",
	)
}

// Help returns examples.
func (diffCmd) Help() string {
	return examples(
		"zargo diff weather.zarr weather.zarr",
		"zargo diff weather.zarr 's3://bucket/weather.zarr?region=eu-central-1' --values",
		"zargo diff weather.zarr weather.zarr --values --atol 0.01",
	)
}

// Help returns examples.
func (hashCmd) Help() string {
	return examples(
		"zargo hash weather.zarr -o weather.sha256",
		"zargo hash weather.zarr --check weather.sha256",
		"zargo hash 's3://bucket/weather.zarr?region=eu-central-1' --check weather.sha256",
	)
}

// Help returns examples.
func (bucketCheckCmd) Help() string {
	return examples(
		"zargo bucket check 's3://bucket?region=eu-central-1' --dry-run",
		"zargo bucket check 's3://bucket/scratch?region=eu-central-1'",
		"zargo bucket check gs://bucket/scratch --quick --json",
		"zargo bucket check https://host/data.zarr --read-only --key t2m/c/0/0/0",
		"zargo bucket check scratch --no-speed",
	)
}

// Help returns examples.
func (completionCmd) Help() string {
	return examples(
		"zargo completion bash > ~/.local/share/bash-completion/completions/zargo",
		"zargo completion zsh > ~/.zfunc/_zargo      # with fpath=(~/.zfunc $fpath) before compinit",
		"zargo completion fish > ~/.config/fish/completions/zargo.fish",
	)
}

// Help returns examples.
func (copyCmd) Help() string {
	return examples(
		"zargo copy weather.zarr copied.zarr --dry-run",
		"zargo copy weather.zarr copied.zarr --format 3 --codec zstd:3",
		"zargo copy weather.zarr/sst series.zarr --chunks 365,20,20 --shards none --max-mem 256MiB",
		"zargo copy 's3://bucket/weather.zarr?region=eu-central-1' gs://other/weather.zarr --sel time=2020-01 --resume",
	)
}

// Help returns examples.
func (transferCmd) Help() string {
	return examples(
		"zargo transfer plan weather.zarr moved.zarr --codec gzip:5 -o plan.json",
		"zargo transfer run plan.json --task-index 0 --task-count 1",
		"zargo transfer verify plan.json",
		"zargo transfer resume plan.json",
		"zargo transfer clean plan.json",
		"zargo transfer plan s3://bucket/maps gs://other/series --chunks time=8760,lat=10,lon=10 -o gs://other/plan.json",
	)
}

// Help returns examples.
func (pyramidCmd) Help() string {
	return examples(
		"zargo pyramid weather.zarr/sst --method nearest",
		"zargo pyramid weather.zarr/t2m --dims lat,lon --levels 2 --consolidate",
		"zargo pyramid 's3://bucket/dem.zarr/0/elevation?region=eu-central-1' --max-mem 1GiB",
	)
}
