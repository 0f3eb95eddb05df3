# `make` alone lists the targets: every target with a text after `##`.

CARGO ?= cargo
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
HEARBACK := $(TARGET_DIR)/quick/hearback
BENCHES ?= requests pages people product import search similar deliveries merge servers growth
FUZZ_SECONDS ?= 600
SHARD ?= 0/1
# The commit of the release before.
RELEASE_BEFORE ?= d4a261fde69317d3f2a3b54991a7b5acff3918d9

.PHONY: help
help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: ## build for a first look, load the demo on the first start, and serve it from ./data
	@test -x $(HEARBACK) || printf '%s\n' \
	  'The first build compiles SQLite and some 470 libraries: about ten minutes on two' \
	  'processors, less on more. Then the demo is loaded, an API key is printed, and the server starts.' ''
	$(CARGO) build --profile quick --no-default-features --package hearback-server
	$(HEARBACK) demo
	exec $(HEARBACK) serve

.PHONY: release
release: ## build the optimized binary, target/release/hearback
	$(CARGO) build --release --locked --package hearback-server

.PHONY: dist
dist: release ## pack it for Debian and as a tarball, in target/dist
	scripts/dist $(TARGET_DIR)/release/hearback

.PHONY: test-dist
test-dist: dist ## install, upgrade and remove the packed files on a fresh root folder, as root
	scripts/test-dist $(TARGET_DIR)/dist/*.deb $(TARGET_DIR)/dist/*.tar.gz

# With everything built first, tests that start the binary start a current one, and compile errors
# appear before a server starts. Targets that use only the binary depend on `build`, too: a build of
# the binary alone selects other features of its dependencies, and compiles all of them once more.
.PHONY: build
build: ## build everything for development
	$(CARGO) build --workspace --all-targets

# Some tests wait for a moment or a time limit: one more than processors keeps these busy.
THREADS := $(shell echo $$(($$(nproc) + 1)))

# These tests need a Citus cluster: `make test-citus` runs them.
ON_CITUS := postgres_citus on_citus

# These modules of the conformance suite read. Each read is one statement, or names its isolation.
# So the default isolation of the database changes nothing.
READS := article_search export lists search similar
# Lists read partitions by the same statements as searches, and are run there.
SKIPPED := $(READS:%=postgres_serializable::%) \
  postgres_partitioned::article_search postgres_partitioned::search $(ON_CITUS)

.PHONY: test
test: build ## run all tests: both stores, the clients, a browser (missing tools are installed)
	@scripts/run-all \
	  'RUST_TEST_THREADS=$(THREADS) scripts/with-postgres \
	    $(CARGO) test --workspace --no-fail-fast -- $(SKIPPED:%=--skip %)' \
	  '$(MAKE) --no-print-directory --jobs 2 --keep-going --output-sync $(CLIENTS)'

# Each target has a server of its own. Two at once keep two processors busy; more of them would only
# wait for each other, until a browser gives up. The longest ones come first.
CLIENTS := test-portal test-portal-postgres test-schema test-page test-python test-typescript test-mcp
.PHONY: $(CLIENTS)
$(filter-out test-portal-postgres,$(CLIENTS)): test-%:
	scripts/client-tests $* $(TARGET_DIR)/debug/hearback $(OPTIONS)
test-schema: OPTIONS := --max-examples 15 --seed 1
test-portal-postgres:
	STORE=postgres scripts/with-postgres \
	  scripts/client-tests portal $(TARGET_DIR)/debug/hearback $(OPTIONS)

# The tests of the portal are left out: each would distribute the tables anew, and its pages run the
# statements of the API. One test refuses a commit by a trigger, which Citus does not support.
.PHONY: test-citus
test-citus: build ## run the tests of PostgreSQL on a Citus cluster (scripts/with-citus has the extension)
	scripts/with-citus $(CARGO) test --workspace --no-fail-fast \
	  --test store --test api --test webhooks -- $(ON_CITUS) Store__Postgres \
	  --skip portal:: --skip a_toggle_that_rolls_back_leaves_no_event

.PHONY: schema
schema: build ## send thousands of requests, generated from /openapi.json, on both stores
	scripts/client-tests schema $(TARGET_DIR)/debug/hearback --max-examples 150
	STORE=postgres scripts/with-postgres \
	  scripts/client-tests schema $(TARGET_DIR)/debug/hearback --max-examples 150

.PHONY: attacks
attacks: build release ## attack a server for minutes: slow readers, held connections, long answers
	HEARBACK_TEST_BINARY=$(abspath $(TARGET_DIR))/release/hearback \
	  $(CARGO) test --workspace --test attacks -- --nocapture --test-threads 1 --skip support

.PHONY: simulation
simulation: build ## write at random while faults are injected, and count (SEED=7 SECONDS=600)
	HEARBACK_TEST_SEED=$(SEED) HEARBACK_TEST_SECONDS=$(SECONDS) scripts/with-postgres \
	  $(CARGO) test --workspace --test simulation -- --nocapture --skip support --skip upgrade

.PHONY: upgrade
upgrade: build ## update the schema under load, from the release before (RELEASE_BEFORE=a commit)
	binary=$$(scripts/release-of $(RELEASE_BEFORE)) && \
	  HEARBACK_TEST_RELEASE_BEFORE=$$binary scripts/with-postgres \
	  $(CARGO) test --workspace --test simulation -- --nocapture upgrade

.PHONY: fuzz
fuzz: ## let libFuzzer look for inputs that break laws (FUZZ_SECONDS=60 TARGETS="images forms")
	scripts/fuzz $(FUZZ_SECONDS) $(TARGETS)

.PHONY: mutants
mutants: ## change rules and use cases, and count the changes that tests catch (SHARD=0/20 PACKAGES=)
	scripts/with-postgres scripts/mutants $(SHARD) $(PACKAGES)

.PHONY: real
real: build ## import PostgreSQL's manual, over a thousand pages, and read it, on both stores
	scripts/with-postgres scripts/real-help-center $(TARGET_DIR)/debug/hearback

.PHONY: bench
bench: ## measure both stores, and write docs/performance.md (BENCHES=search: one part)
	$(CARGO) build --release --package hearback-server --package hearback-bench
	failed=; for bench in $(BENCHES); do \
	  scripts/with-postgres $(TARGET_DIR)/release/hearback-bench $$bench \
	    --report docs/performance.md || failed=1; \
	done; test -z "$$failed"

.PHONY: check
check: format dependencies lint documentation ## check formatting, dependencies, lints and documentation

.PHONY: format dependencies lint documentation
format:
	$(CARGO) fmt --all --check
dependencies:
	scripts/deny
lint:
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
documentation:
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --all-features

.PHONY: openapi
openapi: build ## write docs/openapi.json from the code, and the clients from it
	$(TARGET_DIR)/debug/hearback openapi >docs/openapi.json
	clients/generate

.PHONY: picture
picture: build ## take the picture of /docs for the README
	scripts/client-tests picture $(TARGET_DIR)/debug/hearback docs/docs-page.png

.PHONY: lighthouse
lighthouse: build ## judge five pages of the portal by Lighthouse
	scripts/client-tests lighthouse $(TARGET_DIR)/debug/hearback

.PHONY: pictures
pictures: build ## take the pictures of the portal for the documentation
	scripts/client-tests pictures $(TARGET_DIR)/debug/hearback docs/pictures

# The test checks each answer against /openapi.json. Then the answer becomes a part of it.
.PHONY: examples
examples: openapi ## write the examples of /openapi.json from the answers of the demo
	HEARBACK_WRITE_EXAMPLES=1 $(CARGO) test --workspace --test api examples::
	$(MAKE) openapi

.PHONY: fmt
fmt: ## format the source
	$(CARGO) fmt --all
