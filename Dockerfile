# SPDX-License-Identifier: Apache-2.0
# An image of a program that uses Axiom; by default the demo. Documentation/containers.md says how to build it without a registry.
# Scripts/image runs these steps in roots of Debian 13, without Docker.
ARG DEBIAN=debian:13-slim

FROM ${DEBIAN} AS build
RUN apt-get update -q && apt-get install -qy --no-install-recommends \
    binutils ca-certificates git libc6-dev libcurl4-openssl-dev libedit2 libmicrohttpd-dev libncurses6 libsnappy-dev \
    libsqlite3-dev libstdc++-14-dev libxml2 nettle-dev pkg-config tzdata zlib1g-dev
COPY . /source
WORKDIR /source
ARG PACKAGE=.
ARG PRODUCT=axiom-demo
# The toolchain and SwiftPM's copies of packages are folders of the machine that builds.
RUN --mount=type=bind,from=swift,target=/opt/swift --mount=type=bind,from=packages,target=/root/.cache/org.swift.swiftpm,rw \
    PATH=/opt/swift/usr/bin:$PATH swift build -c release --static-swift-stdlib --package-path $PACKAGE --product $PRODUCT \
    --scratch-path /build && strip -o /program /build/release/$PRODUCT

FROM ${DEBIAN} AS run
ARG LIBRARIES="libcrypt1 libcurl4t64 libgnutls30t64 libmicrohttpd12t64 libnettle8t64 libsnappy1v5 libsqlite3-0 zlib1g"
RUN apt-get update -q && apt-get install -qy --no-install-recommends ca-certificates $LIBRARIES && apt-get clean && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /program /usr/local/bin/program
USER 65534:65534
EXPOSE 9464
ENTRYPOINT ["/usr/local/bin/program"]
