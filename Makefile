# `make` or `make help` lists the targets. The work is done by scripts/.
SHELL := /bin/bash
FUZZTIME ?= 30s
PEERS_PYTHON ?= /usr/bin/python3
# $(call script,NAME): builds a Go program of scripts/ and names it, so that it runs in this folder.
script = GOBIN=$(CURDIR)/.tools/bin go -C scripts install ./$(1) && .tools/bin/$(1)
.DEFAULT_GOAL := help
.PHONY: wild help setup notebook serve notebooks blank test check soak lab-test lint test-arm64 vuln cover fuzz-short faults bench bench-peers large scoring study reproduction generate echarts demo hero site browsers serve-site docker cluster-test kubernetes-test beam-test clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install Jupyter and the Go kernel if they are missing
	notebooks/setup.sh

notebook: setup ## Set up, execute the first notebook as a test, serve Jupyter (SERVE=0: do not serve)
	go build ./...
	scripts/notebooks.sh out/quickstart notebooks/01-quickstart.ipynb
	$(if $(filter 0,$(SERVE)),,scripts/serve.sh)

serve: ## Serve the notebooks (IP=0.0.0.0: to other machines as well; ARGS: options of Jupyter)
	IP=$(IP) scripts/serve.sh $(ARGS)

notebooks: setup ## Execute the committed notebooks and keep the new outputs
	rm -rf out/notebooks
	scripts/notebooks.sh out/notebooks notebooks/*.ipynb notebooks/solutions/*.ipynb
	cp out/notebooks/*.ipynb notebooks/
	cp out/notebooks/solutions/*.ipynb notebooks/solutions/
	$(MAKE) blank

blank: ## Write notebooks/blank: the notebooks without outputs and solutions, for class
	$(call script,nb) blank notebooks

test: ## Run the Go tests, one notebook and one page of charts in a browser (5 minutes); says what it left out
	scripts/test.sh

check: ## Check everything: also linters, race detector, arm64, long tests, all notebooks (15 minutes; installs Debian packages)
	scripts/check.sh

soak: ## Run all tests five times in each of ROUNDS (10) rounds, beside two processes that use a processor (hours)
	scripts/soak.sh $(or $(ROUNDS),10)

lab-test: ## Test live notebooks in JupyterLab 4, in a chroot with Debian trixie (needs root)
	scripts/lab-test.sh

test-arm64: ## Run the tests of the core for arm64, elsewhere under an emulator (Debian: installs qemu-user-static)
	scripts/test-arm64.sh

wild: ## Print the table of files in the wild: what is expected of each and what happened (the files: out/wild)
	go test ./data -v -count 1 -run '^TestWild$$' -args -wild $(CURDIR)/out/wild

lint: ## Check the format, go vet, golangci-lint, generated files, shell scripts
	scripts/lint.sh

vuln: ## Look for known vulnerabilities (needs the network)
	go -C notebooks/tools run golang.org/x/vuln/cmd/govulncheck -C $(CURDIR) ./...

cover: ## Print the share of statements that the tests of each package run; fail below 90 %
	scripts/cover.sh

fuzz-short: ## Run each fuzz test for FUZZTIME (30s)
	scripts/fuzz.sh $(FUZZTIME)

faults: ## Run the long tests of faults: damaged files, full disks, signals, kills (as root: full disks)
	MPCVM_LONG=1 MPCVM_FAULTS=1 go test -count=1 -timeout 60m -v ./data ./data/parquet ./mpcvm ./mpcvm/study ./cmd/mpcvm \
		-run 'Spoilt|ReadingMemory|ReadResultsMemory|ManyPredict|ManyFits|Signals|FullDisk|ReadOnlyFolder|FullOutput|KilledOften'
	MPCVM_FAULTS=1 go test -count=1 -timeout 60m -v -run Shuttle ./mpcvm/search
	go test -count=1 -race -run 'ManyPredict|ManyFits' ./mpcvm
	MPCVM_FAULTS=1 go -C scripts/look test -count=1 -timeout 60m -v -run Hostile .

bench: ## Run the Go benchmarks
	go test -run '^$$' -bench . -benchmem ./...

bench-peers: ## Measure this library, scikit-learn and LIBSVM side by side on one thread (ARGS: see scripts/bench/peers.py)
	$(PEERS_PYTHON) scripts/bench/peers.py $(ARGS)

large: ## Measure fits of up to 1,000,000 samples for docs/performance.md, into out/large (PARTS=letter mixture read curve; hours)
	scripts/large.sh $(PARTS)

scoring: ## Measure predictions of up to 10,000,000 rows for docs/performance.md, into out/scoring (ARGS: see scripts/scoring)
	$(call script,scoring) $(ARGS)

study: ## Run the whole study into notebooks/results; skips runs that are recorded (PARTS: see scripts/study.sh; hours)
	scripts/study.sh $(PARTS)

reproduction: ## Put the tables of notebooks/results into docs/REPRODUCTION.md
	$(call script,reproduction) docs/REPRODUCTION.md

generate: ## Make the assembly from its generators in scripts/avo
	go generate ./mpcvm/...

echarts: ## Build the embedded part of ECharts (needs npm and the network)
	scripts/echarts/build.sh

cluster-test: ## Run a study on a Slurm cluster of two nodes on this machine and kill both (needs root)
	cluster/slurm/test.sh

kubernetes-test: ## Validate the Kubernetes Jobs of the study and run their commands
	go -C cluster/kubernetes test -count=1 -v .

beam-test: ## Test the Beam pipelines on Prism (builds Beam, minutes the first time)
	go -C cluster/beam vet ./...
	go -C cluster/beam test -count=1 -v ./...

demo: ## Train on embedded data and write out/demo/report.html
	go run ./cmd/mpcvm demo --out out/demo

hero: ## Draw the picture of README, docs/charts.png, in Chromium
	$(call script,hero) docs/charts.png

docker: ## Build the container and serve the notebooks from it (the volume mpcvm-work keeps what is in work/)
	docker build --build-arg VERSION=$(shell git describe --always) -t mpcvm .
	docker run --rm -it --init -p 127.0.0.1:8888:8888 -v mpcvm-work:/home/gopher/mpcvm/notebooks/work mpcvm

site: ## Build the site with the playground into out/site (ARGS=--playground: the playground only)
	$(call script,site) $(ARGS) out/site

browsers: ## Test the playground in Chromium and Firefox (Debian's packages chromium and firefox-esr; needs npm)
	npm ci --prefix scripts/site --ignore-scripts --no-audit --no-fund
	MPCVM_FIREFOX=1 go -C scripts test -count=1 -v -run TestPlayground ./site

serve-site: site ## Build the site and serve it on http://localhost:8000
	python3 -m http.server --bind 127.0.0.1 --directory out/site 8000

clean: ## Remove all build products: bin, out and .tools
	rm -rf bin out .tools
