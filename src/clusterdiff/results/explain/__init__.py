"""Where two clusterings disagree: components, clusters, objects, prose."""
