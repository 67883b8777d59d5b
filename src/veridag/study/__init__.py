"""Studies: experiments written down in a file, run on all cores or a cluster, resumable, with tables and figures."""
