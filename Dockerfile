# The sync server as an image: one bundled program on a slim Node, no package manager at run time.
FROM node:20-bookworm-slim AS build
WORKDIR /src
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml tsconfig.base.json ./
COPY scripts/ scripts/
COPY packages/ packages/
COPY apps/ apps/
# Native add-ons belong to the client; nothing the server bundles needs an install script.
RUN npx -y "$(node -p 'require("./package.json").packageManager.split("+")[0]')" install --frozen-lockfile --ignore-scripts \
 && node scripts/build.mjs server

FROM node:20-bookworm-slim
ENV NODE_ENV=production \
    TIDEMARK_HOST=0.0.0.0 \
    TIDEMARK_PORT=8420 \
    TIDEMARK_DATA_DIR=/var/lib/tidemark
RUN groupadd --system --gid 10001 tidemark \
 && useradd --system --uid 10001 --gid tidemark --home-dir /var/lib/tidemark --shell /usr/sbin/nologin tidemark \
 && install -d -o tidemark -g tidemark -m 0700 /var/lib/tidemark
COPY --from=build /src/apps/server/dist/ /opt/tidemark/
USER 10001:10001
VOLUME /var/lib/tidemark
EXPOSE 8420
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8420/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/tidemark/main.js"]
CMD ["serve"]
