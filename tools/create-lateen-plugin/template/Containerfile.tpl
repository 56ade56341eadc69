# The image of an init container of the server: it copies the program to /target, which is the server's /plugins.
#   docker build -f Containerfile -t registry.{{domain}}/{{name}}:0.1.0 .
# For Lateen alone, whose image has Node, a small one:
#   docker build -f Containerfile --target lateen -t registry.{{domain}}/{{name}}:0.1.0 .
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
# What Velero's image is made of: the C++ library of a newer system would not load there.
ARG PACK_IMAGE=docker.io/library/ubuntu:22.04
ARG COPY_IMAGE=docker.io/library/busybox:stable-musl

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package*.json ./
RUN npm install --no-audit --no-fund
COPY . .
RUN npm run check && npm test && npm run build

FROM ${PACK_IMAGE} AS pack
RUN apt-get update && apt-get install -y --no-install-recommends libstdc++6 libgcc-s1 patchelf
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /src/dist/{{name}}.mjs /src/pack.sh /src/
RUN sh /src/pack.sh /usr/local/bin/node /src/{{name}}.mjs /plugins

FROM ${COPY_IMAGE} AS lateen
COPY --from=build /src/dist/{{name}}.mjs /plugins/
USER 65532:65532
ENTRYPOINT ["/bin/cp", "-R", "/plugins/.", "/target/"]

FROM ${COPY_IMAGE}
COPY --from=pack /plugins/ /plugins/
USER 65532:65532
ENTRYPOINT ["/bin/cp", "-R", "/plugins/.", "/target/"]
