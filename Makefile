# make try    builds Hearsay and plays its story on the embedded store; needs only Go
# make test   installs what the tests need and runs everything
# make bench  prints each hot path beside its floor

GO    ?= go
DEPS  := $(CURDIR)/.deps
# The real memory server that the proxy is tested in front of.
MEMORY_SERVER := @modelcontextprotocol/server-memory@2026.8.31
# The types that Claude Code's hooks are checked against; without its binary.
AGENT_SDK     := @anthropic-ai/claude-agent-sdk@0.3.332
export HEARSAY_NPM_DIR := $(DEPS)/npm/node_modules

.PHONY: build try test deps lint unit race fuzz cross attacks bench clean

# Without cgo, as nothing of it is used and the loader of the C library would cost each
# start of the hook half a millisecond.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/ ./cmd/hearsay ./cmd/hearsay-hook

try: build
	bin/hearsay demo

test: deps lint cross unit race fuzz attacks

deps: $(DEPS)/npm/.installed

$(DEPS)/npm/.installed: Makefile
	mkdir -p $(DEPS)/npm
	npm install --prefix $(DEPS)/npm --no-audit --no-fund --loglevel=error --omit=optional $(MEMORY_SERVER) $(AGENT_SDK)
	touch $@

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "gofmt: the files above are not formatted; run gofmt -w on them"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@out="$$($(GO) fix -diff ./...)"; test -z "$$out" || { echo "$$out"; echo "go fix: the changes above are due; run go fix ./..."; exit 1; }

# Linux is what is tested; the others are compiled.
cross:
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 $(GO) build ./...
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 $(GO) build ./...

unit: deps
	$(GO) test ./...

race: deps
	$(GO) test -race . ./event ./guard ./internal/home ./internal/mcp ./internal/store/... ./policy

fuzz:
	.ci/fuzz

attacks: build deps
	bin/hearsay attack run --json

bench: build
	bin/hearsay bench

clean:
	rm -rf bin $(DEPS)
