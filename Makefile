# Everything a person or CI does with this repository. `make help` lists it.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

GO      ?= go
# A tag is a version; any other commit is a development build, which fits every
# version constraint. A bare hash could be read as a version.
VERSION ?= $(shell git describe --tags --dirty 2>/dev/null || echo dev-$$(git rev-parse --short HEAD 2>/dev/null || echo unknown))
# Every program is a package main with a variable of this name.
LDFLAGS := -s -w -X main.version=$(VERSION)
BUILD   := CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)'
# What checks the code compiles as BUILD does, and so do tests that build programs:
# a fresh machine needn't compile everything once more for them.
ALIKE    = env CGO_ENABLED=0 "GOFLAGS=$(strip $(shell $(GO) env GOFLAGS) -trimpath)"

CACHE  := $(CURDIR)/.cache
BUF    := $(CACHE)/buf/node_modules/.bin/buf
LINT   := $(CACHE)/bin/golangci-lint
AGENTS := $(CACHE)/agents/node_modules/.package-lock.json
GROK   := $(CACHE)/agents/bin/grok
CLAUDE := $(CACHE)/agents/bin/claude
VULNDB := $(CACHE)/vuln/index/db.json

# Modules of their own: a tool, and examples as a plugin author would have them.
NESTED := tools/vuln $(patsubst %/go.mod,%,$(wildcard examples/*/go.mod))

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

## ---- building --------------------------------------------------------------

# program,source folder: where each goes below bin/ (or a release's folder).
PROGRAMS := \
	sandlot=./host/cmd/sandlot \
	plugins/sandlot-provider-localprocess=./plugins/localprocess \
	plugins/sandlot-provider-docker=./plugins/docker \
	plugins/sandlot-harness-acp=./harnesses/acp \
	plugins/sandlot-harness-claude-code=./harnesses/claude-code

# What providers put into their sandboxes; they embed it.
GUESTS := plugins/docker/guests

.PHONY: guests
guests: ## build the guests that the docker provider embeds
	@for arch in amd64 arm64; do \
		echo "build $(GUESTS)/sandlot-guest-linux-$$arch.gz"; \
		GOOS=linux GOARCH=$$arch $(BUILD) -o "$(CACHE)/guests/$$arch/guest" ./guest; \
		gzip -nc "$(CACHE)/guests/$$arch/guest" > "$(GUESTS)/.new" && mv "$(GUESTS)/.new" "$(GUESTS)/sandlot-guest-linux-$$arch.gz"; \
	done

.PHONY: build
build: guests ## build the host and the bundled plugins into bin/
	@for p in $(PROGRAMS); do echo "build bin/$${p%%=*}"; $(BUILD) -o "bin/$${p%%=*}" "$${p#*=}"; done

.PHONY: demo-agent
demo-agent: ## build the demo agent into bin/
	@echo "build bin/sandlot-demo-agent"
	@$(BUILD) -o bin/sandlot-demo-agent ./examples/demo-agent

# What the demo asks of its agent: text, a file, a command, and one permission.
define DEMO_PROMPT
say Hello! I am the demo agent.
think First a file, then a look at it, then something that needs a yes.
write greeting.txt: Hello from inside a sandbox.
run cat greeting.txt && ls -l
ask run date > approved.txt && cat approved.txt
say Done.
endef
export DEMO_PROMPT

.PHONY: demo
demo: build demo-agent ## run examples/quickstart.hcl with the demo agent; leaves your home alone
	@rm -rf $(CACHE)/demo
	PATH="$(CURDIR)/bin:$$PATH" SANDLOT_HOME="$(CACHE)/demo" \
		bin/sandlot run --approve yes -f examples/quickstart.hcl "$$DEMO_PROMPT"

.PHONY: release
release: guests ## build for six platforms into dist/, with checksums
	@rm -rf dist && mkdir -p dist
	@for target in {linux,darwin,windows}/{amd64,arm64}; do \
		export GOOS=$${target%/*} GOARCH=$${target#*/}; \
		name="sandlot_$(VERSION)_$${GOOS}_$${GOARCH}"; \
		suffix=$$([ $$GOOS = windows ] && echo .exe || true); \
		echo "$$name"; \
		for p in $(PROGRAMS); do $(BUILD) -o "dist/$$name/$${p%%=*}$$suffix" "$${p#*=}"; done; \
		cp LICENSE "dist/$$name/"; \
		tar -C dist --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - "$$name" | gzip -n9 > "dist/$$name.tar.gz"; \
	done
	@cd dist && sha256sum *.tar.gz > sha256sums && cat sha256sums

## ---- code generation -------------------------------------------------------

$(BUF): tools/buf/package.json tools/buf/package-lock.json tools/buf/.npmrc
	@mkdir -p $(CACHE)/buf
	@cp $^ $(CACHE)/buf/
	npm ci --prefix $(CACHE)/buf --ignore-scripts --loglevel=error
	@touch $@

.PHONY: generate
generate: $(BUF) ## write the Go code of sdk/proto
	$(ALIKE) $(BUF) generate

.PHONY: generate-check
generate-check: $(BUF) ## fail if the generated code isn't what `make generate` writes
	@rm -rf $(CACHE)/generated && mkdir -p $(CACHE)/generated
	$(ALIKE) $(BUF) generate -o $(CACHE)/generated
	@sums() { cd "$$1" && find . -name '*.pb.go' -exec cksum {} + | sort -k3; }; \
	diff <(sums sdk/proto) <(sums $(CACHE)/generated/sdk/proto) \
		|| { echo "sdk/proto differs from what its .proto files say: run make generate" >&2; exit 1; }

.PHONY: proto-lint
proto-lint: $(BUF) ## lint the protocol
	$(BUF) lint
	$(BUF) format --diff --exit-code

## ---- checking --------------------------------------------------------------

$(LINT): tools/golangci/go.mod tools/golangci/go.sum
	@mkdir -p $(@D)
	$(ALIKE) $(GO) -C tools/golangci build -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

.PHONY: vet
vet: ## go vet for this platform, macOS and Windows
	@for m in . $(NESTED); do for target in "" darwin/arm64 windows/amd64; do \
		[ -z "$$target" ] || export GOOS=$${target%/*} GOARCH=$${target#*/}; \
		echo "go vet $$m $$target"; $(ALIKE) $(GO) -C "$$m" vet ./...; \
		unset GOOS GOARCH; \
	done; done

.PHONY: lint
lint: $(LINT) ## golangci-lint, formatting included
	@for m in . $(NESTED); do \
		echo "golangci-lint $$m"; (cd "$$m" && $(ALIKE) $(LINT) run --config $(CURDIR)/.golangci.yml ./...); \
	done

.PHONY: check
check: vet lint proto-lint generate-check ## everything but the tests

# Agents that tests run through the whole, as programs beside their packages, as
# nothing of Node is needed once they are there. npm writes AGENTS last.
$(AGENTS): tools/agents/package.json tools/agents/package-lock.json tools/agents/.npmrc
	@mkdir -p $(CACHE)/agents/bin
	@cp $^ $(CACHE)/agents/
	npm ci --prefix $(CACHE)/agents --ignore-scripts --loglevel=error
	@touch $@

$(GROK): $(AGENTS) tools/agents/unpack.mjs
	@node tools/agents/unpack.mjs $(CACHE)/agents/node_modules/@xai-official/grok-linux-x64/bin/grok.br $@
	@touch $@

# Another name of the same file, as it has 400 MB.
$(CLAUDE): $(AGENTS)
	@ln -f $(CACHE)/agents/node_modules/@anthropic-ai/claude-code-linux-x64/claude $@
	@touch $@

.PHONY: agents
agents: $(CLAUDE) $(GROK) ## install the agents that tests run into .cache/ (Linux, x86-64)

# The longest first, so that at the end no processor waits for the other.
LONGEST := ./plugins/docker ./plugins/localprocess ./sdk/providertest ./test/script ./host/internal/workspace/gitsource \
	./sdk/shellfs ./sdk/proctree ./harnesses/acp

.PHONY: images
images: ## make the images that tests run in, out of this machine's packages
	@tools/images

.PHONY: unit
unit: build demo-agent agents images ## the tests alone, with the race detector but for test/e2e
	@$(MAKE) -j2 unit-whole unit-root unit-nested

# As many packages at a time as there are processors. `vet` has looked at all of
# them, so that go test needn't.
.PHONY: unit-root
unit-root:
	@rest=$$($(GO) list ./... | grep -v '/test/e2e$$'); echo "go test -race ./..., without ./test/e2e"; \
	CGO_ENABLED=1 $(GO) test -race -vet=off -timeout 30m $(LONGEST) $$rest

# Without the race detector, which would see nothing of the programs that these
# tests run, but their own process alone; `soak` has it look at that, too.
.PHONY: unit-whole
unit-whole:
	$(ALIKE) $(GO) test -vet=off -timeout 30m ./test/e2e

.PHONY: unit-nested
unit-nested:
	@for m in $(NESTED); do echo "go test $$m"; CGO_ENABLED=1 $(GO) -C "$$m" test -race -vet=off -timeout 10m ./...; done

.PHONY: test
test: build demo-agent check bench-smoke unit ## build, check, and run every test

# Where the figures go.
BENCH_JSON ?= bench.json
.PHONY: bench
bench: build demo-agent images ## how fast it is beside the raw limits, as a table and as JSON (BENCH_JSON)
	@$(BUILD) -o $(CACHE)/bench ./host/bench
	$(CACHE)/bench -bin bin -json $(BENCH_JSON)

.PHONY: bench-smoke
bench-smoke: build demo-agent images ## each benchmark once and small, to see that it works
	@$(BUILD) -o $(CACHE)/bench ./host/bench
	$(CACHE)/bench -bin bin -json $(CACHE)/bench-smoke.json -smoke

# Each program of a run is killed at so many points; CI takes ten.
KILLS ?= 200
# Flakes show when the same test runs often; the number is how often.
SOAK ?= 10
.PHONY: soak
soak: build demo-agent agents images ## kill each program of a run at KILLS points (200), run 10,000 commands in a container, then run all tests SOAK times (10)
	SANDLOT_E2E_KILLS=$(KILLS) $(GO) test -timeout 3h -run 'TestWhoeverIsKilled|TestATakeover' ./test/e2e
	SANDLOT_DOCKER_EXECS=10000 $(GO) test -timeout 1h -run TestEveryCommand ./plugins/docker
	CGO_ENABLED=1 $(GO) test -race -count=$(SOAK) -failfast -timeout 3h ./...

# The database is a pinned module, as its server can't be reached everywhere.
$(VULNDB): tools/vuln/go.mod tools/vuln/go.sum
	@mkdir -p $(CACHE)/bin
	$(GO) -C tools/vuln build -o $(CACHE)/bin/govulncheck golang.org/x/vuln/cmd/govulncheck
	$(GO) -C tools/vuln mod download golang.org/x/vulndb
	$(GO) -C tools/vuln tool indexdb -out $(@D) \
		-vulns "$$($(GO) -C tools/vuln list -m -f '{{.Dir}}' golang.org/x/vulndb)/data/osv"
	@touch $@

.PHONY: vuln
vuln: $(VULNDB) ## look for known vulnerabilities; tools/vuln/allow.txt names the accepted ones
	@$(GO) -C tools/vuln build -o $(CACHE)/bin/vuln .
	$(CACHE)/bin/govulncheck -db file://$(dir $(VULNDB)) -format json ./... | $(CACHE)/bin/vuln tools/vuln/allow.txt

.PHONY: fmt
fmt: $(LINT) $(BUF) ## format Go and the protocol
	$(LINT) fmt ./...
	$(BUF) format -w

# Not errorlint: it doesn't add the import that its own mending needs.
.PHONY: fix
fix: $(LINT) ## let the linter mend what it can by itself
	@for m in . $(NESTED); do (cd "$$m" && $(ALIKE) $(LINT) run --fix --disable errorlint --config $(CURDIR)/.golangci.yml ./...); done

## ---- the machine -----------------------------------------------------------

.PHONY: deps
deps: ## install what building and testing need beyond Go, git and make (Debian, Ubuntu)
	@tools/deps

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist .cache
