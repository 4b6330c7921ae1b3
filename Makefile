# `make` or `make help` lists the targets. The work is done by scripts/.
SHELL := /bin/bash
PEERS_PYTHON ?= /usr/bin/python3
# $(call script,NAME): builds a Go program of scripts/ and names it, so that it runs in this folder.
script = GOBIN=$(CURDIR)/.tools/bin go -C scripts install ./$(1) && .tools/bin/$(1)
.DEFAULT_GOAL := help
.PHONY: help setup notebook serve test check lint long bench study figures slides generate site docker clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install Jupyter and the Go kernel if they are missing
	notebooks/setup.sh

notebook: setup ## Set up, execute the first notebook as a test, serve Jupyter (SERVE=0: do not serve)
	go build ./...
	scripts/notebooks.sh out/quickstart notebooks/01-quickstart.ipynb
	$(if $(filter 0,$(SERVE)),,scripts/serve.sh)

serve: ## Serve the notebooks (IP=0.0.0.0: to other machines as well; ARGS: options of Jupyter)
	IP=$(IP) scripts/serve.sh $(ARGS)

test: ## Run the Go tests, one notebook and one page of charts in a browser (5 minutes); says what it left out
	scripts/test.sh

check: ## Check everything: also linters, race detector, arm64, long tests, all notebooks (half an hour; installs Debian packages)
	scripts/check.sh

lint: ## Check the format, go vet, golangci-lint, generated files, shell scripts
	scripts/lint.sh

long: ## Run long checks (PARTS: faults fuzz cover wild browsers beam vuln)
	scripts/long.sh $(PARTS)

bench: ## Measure (PARTS: go peers large; the default is go, the Go benchmarks; ARGS: options of the part)
	$(foreach part,$(or $(PARTS),go),$(bench-$(part)) &&) true

bench-go = go test -run '^$$' -bench . -benchmem ./...
bench-peers = $(PEERS_PYTHON) scripts/bench/peers.py $(ARGS)
bench-large = scripts/large.sh $(ARGS)

study: ## Run the whole study into notebooks/results; skips runs that are recorded (PARTS: see scripts/study.sh; hours)
	scripts/study.sh $(PARTS)

figures: ## Make again (PARTS: notebooks, their outputs; blank; reproduction, its tables; hero, the moving picture of README)
	$(foreach part,$(PARTS),$(figures-$(part)) &&) true

figures-notebooks = rm -rf out/notebooks && scripts/notebooks.sh out/notebooks notebooks/*.ipynb notebooks/solutions/*.ipynb && \
	cp out/notebooks/*.ipynb notebooks/ && cp out/notebooks/solutions/*.ipynb notebooks/solutions/ && $(figures-blank)
figures-blank = $(call script,nb) blank notebooks
figures-reproduction = $(call script,reproduction) docs/reproduction.md
figures-hero = $(call script,hero) docs/learning.gif

slides: ## Make slides of the five lectures in out/slides, from notebooks/teaching.md
	$(call script,nb) slides notebooks notebooks out/slides
	jupyter nbconvert --to slides out/slides/*.ipynb --SlidesExporter.reveal_scroll=True \
		--TagRemovePreprocessor.enabled=True --TagRemovePreprocessor.remove_input_tags=no-input

generate: ## Make the assembly from its generators in scripts/avo (PARTS=echarts: the embedded part of ECharts, needs npm)
	$(if $(PARTS),scripts/echarts/build.sh,go generate ./mpcvm/...)

site: ## Build the site with the playground into out/site (ARGS=--playground: the playground only; SERVE=1: serve it)
	$(call script,site) $(ARGS) out/site
	$(if $(filter 1,$(SERVE)),python3 -m http.server --bind 127.0.0.1 --directory out/site 8000)

docker: ## Build the container and serve the notebooks from it (the volume mpcvm-work keeps what is in work/)
	docker build --build-arg VERSION=$(shell git describe --always) -t mpcvm .
	docker run --rm -it --init -p 127.0.0.1:8888:8888 -v mpcvm-work:/home/gopher/mpcvm/notebooks/work mpcvm

clean: ## Remove all build products: bin, out and .tools
	rm -rf bin out .tools
