# Each target is one line that can be pasted into a shell. .ci/run runs the same ones.
GO ?= go
FUZZTIME ?= 5s
RUN ?= .

.DEFAULT_GOAL := help
.PHONY: help check test race debug purego arm64 fuzz crash soak bench micro peers profile cross

help: ## list the targets
	@sed -n 's/^\([a-z0-9]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 10

check: ## gofmt, vet for amd64, arm64 and purego, staticcheck
	test -z "$$(gofmt -l $$(git ls-files '*.go') | tee /dev/stderr)" && $(GO) vet ./... && GOARCH=arm64 $(GO) vet ./... && $(GO) vet -tags purego ./... && $(GO) tool staticcheck ./...

test: ## every test, as README gives it
	$(GO) test ./...

race: ## the tests that match RUN under the race detector; purego, as it sees no assembly
	$(GO) test -short -race -tags purego -timeout 30m -run '$(RUN)' ./...

debug: ## the store with released mappings left unreadable: use after release faults at once
	$(GO) test -short -tags mmapdebug ./mmap/... ./columnar/... ./graph/... ./copy/... ./sql/...

purego: ## the packages with kernels, without assembly
	$(GO) test -short -tags purego ./kernels/... ./mmap/... ./visibility/... ./columnar/... ./graph/... ./copy/... ./sql/...

arm64: ## the NEON kernels under qemu-user
	GOARCH=arm64 CGO_ENABLED=0 INGOT_REQUIRE_SIMD=neon $(GO) test -exec qemu-aarch64-static -short ./asm/... ./kernels/... ./visibility/... ./internal/bitmap/...

fuzz: ## every fuzz target for FUZZTIME
	for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p || exit 1; done; done

crash: ## kills, crashes, faults, flipped bits and the model, at their full counts
	INGOT_SOAK=1 $(GO) test -count=1 -timeout 60m ./columnar/... ./internal/journal/... ./internal/torture/... ./internal/vfs/...

soak: ## every test at its full count
	INGOT_SOAK=1 $(GO) test -count=1 -timeout 180m ./...

micro: ## the benchmarks beside the code
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench: ## loads beside the peers, small loads, their instructions, who finds the record ends
	$(GO) run ./bench/load && $(GO) run ./bench/small && $(GO) run ./bench/small instructions && $(GO) run ./bench/parallel

peers: ## the Node.js peers of the benchmarks, into bench/peers/node
	npm install --prefix bench/peers/node --no-audit --no-fund chdb@3.4.0 nodejs-polars@0.25.2 nodejs-polars-linux-x64-gnu@0.25.2 @ladybugdb/core@0.19.1

profile: ## a CPU profile of the copy benchmark: cpu.prof
	$(GO) test -run '^$$' -bench BenchmarkCopy -cpuprofile cpu.prof ./copy && $(GO) tool pprof -top -nodecount 40 copy.test cpu.prof

cross: ## builds for every supported system, without cgo
	for t in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 freebsd/amd64 freebsd/arm64; do CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build ./... || exit 1; done
