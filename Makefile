# `make` or `make help` lists what can be done. The work itself is in scripts/.
SHELL := /bin/bash
FUZZTIME ?= 30s
PEERS_PYTHON ?= /usr/bin/python3
.DEFAULT_GOAL := help
.PHONY: help setup notebook serve notebooks test lint test-arm64 vuln mutants cover fuzz-short faults bench bench-peers large scoring study reproduction generate echarts demo docker cluster-test kubernetes-test beam-test clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install Jupyter and the Go kernel where they are missing
	notebooks/setup.sh

notebook: setup ## Set up, run the first notebook as a proof, serve Jupyter (SERVE=0: do not serve)
	go build ./...
	scripts/notebooks.sh out/quickstart notebooks/01-quickstart.ipynb
	$(if $(filter 0,$(SERVE)),,scripts/serve.sh)

serve: ## Serve the notebooks (IP=0.0.0.0: beyond this machine)
	IP=$(IP) scripts/serve.sh

notebooks: setup ## Execute the committed notebooks again and keep their outputs
	rm -rf out/notebooks
	scripts/notebooks.sh out/notebooks notebooks/*.ipynb
	cp out/notebooks/*.ipynb notebooks/

test: ## Check everything: format, linters, tests, notebooks, charts in a browser
	scripts/test.sh

test-arm64: ## Run the tests of the core for arm64, elsewhere under an emulator (Debian: installs qemu-user-static)
	scripts/test-arm64.sh

lint: ## Check format, go vet, golangci-lint, shell scripts
	scripts/lint.sh

vuln: ## Look for known vulnerabilities (needs the network)
	go -C notebooks/tools run golang.org/x/vuln/cmd/govulncheck -C $(CURDIR) ./...

mutants: ## Put a hundred faults into the library, one at a time, and see which test catches each (a quarter of an hour)
	go run ./scripts/mutants

cover: ## Print how many statements of each package of the core its tests run
	scripts/cover.sh

fuzz-short: ## Run each fuzz test for FUZZTIME (30s)
	scripts/fuzz.sh $(FUZZTIME)

faults: ## The long form of the tests of faults: damaged files, full disks, signals, kills, many goroutines (root: full disks)
	MPCVM_FAULTS=1 go test -count=1 -timeout 60m -v ./data ./data/parquet ./mpcvm ./mpcvm/study ./cmd/mpcvm \
		-run 'Spoilt|ReadingMemory|ReadResultsMemory|ManyPredict|ManyFits|Signals|FullDisk|ReadOnlyFolder|FullOutput|KilledOften'
	go test -count=1 -race -run 'ManyPredict|ManyFits' ./mpcvm
	MPCVM_FAULTS=1 go -C scripts/look test -count=1 -timeout 60m -v -run Hostile .

bench: ## Run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

bench-peers: ## The same work by this library, scikit-learn and LIBSVM side by side, one thread (ARGS: see scripts/bench)
	$(PEERS_PYTHON) scripts/bench/peers.py $(ARGS)

large: ## Fits of many samples, for docs/LARGE.md, into out/large (PARTS=letter mixture read; hours on a busy machine)
	scripts/large.sh $(PARTS)

scoring: ## predict on files of up to 10,000,000 rows, killed and started again, for docs/SCORING.md, into out/scoring (ARGS: see scripts/scoring)
	go run ./scripts/scoring $(ARGS)

study: ## The whole study, into notebooks/results: what is there is not run again (PARTS: see scripts/study.sh; hours without them)
	scripts/study.sh $(PARTS)

reproduction: ## Put the tables of notebooks/results into docs/REPRODUCTION.md and docs/beyond.md
	go run ./scripts/reproduction docs/REPRODUCTION.md docs/beyond.md

generate: ## Make the assembly again from scripts/avo
	go generate ./mpcvm/...

echarts: ## Build the part of ECharts that charts need (needs npm and the network)
	scripts/echarts/build.sh

cluster-test: ## A study on a Slurm cluster of two nodes on this machine, both killed in the middle (needs root)
	cluster/slurm/test.sh

kubernetes-test: ## Hold the study's Jobs to what Kubernetes takes, and run what they run
	go -C cluster/kubernetes test -count=1 -v .

beam-test: ## Beam's pipelines on Prism, in one process (builds Beam, minutes the first time)
	go -C cluster/beam vet ./...
	go -C cluster/beam test -count=1 -v ./...

demo: ## Train on the embedded data and write out/demo/report.html
	go run ./cmd/mpcvm demo --out out/demo

docker: ## Build the container and serve the notebooks from it
	docker build -t mpcvm .
	docker run --rm -p 127.0.0.1:8888:8888 mpcvm

clean: ## Remove what was built and run here, the kernel's tools as well
	rm -rf bin out .tools
