# kassay with Java, for assignors in Python, in jars and in programs: docker build -t kassay . && docker run --rm --user "$(id -u)" -v "$PWD:/work" kassay check
FROM python:3.12-slim@sha256:57cd7c3a7a273101a6485ba99423ee568157882804b1124b4dd04266317710de AS built
ENV PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
COPY publishing/locks/build.txt /locks/
RUN pip install --require-hashes -r /locks/build.txt
COPY publishing/locks/reports.txt /locks/
RUN pip install --no-build-isolation --ignore-installed --prefix=/kassay --require-hashes -r /locks/reports.txt
COPY . /src
RUN pip install --no-build-isolation --prefix=/kassay --no-deps /src

FROM python:3.12-slim@sha256:57cd7c3a7a273101a6485ba99423ee568157882804b1124b4dd04266317710de
LABEL org.opencontainers.image.title="kassay" \
      org.opencontainers.image.description="The assay office for Kafka assignors" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=built /kassay /usr/local
RUN useradd --create-home --uid 1000 kassay && install -d -o kassay -g kassay /work /home/kassay/.cache
USER 1000
WORKDIR /work
ENTRYPOINT ["kassay"]
CMD ["--help"]
