# make test needs Go, Python 3, Node and, for RACE=1, a C compiler; it fetches and starts the rest. GNU make.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
PYTHON ?= python3
RACE ?=
PKG ?= ./...
SERVERS ?= s3 gcs azure http peers zarrita browser
TIMEOUT ?= 20m
COUNT ?= 1
BENCH ?= .
FUZZTIME ?= 3m
# How the binaries of fuzz targets are built: with what guides them to new code; without it for a
# short run, whose packages are built already.
FUZZBUILD ?= -fuzz=Fuzz
# How many packages are fuzzed at once, each with one worker; 1 is one with a worker for each core.
FUZZJOBS ?= 1
# How many packages are tested at once: one more than cores, as many tests wait for a server most of their time.
JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

servers := $(PYTHON) integration/servers/servers.py
lint := $(GO) tool -modfile=go.tools.mod golangci-lint
race := $(if $(filter-out 0,$(RACE)),-race)

# Everything is compiled without cgo, so once, except for the race detector, which needs it.
export CGO_ENABLED := $(if $(race),1,0)

# How tests are built: in CI without a second go vet, and without what only debuggers read, which is a third of the time to link.
BUILT ?=
QUICK := BUILT='-vet=off -ldflags=-w'

# What must compile: each system once, and Linux on each kind of processor, 386 because there an int has 32 bits. Nothing
# else here depends on the processor.
PLATFORMS := linux/amd64 linux/arm64 linux/386 darwin/arm64 windows/amd64

# Those whose types check checks: of everything, tests included. The files for arm64 are those of
# purego. The nightly run vets everything.
OTHERS := linux/386,darwin/arm64,windows/amd64

# The commit that this one is compared with: BASE, or the one that the branch began with, or on
# origin/main the one before. It is empty if there is none. $$dirs are the packages that differ.
changed = base=$${BASE:-$$(git merge-base HEAD origin/main 2>/dev/null || true)}; \
	[ "$$base" != "$$(git rev-parse HEAD)" ] || base=HEAD^; \
	dirs=$$([ -z "$$base" ] || git diff --name-only --diff-filter=d "$$base" -- '*.go' | grep -vE '(^|/)testdata/|^($(subst $() ,|,$(MODULES)))/' | xargs -rn1 dirname | sort -u | sed 's\#^\#./\#' | tr '\n' ' ' || true)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 \2/p' Makefile | sed 's/\$$\$$/$$/' | awk '{n = $$2; $$1 = $$2 = ""; printf "  make %-14s%s\n", n, $$0}'

.PHONY: test
test: ## all tests once, with real servers: RACE=1, PKG=./zarr/..., SERVERS=s3
	@if command -v $(PYTHON) >/dev/null; then \
	  exec $(servers) run $(SERVERS) -- $(GO) test $(race) $(BUILT) -p $(JOBS) -count=$(COUNT) -timeout=$(TIMEOUT) $(PKG); \
	else \
	  for s in $(SERVERS); do echo "servers: $$s skipped because $(PYTHON) is not on PATH" >&2; done; \
	  [ "$${CI:-}" != true ] || exit 1; \
	  exec $(GO) test $(race) $(BUILT) -p $(JOBS) -count=$(COUNT) -timeout=$(TIMEOUT) $(PKG); \
	fi

.PHONY: test-all
test-all: ## test with a second S3 (MinIO), and what cannot be had is a failure; its first build takes minutes
	@CI=true $(MAKE) --no-print-directory test SERVERS="s3 gcs azure http minio peers zarrita browser"

.PHONY: minio
minio: ## what every store must do, on a second S3 (MinIO), by us and by gocloud.dev alone, and reads from a busy one; its first build takes minutes
	@$(servers) run minio -- $(GO) test -count=1 -timeout=$(TIMEOUT) -run '^(TestStore|TestPortableBuckets)$$/^minio$$' ./integration/conformance
	@for most in 8 64; do MINIO_API_REQUESTS_MAX=$$most MINIO_API_REQUESTS_DEADLINE=50ms \
	  $(servers) run minio -- $(GO) test -count=1 -timeout=$(TIMEOUT) -run '^TestBusyMinIO$$' ./integration/fleet || exit 1; done

.PHONY: slurm
slurm: ## transfers as job arrays of a real Slurm, whose nodes are lost while they run; a minute
	@$(servers) run slurm -- $(GO) test -count=1 -timeout=$(TIMEOUT) ./integration/slurm

.PHONY: cross-check
cross-check: ## thousands of random arrays of each codec, both ways with numcodecs and TensorStore; a quarter of an hour
	@$(servers) run peers -- $(GO) test -count=1 -timeout=2h ./integration/numcodecs -full

.PHONY: ratios
ratios: ## how long what zargo encodes is against numcodecs', into docs/evidence/lengths.md; V=1 prints each; five minutes
	@$(servers) run peers -- $(GO) test -count=1 -timeout=2h $(if $(V),-v) -run '^TestRecord$$' ./integration/numcodecs/ratios -update
	@$(GO) test -count=1 -run '^TestPages$$' ./internal/test/tables -update
	@sed -n '/^<!-- generated: lengths -->/,/^<!-- end: lengths -->/p; /^<!-- generated: longer -->/,/^<!-- end: longer -->/p' docs/evidence/lengths.md | sed '/^<!--/d'

# The measurement itself; the tests of the package require only the results of zargo.
RUNS ?= 5

.PHONY: concurrent-writes
concurrent-writes: ## concurrent writes of processes to one chunk, one shard and one array, by zargo and its peers, as a table: RUNS=5; two minutes
	@$(servers) run peers -- $(GO) test -count=1 -timeout=$(TIMEOUT) -v -run '^TestTable$$' ./integration/concurrent -runs $(RUNS)

# Packages whose code starts goroutines or shares values between them, and tests that use these
# together. check runs them with -race, the nightly run all but OUTSIDE. Codecs are called from many
# goroutines by codectest.
RACED = $(sort $(patsubst %/,%,$(dir $(shell grep -rlE '\<go func|\.Go\>|\<(sync|atomic|concurrency)\.' --include='*.go' --exclude='*_test.go' ./*/ | \
  grep -vE '/testdata/|^./(cmd|examples|integration|internal/test|zarr/codec|zarr/internal|$(subst $() ,|,$(MODULES)))/')))) \
  $(addprefix ./,zarr/codec/codectest integration/faultproxy integration/fleet integration/load)

# Tests that look at processes from outside, compare with other programs or read our sources. There
# -race would only slow processes down: what they call has tests with many goroutines where it
# belongs. (The fuzz targets of fixtures run with it.)
OUTSIDE := $(addprefix ./integration/,concurrent counts page processes fixtures fixtures/pack crash crash/shared large mutants numcodecs numcodecs/ratios peers servers) \
  ./examples/internal/measure ./examples/start ./internal/test/doctest ./internal/test/tables

# What check runs without -race, and with it only the tests of files that start goroutines.
TWICE := ./zarr ./transfer
MANY = $(shell grep -lE '\<go func|\.Go\>|\<(concurrency|synctest)\.' $(TWICE:%=%/*_test.go) | xargs sed -n 's/^func \(Test[A-Za-z0-9]*\).*/\1/p')

# Tests that count allocations, or run only some of their cases with -race: they run without it too.
# check requires that TWICE, PUREGO or this has every package of RACED whose tests use internal/test/race.
COUNTED := $(addprefix ./,concurrency internal/chunk/cache internal/chunk/engine s3 view zarr/store zarr/store/limit)
COUNTING := Alloc|Overhead|Schedules|Fleets|Hints|HotPrefix|OneLimit|Converges|Divided|TestRandom$$

# What check leaves to the nightly run: programs that are built with the flags for deployment, so
# together with all modules.
SLOW := ./examples/internal/measure

# What takes longest, in this order, begun before the rest, so that nothing long is left alone at
# the end.
LONGEST := $(addprefix ./,zarr/store/limit s3 integration/load zarr/store gcs azure)
LONGER := $(addprefix ./,integration/model integration/fixtures cmd/zargo integration/conformance zarr transfer integration/metamorphic integration/repairs examples/start)

# The stages that need no server of make test, two at a time. The longest are first.
STATIC := lint-changed purego modules-changed archtest

.PHONY: check
check: ## what CI runs: format, lint and fuzz targets of changed packages, other platforms, tidy, build, import table, all tests, some with -race
	@$(MAKE) --no-print-directory format-check tidy-check build
	@$(MAKE) --no-print-directory -j2 $(STATIC)
	@[ $(words $(RACED)) -gt 40 ] && [ $(words $(MANY)) -gt 100 ] || { echo "RACED or MANY no longer finds what it is for"; exit 1; }
	@missing=$$($(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' $(RACED) | grep -E '[[ ][^ ]*/internal/test/race[] ]' | cut -d' ' -f1 | grep -vxF "$$($(GO) list $(TWICE) $(COUNTED) $(PUREGO))" || true); \
	[ -z "$$missing" ] || { echo "test less with -race, and are not in TWICE or COUNTED: $$missing"; exit 1; }
	@$(MAKE) --no-print-directory test RACE=1 $(QUICK) PKG="$(LONGEST) $(filter-out $(TWICE),$(RACED))"
	@CGO_ENABLED=1 $(GO) test -race -vet=off -ldflags=-w -count=1 -timeout=$(TIMEOUT) -run '^($(subst $() ,|,$(MANY)))$$' $(TWICE)
	@$(MAKE) --no-print-directory test $(QUICK) PKG="$(LONGER) $$($(GO) list ./... | grep -vxF "$$($(GO) list $(SLOW) $(filter-out $(TWICE),$(RACED)) ./internal/test/archtest)" | tr '\n' ' ')"
	@$(GO) test -vet=off -ldflags=-w -count=1 -timeout=$(TIMEOUT) -run '$(COUNTING)' $(COUNTED)
	@$(MAKE) --no-print-directory smoke
	@$(MAKE) --no-print-directory comments lines

.PHONY: lines
lines: ## how many lines of Go each part of the project has
	@$(GO) run ./internal/test/archtest/lines

.PHONY: nightly
nightly: ## what CI runs every night beside fuzz: other servers, and what check leaves out of lint, vet, purego and -race
	@$(MAKE) --no-print-directory -j2 minio slurm # both wait most of their time
	@$(MAKE) --no-print-directory lint vet modules
	@$(MAKE) --no-print-directory modules RACE=1 MODULES="$(STORES)"
	@$(MAKE) --no-print-directory purego WITHOUT=.
	@$(GO) test -count=1 -timeout=2h $(SLOW)
	@$(GO) test -count=1 -timeout=2h ./integration/metamorphic -sequences 20000
	@$(MAKE) --no-print-directory test RACE=1 TIMEOUT=1h PKG="$$($(GO) list ./... | grep -vxF "$$($(GO) list $(OUTSIDE) ./internal/test/archtest)" | tr '\n' ' ')"

.PHONY: comments
comments: ## habits of phrasing in comments, per 1,000 lines; a pointer, never a failure
	@if command -v $(PYTHON) >/dev/null; then $(PYTHON) internal/tools/comments.py --tests . || true; \
	else echo "comments: skipped because $(PYTHON) is not on PATH" >&2; fi

# Before Go 1.27 the end of the time may itself be reported as a failure (golang/go#75804). A finding has an input, which is
# written down, or is one of the seeds, or panics.
raced := { grep -qx '    context deadline exceeded' "$$tmp/log" && ! grep -qE 'Failing input|while testing seed|panic:|DATA RACE|_test.go:' "$$tmp/log"; }

.PHONY: fuzz
fuzz: ## every fuzz target for a while: FUZZTIME=3m PKG=./zarr/... FUZZJOBS=2
	@$(GO) list -f '{{.Dir}}' $(PKG) | while read -r dir; do \
	  if grep -qs '^func Fuzz' "$$dir"/*_test.go; then echo "$$dir"; fi; \
	done | xargs -P $(FUZZJOBS) -I{} $(MAKE) --no-print-directory fuzz-folder DIR={}

.PHONY: smoke
smoke: ## fuzz targets of the packages that differ from origin/main, for 2 s each; go test runs the seeds of all
	@$(changed); \
	[ -n "$$base" ] || { echo "fuzz: skipped because the commit of origin/main that this one began with is not known"; exit 0; }; \
	[ -z "$$dirs" ] || $(MAKE) --no-print-directory fuzz PKG="$$dirs" FUZZTIME=2s FUZZBUILD=-ldflags=-w FUZZJOBS=$(JOBS)

.PHONY: fuzz-folder
fuzz-folder:
	@tmp=$$(mktemp -d); trap 'rm -rf "$$tmp"' EXIT; cache=$$($(GO) env GOCACHE)/fuzz; cd $(DIR); \
	$(GO) test -c $(FUZZBUILD) -o "$$tmp/fuzz.test" .; \
	for t in $$(cat *_test.go | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p'); do \
	  "$$tmp/fuzz.test" -test.run='^$$' -test.fuzz="^$$t\$$" -test.fuzztime=$(FUZZTIME) -test.fuzzcachedir="$$cache" $(if $(filter-out 1,$(FUZZJOBS)),-test.parallel=1) \
	    >"$$tmp/log" 2>&1 || $(raced) || { cat "$$tmp/log"; exit 1; }; \
	  printf 'fuzz %s %s\n%s\n' "$(DIR:$(CURDIR)/%=%)" "$$t" "$$(tail -2 "$$tmp/log" | head -1)"; \
	done

.PHONY: format-check
format-check: ## gofmt -s would change nothing
	@bad=$$(gofmt -s -l .); [ -z "$$bad" ] || { echo "not formatted (make fmt):"; echo "$$bad"; exit 1; }

.PHONY: fmt
fmt: ## gofmt -s
	@gofmt -s -w .

.PHONY: lint
lint: ## golangci-lint, as pinned in go.tools.mod
	@$(lint) run

.PHONY: lint-changed
lint-changed: ## lint of the packages that differ from origin/main; of all if the linters differ
	@$(changed); \
	if [ -z "$$base" ] || ! git diff --quiet "$$base" -- .golangci.yml go.tools.mod; then $(lint) run; \
	elif [ -n "$$dirs" ]; then $(lint) run $$dirs; fi

.PHONY: vet
vet: $(PLATFORMS:%=vet/%) ## go vet for every platform

.PHONY: $(PLATFORMS:%=vet/%)
$(PLATFORMS:%=vet/%): vet/%:
	@echo "vet $*"; GOOS=$(*D) GOARCH=$(*F) $(GO) vet ./...

.PHONY: tidy-check
tidy-check: ## go mod tidy would change nothing
	@$(GO) mod tidy -diff

# Modules of their own, so that what they depend on is not in go.mod.
STORES := examples/stores/bbolt examples/stores/redis examples/stores/mongodb
MODULES := telemetry beam arrow $(STORES)

.PHONY: modules
modules: ## vet and test the modules of their own; starts the servers of examples/stores and the judges of arrow
	@test='for m in $(MODULES); do (cd $$m && $(GO) mod tidy -diff && $(GO) vet ./... && $(GO) test $(race) -count=1 ./...) || exit 1; done'; \
	if command -v $(PYTHON) >/dev/null; then exec $(servers) run redis mongodb ferretdb tables -- sh -c "$$test"; else exec sh -c "$$test"; fi

.PHONY: modules-changed
modules-changed: ## modules, if they, their versions or the API that they use differ from origin/main
	@$(changed); if [ -z "$$base" ] || ! git diff --quiet "$$base" -- $(MODULES) go.mod '*api.txt'; then $(MAKE) --no-print-directory modules; fi

# go list -export compiles as go build does, and links no program: tests link and start them.
.PHONY: build
build: ## everything, without cgo
	@$(GO) list -export ./... >/dev/null

.PHONY: archtest
archtest: ## the import table, the API of public packages, and types on other platforms
	@$(GO) test -count=1 ./internal/test/archtest -platforms $(OTHERS)

# The packages with a file for purego, those that import one, and the tests of codecs. The API of
# each is the same with and without unsafe, so what imports these needs no other build. Of package zarr the tests whose
# values are converted: WITHOUT=. runs all.
PUREGO := $(addprefix ./,internal/bits/bytesview zarr/codec/internal/lz4fast zarr/codec/internal/planes zarr/codec zarr/codec/blosc zarr/codec/codectest npy internal/compute cmd/zargo/internal/coding cmd/zargo/internal/diff view picture pyramid)
WITHOUT ?= AsItLies|Fields|Items|LargeResults|OtherGoForms|ReadAs|Regions|Structs|Types

.PHONY: purego
purego: ## without unsafe: the packages that hold it or use it
	@missing=$$($(GO) list -f '{{.ImportPath}} {{.IgnoredGoFiles}} {{.Imports}} {{.TestImports}} {{.XTestImports}}' ./... | grep -E '/internal/(bits/bytesview|lz4fast|planes)[] ]' | cut -d' ' -f1 | grep -vxF "$$($(GO) list $(PUREGO) ./zarr)" || true); \
	[ -z "$$missing" ] || { echo "import what purego changes, and are not in PUREGO: $$missing"; exit 1; }
	@$(GO) test -tags purego -vet=off -ldflags=-w -count=1 -timeout=$(TIMEOUT) $(PUREGO)
	@$(GO) test -tags purego -vet=off -ldflags=-w -count=1 -timeout=$(TIMEOUT) -run '$(WITHOUT)' ./zarr

# What uses the modules of the providers: their packages, and the tests that run them on servers and
# through faults.
NEWEST := ./s3 ./gcs ./azure ./blob ./openurl/... ./internal/provider/... ./zarr/store/... ./integration/conformance ./integration/gocloud ./integration/repairs ./integration/load

.PHONY: newest
newest: ## with the newest version of every module: build, and the tests of providers, stores and faults; changes go.mod and go.sum
	@$(GO) get -u ./... && $(GO) mod tidy
	@$(MAKE) --no-print-directory build
	@$(MAKE) --no-print-directory test RACE=1 PKG="$(NEWEST)"

.PHONY: servers-up
servers-up: ## start the servers and leave them: eval "$$(make -s servers-env)"
	@$(servers) up $(SERVERS)
	@$(servers) status

.PHONY: servers-env
servers-env: ## the variables under which the tests find the servers
	@$(servers) env

.PHONY: servers-down
servers-down: ## stop them
	@$(servers) down

.PHONY: cover
cover: ## coverage of all packages by all tests, in coverage.out
	@$(servers) run $(SERVERS) -- $(GO) test -count=1 -timeout=$(TIMEOUT) -coverpkg=./... -coverprofile=coverage.out $(PKG)
	@$(GO) tool cover -func=coverage.out | tail -1

.PHONY: bench
bench: ## compare the benchmarks of two commits: OLD=main NEW=HEAD; without OLD, run benchmarks: BENCH=Read PKG=./zarr COUNT=10
ifdef OLD
	@GO='$(GO)' BENCH='$(BENCH)' COUNT=$(if $(filter-out 1,$(COUNT)),$(COUNT),6) internal/tools/bench.sh '$(OLD)' '$(or $(NEW),HEAD)'
else
	@$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count=$(COUNT) $(PKG)
endif

.PHONY: sizes
sizes: ## what the smallest program with each store weighs, and the functions among the examples, which are started too
	@$(GO) run ./examples/internal/measure -sizes
	@$(GO) run ./examples/internal/measure

.PHONY: graph
graph: ## the imports between our packages, as a Mermaid drawing; FILES=./zarr those between its files
	@$(GO) run ./internal/test/archtest/draw $(FILES)
