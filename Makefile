# `make` alone lists what can be made: every target with a line after `##`.

CARGO ?= cargo
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
HEARBACK := $(TARGET_DIR)/release/hearback
BENCHES ?= import search deliveries

.PHONY: help
help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: ## build the release binary, load the demo on the first start, and serve it from ./data
	$(CARGO) build --release --package hearback-server
	$(HEARBACK) demo
	exec $(HEARBACK) serve

.PHONY: build
build: ## build everything for development
	$(CARGO) build --workspace --all-targets

# Building everything first gives the tests that start the binary the one of this source, and says
# what does not compile before a server is started.
.PHONY: test
test: build ## run every test, on both stores, and of the clients (PostgreSQL is started, and installed if need be)
	scripts/with-postgres $(CARGO) test --workspace
	scripts/client-tests python $(TARGET_DIR)/debug/hearback
	scripts/client-tests typescript $(TARGET_DIR)/debug/hearback
	scripts/client-tests schema $(TARGET_DIR)/debug/hearback --max-examples 15 --seed 1

.PHONY: schema
schema: ## send thousands of requests made up from /openapi.json, on both stores
	$(CARGO) build --package hearback-server
	scripts/client-tests schema $(TARGET_DIR)/debug/hearback --max-examples 150
	STORE=postgres scripts/with-postgres scripts/client-tests schema $(TARGET_DIR)/debug/hearback --max-examples 150

.PHONY: real
real: ## take PostgreSQL's manual, over a thousand pages, through both stores and the API
	$(CARGO) build --package hearback-server
	scripts/with-postgres scripts/real-help-center $(TARGET_DIR)/debug/hearback

.PHONY: bench
bench: ## measure against the limit of this machine, on both stores (some minutes; BENCHES=search: that alone)
	$(CARGO) build --release --package hearback-server --package hearback-bench
	for bench in $(BENCHES); do scripts/with-postgres $(TARGET_DIR)/release/hearback-bench $$bench || exit; done

.PHONY: check
check: ## check formatting, dependencies, lints and documentation
	$(CARGO) fmt --all --check
	scripts/deny
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --all-features

.PHONY: openapi
openapi: ## write docs/openapi.json anew from the code
	$(CARGO) build --package hearback-server
	$(TARGET_DIR)/debug/hearback openapi >docs/openapi.json

# An answer is held against the description before it is written, and is then a part of it.
.PHONY: examples
examples: openapi ## write the examples of /openapi.json anew from what the demo answers
	HEARBACK_WRITE_EXAMPLES=1 $(CARGO) test --package hearback-tests --test api examples::
	$(MAKE) openapi

.PHONY: fmt
fmt: ## format the source
	$(CARGO) fmt --all
