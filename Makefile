# `make` alone lists what can be made: every target with a line after `##`.

CARGO ?= cargo
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
HEARBACK := $(TARGET_DIR)/quick/hearback
BENCHES ?= requests import search deliveries merge servers growth

.PHONY: help
help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: ## build for a first look, load the demo on the first start, and serve it from ./data
	@test -x $(HEARBACK) || printf '%s\n' \
	  'The first build compiles SQLite and some 300 libraries: about five minutes on two processors,' \
	  'less on more. Then the demo is loaded, an API key is printed, and the server starts.' ''
	$(CARGO) build --profile quick --no-default-features --package hearback-server
	$(HEARBACK) demo
	exec $(HEARBACK) serve

.PHONY: dist
dist: ## build the optimized binary, target/release/hearback
	$(CARGO) build --release --locked --package hearback-server

# Building everything first gives the tests that start the binary the one of this source, and says
# what does not compile before a server is started. What needs but the binary needs this, too: built
# by itself, its dependencies have other features, and all of them would be compiled once more.
.PHONY: build
build: ## build everything for development
	$(CARGO) build --workspace --all-targets

.PHONY: test
test: build ## run every test, on both stores, of the clients, and in a browser (what they need is installed if need be)
	@scripts/run-all \
	  'scripts/with-postgres $(CARGO) test --workspace --no-fail-fast' \
	  '$(MAKE) --no-print-directory --jobs --keep-going --output-sync $(CLIENTS)'

# Each has a server of its own, for which it waits most of the time: all at once they take as long as
# the longest.
CLIENTS := test-python test-typescript test-schema test-page
.PHONY: $(CLIENTS)
$(CLIENTS): test-%:
	scripts/client-tests $* $(TARGET_DIR)/debug/hearback $(OPTIONS)
test-schema: OPTIONS := --max-examples 15 --seed 1

.PHONY: schema
schema: build ## send thousands of requests made up from /openapi.json, on both stores
	scripts/client-tests schema $(TARGET_DIR)/debug/hearback --max-examples 150
	STORE=postgres scripts/with-postgres scripts/client-tests schema $(TARGET_DIR)/debug/hearback --max-examples 150

.PHONY: real
real: build ## take PostgreSQL's manual, over a thousand pages, through both stores and the API
	scripts/with-postgres scripts/real-help-center $(TARGET_DIR)/debug/hearback

.PHONY: bench
bench: ## measure against the limit of this machine, on both stores, and write docs/performance.md (BENCHES=search: that alone)
	$(CARGO) build --release --package hearback-server --package hearback-bench
	failed=; for bench in $(BENCHES); do \
	  scripts/with-postgres $(TARGET_DIR)/release/hearback-bench $$bench --report docs/performance.md || failed=1; \
	done; test -z "$$failed"

.PHONY: check
check: ## check formatting, dependencies, lints and documentation
	$(CARGO) fmt --all --check
	scripts/deny
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --all-features

.PHONY: openapi
openapi: build ## write docs/openapi.json anew from the code
	$(TARGET_DIR)/debug/hearback openapi >docs/openapi.json

.PHONY: picture
picture: build ## take the picture of /docs anew that the README shows
	scripts/client-tests picture $(TARGET_DIR)/debug/hearback docs/docs-page.png

# An answer is held against the description before it is written, and is then a part of it.
.PHONY: examples
examples: openapi ## write the examples of /openapi.json anew from what the demo answers
	HEARBACK_WRITE_EXAMPLES=1 $(CARGO) test --workspace --test api examples::
	$(MAKE) openapi

.PHONY: fmt
fmt: ## format the source
	$(CARGO) fmt --all
