# make try    builds Hearsay and plays its story on the embedded store; needs only Go
# make test   installs what the tests need and runs everything
# make bench  prints each hot path beside its floor

GO    ?= go
DEPS  := $(CURDIR)/.deps
# The real memory server that the proxy is tested in front of.
MEMORY_SERVER := @modelcontextprotocol/server-memory@2026.8.31
# The types that Claude Code's hooks are checked against; without its binary.
AGENT_SDK     := @anthropic-ai/claude-agent-sdk@0.3.332
# The protocol's own suite, which our MCP server is judged by.
CONFORMANCE   := @modelcontextprotocol/conformance@0.2.0-alpha.12
# The helper classes that the memory tool is tested behind; no network is used.
PYTHON_SDK    := anthropic==2.10.0
# The published schema of SARIF, and what checks against it.
SARIF_SCHEMA  := @microsoft/jest-sarif@1.0.0-beta.0
# A memory server in Python; a few seconds to install, a minute on a slow line.
MEMORY_SERVICE := mcp-memory-service==12.4.0
# What Gemini CLI's hooks are checked against; its own code alone, without what that needs.
GEMINI_CORE   := @google/gemini-cli-core@0.61.0
# The types that Copilot's hooks are checked against; its own code alone.
COPILOT_SDK   := @github/copilot-sdk@1.0.14
export HEARSAY_NPM_DIR := $(DEPS)/npm/node_modules
export HEARSAY_PYTHON := $(DEPS)/py/bin/python
export HEARSAY_PYPI_DIR := $(DEPS)/pypi

.PHONY: build try test deps lint unit race fuzz cross attacks bench clean

# Without cgo, as nothing of it is used and the loader of the C library would cost each
# start of the hook half a millisecond.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/ ./cmd/hearsay ./cmd/hearsay-hook

try: build
	bin/hearsay demo

test: deps lint cross unit race fuzz attacks

deps: $(DEPS)/npm/.installed $(DEPS)/py/.installed $(DEPS)/pypi/.installed

$(DEPS)/npm/.installed: Makefile
	mkdir -p $(DEPS)/npm
	npm install --prefix $(DEPS)/npm --no-audit --no-fund --loglevel=error --omit=optional $(MEMORY_SERVER) $(AGENT_SDK) $(CONFORMANCE) $(SARIF_SCHEMA)
	npm pack --silent --pack-destination $(DEPS)/npm $(GEMINI_CORE) >/dev/null
	mkdir -p $(DEPS)/npm/node_modules/@google/gemini-cli-core
	tar -xzf $(DEPS)/npm/google-gemini-cli-core-*.tgz -C $(DEPS)/npm/node_modules/@google/gemini-cli-core --strip-components=1 package/package.json package/dist/src
	rm -f $(DEPS)/npm/google-gemini-cli-core-*.tgz
	npm pack --silent --pack-destination $(DEPS)/npm $(COPILOT_SDK) >/dev/null
	mkdir -p $(DEPS)/npm/node_modules/@github/copilot-sdk
	tar -xzf $(DEPS)/npm/github-copilot-sdk-*.tgz -C $(DEPS)/npm/node_modules/@github/copilot-sdk --strip-components=1 package/package.json package/dist
	rm -f $(DEPS)/npm/github-copilot-sdk-*.tgz
	touch $@

$(DEPS)/py/.installed: Makefile .ci/pypi
	.ci/pypi $(DEPS)/py $(PYTHON_SDK)

$(DEPS)/pypi/.installed: Makefile .ci/pypi
	EXTENSIONS=1 .ci/pypi $(DEPS)/pypi $(MEMORY_SERVICE)

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "gofmt: the files above are not formatted; run gofmt -w on them"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@out="$$($(GO) fix -diff ./...)"; test -z "$$out" || { echo "$$out"; echo "go fix: the changes above are due; run go fix ./..."; exit 1; }

# Linux is what is tested; the others are compiled.
cross:
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 $(GO) build ./...
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 $(GO) build ./...

# An hour for one package bounds a test that hangs; a busy machine stays far below it.
unit: deps
	$(GO) test -timeout 1h ./...

race: deps
	$(GO) test -timeout 1h -race . ./event ./guard ./internal/home ./internal/loopback ./internal/mcp ./internal/mcpserver ./internal/store/... ./policy

fuzz:
	.ci/fuzz

attacks: build deps
	bin/hearsay attack run --json

bench: build
	bin/hearsay bench

clean:
	rm -rf bin $(DEPS)
