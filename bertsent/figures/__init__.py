"""Frame in, figure out. The only importer of Plotly and Altair; colours live in ``colours``."""
