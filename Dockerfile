# kassay with Java, for assignors in Python, in jars and in programs: docker build -t kassay . && docker run --rm --user "$(id -u)" -v "$PWD:/work" kassay check
FROM python:3.12-slim AS built
COPY . /src
RUN pip install --no-cache-dir --root-user-action=ignore --prefix=/kassay "/src[reports,wire,java]"

FROM python:3.12-slim
LABEL org.opencontainers.image.title="kassay" \
      org.opencontainers.image.description="The assay office for Kafka assignors" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=built /kassay /usr/local
RUN useradd --create-home --uid 1000 kassay && install -d -o kassay -g kassay /work /home/kassay/.cache
USER 1000
WORKDIR /work
ENTRYPOINT ["kassay"]
CMD ["--help"]
