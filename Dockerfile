# A container that serves the notebooks in JupyterLab. `make docker` builds and runs it. mybinder.org also builds it, because
# the repository has no folder .binder, and starts jupyter-lab itself.
# Put your own notebooks and data in work/, a volume. To use a folder of your own instead, run it with
# -v "$PWD:/home/gopher/mpcvm/notebooks/work", and build it with --build-arg NB_UID=$(id -u) if your user ID is not 1000.
# The base images are pinned by digest; `docker pull` prints the digest of another tag.

# The Go kernel and its tools. Their caches are only in this stage.
FROM golang:1.26.8-trixie@sha256:bdca99a00bc16590cb1a0bb4e698f5fc5d6a64e4d5eef13d9f18a0ee08e5fa65 AS tools
ENV GOFLAGS=-ldflags=-s
WORKDIR /mpcvm
COPY tools/lib.sh tools/
COPY notebooks/setup.sh notebooks/kernel.sh notebooks/
COPY notebooks/tools notebooks/tools
RUN notebooks/setup.sh tools completion

# JupyterLab. Debian's package depends on 1.1 GB of Node.js modules that are only needed to build it; the result needs only Python.
FROM debian:13.2-slim@sha256:e711a7b30ec1261130d0a121050b4ed81d7fb28aeabcf4ea0c7876d4e9f5aca2 AS lab
RUN apt-get update -qq && apt-get download -qq jupyterlab && mkdir /lab && dpkg-deb --fsys-tarfile jupyterlab_*.deb | \
    tar -x -C /lab --exclude='*.map' ./usr/bin ./usr/lib/python3 ./usr/share/jupyter

FROM debian:13.2-slim@sha256:e711a7b30ec1261130d0a121050b4ed81d7fb28aeabcf4ea0c7876d4e9f5aca2
COPY --from=lab /lab /
COPY --from=tools /usr/local/go /usr/local/go
ENV PATH=/usr/local/go/bin:$PATH GOTOOLCHAIN=local
WORKDIR /setup
COPY tools/lib.sh tools/
COPY notebooks/setup.sh notebooks/
RUN apt-get update -qq && \
    apt-get install -qq --no-install-recommends python3-async-lru python3-jupyterlab-server python3-notebook-shim >/dev/null && \
    notebooks/setup.sh jupyter && rm -rf /var/lib/apt/lists/* /setup

# Binder sets the name and the ID of the user.
ARG NB_USER=gopher NB_UID=1000
RUN useradd --create-home --uid $NB_UID $NB_USER
USER $NB_USER
ENV HOME=/home/$NB_USER
WORKDIR $HOME/mpcvm
COPY --chown=$NB_USER --from=tools /mpcvm .
RUN notebooks/setup.sh kernel && mkdir notebooks/work

# The packages that notebooks use, compiled so that the first cell starts quickly and without network access.
COPY --chown=$NB_USER go.work go.mod go.sum ./
COPY --chown=$NB_USER site/go.mod site/go.sum site/
COPY --chown=$NB_USER tools tools
COPY --chown=$NB_USER cmd cmd
COPY --chown=$NB_USER data data
COPY --chown=$NB_USER experiments experiments
COPY --chown=$NB_USER internal internal
COPY --chown=$NB_USER mpcvm mpcvm
COPY --chown=$NB_USER nbhelpers nbhelpers
COPY --chown=$NB_USER tables tables
COPY --chown=$NB_USER notebooks/lesson notebooks/lesson
RUN go build ./... ./experiments/records && \
    find "$(go env GOMODCACHE)/cache/download" -name '*.zip' -delete

# Execute the first notebook as a test, then copy all notebooks.
COPY --chown=$NB_USER notebooks/01-quickstart.ipynb notebooks/
RUN jupyter nbconvert --to notebook --execute notebooks/01-quickstart.ipynb --output-dir=/tmp/proof && rm -r /tmp/proof
COPY --chown=$NB_USER LICENSE ./
COPY --chown=$NB_USER notebooks notebooks

ARG VERSION=unreleased
LABEL org.opencontainers.image.title="mPCVM notebooks" \
      org.opencontainers.image.description="Sparse Bayesian multi-class classification in Go: tutorials in JupyterLab" \
      org.opencontainers.image.source=https://github.com/mpcvm/mpcvm \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.version=$VERSION
EXPOSE 8888
HEALTHCHECK --start-period=30s CMD ["python3", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8888/api', timeout=5)"]
ENV IP=0.0.0.0
# Print the address of the published port instead of the name of the container.
CMD ["tools/serve.sh", "--ServerApp.custom_display_url=http://127.0.0.1:8888"]
