# The service in a container: `docker build -t partner-metrics .`, then see "In a container" in docs/install.md.
ARG NODE=node:24-bookworm-slim

# Packages are installed before the sources are copied, so that a change of the sources does not install them again. `npm ci` would
# build at its end: the scripts of the packages run by themselves. What only building needs is thrown away.
FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund && npm rebuild
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE}
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The data of the embedded PostgreSQL, if there is no DATABASE_URL.
RUN install --directory --owner=node --group=node /data
USER node
ENV HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 4000 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 4000) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# No shell and no npm in between: signals arrive.
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["serve"]
