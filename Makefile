# `make` or `make help` lists the targets. The checks are in tools/gate/checks.sh.
SHELL := /bin/bash
PEERS_PYTHON ?= /usr/bin/python3
# Not with go run: when terminated, it exits before the checks have stopped.
gate := go build -o .tools/bin/gate ./tools/gate && exec .tools/bin/gate
.DEFAULT_GOAL := help
.PHONY: help setup notebook serve test check lint long bench study figures slides generate site docker clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install Jupyter and the Go kernel if they are missing
	notebooks/setup.sh jupyter tools kernel completion

notebook: ## Set up, execute the first notebook as a test, and serve Jupyter (SERVE=0: do not serve)
	notebooks/setup.sh
	go run ./tools/gate notebooks out/quickstart notebooks/01-quickstart.ipynb
	$(if $(filter 0,$(SERVE)),,tools/serve.sh)

serve: ## Serve the notebooks (IP=0.0.0.0: also to other machines; ARGS: options of Jupyter)
	IP=$(IP) tools/serve.sh $(ARGS)

test: ## Run the Go tests, one notebook and one page of charts in a browser (5 minutes); lists skipped checks
	$(gate) test

check: ## Run all checks but the long ones: also linters, race detector, all notebooks, the site (25 minutes; installs Debian packages)
	$(gate) check

lint: ## Check the format, go vet, golangci-lint, generated files, shell scripts
	$(gate) lint

long: ## Run long checks (PARTS: tests race purego faults fuzz cover browsers blanks beam vuln)
	$(gate) long $(PARTS)

bench: ## Run benchmarks (PARTS: go peers; default: go, the Go benchmarks; ARGS: options of the part)
	$(foreach part,$(or $(PARTS),go),$(bench-$(part)) &&) true

bench-go = go test -run '^$$' -bench . -benchmem ./...
bench-peers = $(PEERS_PYTHON) experiments/bench/peers.py $(ARGS)

study: ## Run the whole study and write notebooks/results, skipping recorded runs (PARTS: see experiments/study.sh; takes hours)
	experiments/study.sh $(PARTS)

figures: ## Regenerate PARTS: notebooks (outputs), blank (notebooks for class), reproduction (tables)
	$(foreach part,$(PARTS),$(figures-$(part)) &&) true

figures-notebooks = rm -rf out/notebooks && \
	go run ./tools/gate notebooks out/notebooks notebooks/*.ipynb notebooks/solutions/*.ipynb && \
	cp out/notebooks/*.ipynb notebooks/ && cp out/notebooks/solutions/*.ipynb notebooks/solutions/ && $(figures-blank)
figures-blank = go run ./tools/nb blank notebooks
figures-reproduction = go run ./experiments/reproduction docs/reproduction.md

slides: ## Write slides of the five lectures, which need no network, to out/slides (needs Jupyter; npm the first time)
	tools/nb/slides.sh out/slides

generate: ## Generate the assembly with tools/avo (PARTS=echarts: build the embedded part of ECharts; needs npm)
	$(if $(PARTS),tools/echarts/build.sh,go generate ./mpcvm/...)

site: ## Build the site with the playground in out/site (ARGS=--playground: only the playground; SERVE=1: serve it)
	go run ./site/build $(ARGS) out/site
	$(if $(filter 1,$(SERVE)),python3 -m http.server --bind 127.0.0.1 --directory out/site 8000)

docker: ## Build the container and serve the notebooks from it (work/ is stored in the volume mpcvm-work)
	docker build --build-arg VERSION=$(shell git describe --always) -t mpcvm .
	docker run --rm -it --init -p 127.0.0.1:8888:8888 -v mpcvm-work:/home/gopher/mpcvm/notebooks/work mpcvm

clean: ## Remove all build products: bin, out and .tools
	rm -rf bin out .tools
