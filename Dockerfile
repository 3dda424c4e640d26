# A server for several clients: docker run -p 127.0.0.1:8377:8377 -v scrubjay:/data scrubjay
# Each client needs a token: docker exec CONTAINER scrubjay token create laptop
FROM python:3.13-slim

LABEL io.modelcontextprotocol.server.name="io.github.scrubjay/scrubjay"

COPY pyproject.toml README.md LICENSE NOTICE /build/
COPY src /build/src
ARG EXTRAS=""
RUN pip install --no-cache-dir "/build$EXTRAS" && rm -r /build \
    && useradd --create-home scrubjay && mkdir /data && chown scrubjay /data

USER scrubjay
ENV SCRUBJAY_HOME=/data
VOLUME /data
EXPOSE 8377
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8377/healthz', timeout=3)"]
# Inside a container every address is the container's own; the port is published to where it should be seen.
CMD ["scrubjay", "serve", "--host", "0.0.0.0"]
