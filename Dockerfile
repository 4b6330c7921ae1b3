# A container that serves the notebooks: docker build -t mpcvm . && docker run --rm -p 127.0.0.1:8888:8888 mpcvm
# The base is pinned by its version tag; to pin its content too, append @sha256:... as `docker pull` prints it.
FROM golang:1.26.8-bookworm

# What rarely changes comes first: Jupyter as root, all else as an ordinary user.
RUN useradd --create-home gopher
WORKDIR /home/gopher/mpcvm
RUN chown gopher:gopher .
COPY --chown=gopher scripts/lib.sh scripts/
COPY --chown=gopher notebooks/setup.sh notebooks/
COPY --chown=gopher notebooks/tools notebooks/tools
RUN notebooks/setup.sh jupyter
USER gopher
RUN notebooks/setup.sh tools kernel

# The library, built once so that the first cell is quick, and the first notebook as a proof.
COPY --chown=gopher . .
RUN make notebook SERVE=0

EXPOSE 8888
CMD ["make", "serve", "IP=0.0.0.0"]
