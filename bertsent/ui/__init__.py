"""What the pages share: frame, state, widgets, live fragments. The only importer of Streamlit
beside the pages.
"""
