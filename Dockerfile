# The lab in a container; docs/deploy.md says how to run it. Everything but /data can be read-only.
#
#   docker build -t bertsent .                             for a processor
#   docker build -t bertsent --build-arg TORCH=cu130 .     for a graphics card of NVIDIA
#
# TORCH is a kind of PyTorch as uv names it. Empty takes what the index of this build has: then the
# wheels of a folder, or of an index of your own, in UV_FIND_LINKS or UV_DEFAULT_INDEX.
FROM python:3.11-slim

ARG TORCH=cpu
WORKDIR /app

# 1000 is who runs it in a Hugging Face Space, too
RUN useradd --uid 1000 --no-create-home --home-dir /data bertsent \
    && install -d -o bertsent -g bertsent /data

COPY requirements.txt requirements.lock ./
# The lock is of the processor's wheels; those of a graphics card bring libraries of their own.
# Bytecode of all of it would be 450 MB more, and the image larger than 2.5 GB.
RUN python -m venv /venv \
    && python -m pip install --no-cache-dir --target /tmp/uv uv==0.13.9 \
    && case "$TORCH" in cu*|rocm*) WANTED="-r requirements.txt" ;; \
       *) WANTED="--require-hashes -r requirements.lock" ;; esac \
    && PYTHONPATH=/tmp/uv python -m uv pip install --no-cache \
       --python /venv/bin/python ${TORCH:+--torch-backend "$TORCH"} $WANTED \
    && rm -rf /tmp/uv

COPY app.py LICENSE ./
COPY .streamlit .streamlit
COPY pages pages
COPY assets assets
COPY bertsent bertsent
RUN /venv/bin/python -m compileall -q bertsent pages app.py

ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/data \
    TMPDIR=/data/tmp \
    XDG_CACHE_HOME=/data/cache \
    BERTSENT_HOME=/data \
    BERTSENT_HOST_BY_ADDRESS=0 \
    PORT=8501
USER 1000
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/_stcore/health', timeout=8)"]
# A Space is told its own name as SPACE_HOST. The second port is strict.
CMD ["sh", "-c", "mkdir -p \"$TMPDIR\" && export BERTSENT_HOSTS=\"${BERTSENT_HOSTS-$SPACE_HOST}\" && exec python -m bertsent.ui.serve --server.port \"$PORT\""]
