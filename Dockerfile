# syntax=docker/dockerfile:1

# The build, with the Rust version of Cargo.toml. This image has the C compiler and the make that
# SQLite, ring and jemalloc need. Both images have the same Debian, so that the binary finds the C
# library that it was linked with.
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .

# The registry and the target folder are caches and part of no image. So the same step copies the
# binary out of the target folder. `locked`: two builds at once take turns.
RUN --mount=type=cache,target=/usr/local/cargo/registry,sharing=locked \
    --mount=type=cache,target=/src/target,sharing=locked \
    cargo build --release --locked --package hearback-server \
    && install -D --mode=0755 target/release/hearback /out/hearback

# The image below has no shell that could make a folder or change its owner.
RUN install --directory --mode=0700 /out/data

# An image of the binary's needs alone: the C library, libgcc, and the root certificates that verify
# webhook receivers, mail servers and databases.
FROM gcr.io/distroless/cc-debian12:nonroot

LABEL org.opencontainers.image.title="Hearback" \
      org.opencontainers.image.description="Feedback boards, roadmap, changelog and help center behind one HTTP API" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"

COPY --from=build /out/hearback /usr/local/bin/hearback
# A new volume gets its owner and mode from this folder.
COPY --from=build --chown=65532:65532 /out/data /data

# The user `nonroot` of this image. Kubernetes can verify from a number alone that it is not root.
USER 65532:65532

ENV HEARBACK_DATA_DIR=/data \
    HEARBACK_LISTEN=0.0.0.0:8080
VOLUME ["/data"]
EXPOSE 8080

# After SIGTERM, the server ends its requests, mails and deliveries within 30 seconds. Docker sends
# SIGKILL after 10 seconds by default: set `--stop-timeout 40`.
STOPSIGNAL SIGTERM

# There is no HEALTHCHECK, since the image contains no HTTP client. The container's host can use
# /healthz (if it fails, restart the container) and /readyz (while it fails, send no requests).

ENTRYPOINT ["/usr/local/bin/hearback"]
CMD ["serve"]
