# Everything a person or CI does with this repository. `make help` lists it.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

GO    ?= go
CACHE := $(CURDIR)/.cache
TOOLS := $(CACHE)/bin
BUF   := $(CACHE)/buf/node_modules/.bin/buf

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

## ---- code generation -------------------------------------------------------

$(BUF): tools/buf/package.json tools/buf/package-lock.json tools/buf/.npmrc
	@mkdir -p $(CACHE)/buf
	@cp $^ $(CACHE)/buf/
	npm ci --prefix $(CACHE)/buf --ignore-scripts --loglevel=error
	@touch $@

.PHONY: generate
generate: $(BUF) ## write the Go code of sdk/proto
	$(BUF) generate

.PHONY: generate-check
generate-check: $(BUF) ## fail if the generated code isn't what `make generate` writes
	@rm -rf $(CACHE)/generated && mkdir -p $(CACHE)/generated
	$(BUF) generate -o $(CACHE)/generated
	@sums() { cd "$$1" && find . -name '*.pb.go' -exec cksum {} + | sort -k3; }; \
	diff <(sums sdk/proto) <(sums $(CACHE)/generated/sdk/proto) \
		|| { echo "sdk/proto differs from what its .proto files say: run make generate" >&2; exit 1; }

.PHONY: proto-lint
proto-lint: $(BUF) ## lint the protocol
	$(BUF) lint
	$(BUF) format --diff --exit-code
