# syntax=docker/dockerfile:1

# The build: Rust as Cargo.toml asks for it. This image has the C compiler and the make that SQLite, ring and jemalloc are built
# with. Its Debian is that of the image below, so that the binary asks for no newer C library than is there.
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .

# Registry and target folder are kept from one build to the next and are in no image, so the binary is copied out of them in the
# same step. `locked`: two builds at once take turns.
RUN --mount=type=cache,target=/usr/local/cargo/registry,sharing=locked \
    --mount=type=cache,target=/src/target,sharing=locked \
    cargo build --release --locked --package hearback-server \
    && install -D --mode=0755 target/release/hearback /out/hearback

# The image below has no shell that could make a folder or give it to somebody.
RUN install --directory --mode=0700 /out/data

# What the binary needs and nothing else: the C library, libgcc, and the root certificates that webhooks, mail servers and
# databases are verified against.
FROM gcr.io/distroless/cc-debian12:nonroot

LABEL org.opencontainers.image.title="Hearback" \
      org.opencontainers.image.description="Feedback boards, roadmap, changelog and help center behind one HTTP API" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"

COPY --from=build /out/hearback /usr/local/bin/hearback
# A new volume takes owner and mode from here.
COPY --from=build --chown=65532:65532 /out/data /data

# `nonroot` of this image, as numbers: Kubernetes can tell from those alone that it is not root.
USER 65532:65532

ENV HEARBACK_DATA_DIR=/data \
    HEARBACK_LISTEN=0.0.0.0:8080
VOLUME ["/data"]
EXPOSE 8080

# The first SIGTERM lets requests, mails and deliveries on their way end, which may take 30 seconds: allow more before a SIGKILL
# (`--stop-timeout 40`), as Docker gives 10 by default.
STOPSIGNAL SIGTERM

# No HEALTHCHECK: nothing in this image could make a request. Whoever runs the container asks /healthz (restart it when that
# fails) and /readyz (send it no requests while that fails).

ENTRYPOINT ["/usr/local/bin/hearback"]
CMD ["serve"]
